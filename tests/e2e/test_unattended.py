"""What a run that nobody watches meets: its time is up, the disk is full and has room again."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from support import KVGEN, SOURCE, EndToEnd, kvgen, records

sys.path.insert(0, str(SOURCE / "tools" / "soaks"))
from llm import make_bundles  # noqa: E402

TASKS = 12
SECONDS_AN_ANSWER = 0.25


def can_mount() -> bool:
    return shutil.which("unshare") is not None and subprocess.run(
        ["unshare", "-m", "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True, check=False
    ).returncode == 0


class Unattended(EndToEnd):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="kvgen-e2e-")
        cls.addClassCleanup(folder.cleanup)
        cls.bundles = Path(folder.name) / "bundles"
        make_bundles(cls.bundles, TASKS, 1, ("row_sum",))

    def setUp(self):
        super().setUp()
        self.log = self.folder / "answered.jsonl"
        model = subprocess.Popen(
            [sys.executable, "-B", SOURCE / "tools" / "soaks" / "model.py", "--log", self.log,
             "--right", "0", "--seconds", str(SECONDS_AN_ANSWER)],
            stdout=subprocess.PIPE, text=True)
        self.url = model.stdout.readline().strip()
        self.addCleanup(model.stdout.close)
        self.addCleanup(model.wait)
        self.addCleanup(model.send_signal, signal.SIGKILL)

    def command(self, run: Path, *more) -> list[str]:
        return ["run", "--tasks", str(self.bundles), "--generator", "openai:soak", "--base-url",
                self.url, "--requests", "1", "--jobs", "1", "--out", str(run), "--seed", "1",
                "--no-profile", "--arch", "gfx942", *map(str, more)]

    def assert_complete(self, run: Path) -> None:
        self.assertEqual(len({one["task"] for one in records(run, "attempts")}), TASKS)
        self.assertEqual(len(self.log.read_text().splitlines()), TASKS)

    def test_a_run_stops_when_its_time_is_up_and_goes_on_later(self):
        run = self.folder / "RUN"
        first = kvgen(*self.command(run, "--max-hours", 0.0003))
        self.assert_says(first, 4, "stopped after --max-hours", "tasks are left",
                         "run the same command again")
        self.assertLess(len(self.log.read_text().splitlines()), TASKS)
        self.assertIn("nobody; the same `kvgen run` command", kvgen("status", run).stdout)
        second = kvgen(*self.command(run))
        self.assertEqual(second.returncode, 0, second.stderr)
        self.assert_complete(run)

    @unittest.skipUnless(can_mount(), "needs the right to mount a tmpfs")
    def test_a_full_disk_is_waited_for_and_nothing_is_asked_twice(self):
        place = self.folder / "disk"
        place.mkdir()
        kvgen_run = " ".join([str(KVGEN), *self.command(place / "RUN")])
        script = f"""
            set -e
            mount -t tmpfs -o size=448k none {place}
            {kvgen_run} & run=$!
            while [ $(df --output=avail {place} | tail -1) -gt 12 ]; do
              kill -0 $run; sleep 0.1
            done
            sleep 1
            kill -0 $run
            echo full >&2
            mount -o remount,size=64m {place}
            wait $run
            cp -r {place}/RUN {self.folder}/RUN
        """
        done = subprocess.run(["unshare", "-m", "sh", "-c", script], capture_output=True, text=True,
                              check=False, timeout=120, env=dict(os.environ))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("full", done.stderr)
        self.assert_complete(self.folder / "RUN")


if __name__ == "__main__":
    unittest.main()
