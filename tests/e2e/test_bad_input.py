"""One clear sentence and the right exit code for everything that is not as it should be."""

import json
import os
import shutil
import subprocess
import unittest
from pathlib import Path

from support import KVGEN, REPLIES, TASKS, EndToEnd, kvgen

GOOD_MODULE = (TASKS / "softmax.py").read_text()

BAD_MODULES = {
    "syntax_error": ("class Model(:\n", ["syntax_error.py", "1"]),
    "raises": ("import torch\nraise RuntimeError('no luck today')\n", ["no luck today", "2"]),
    "missing_package": ("import surely_not_installed\n", ["surely_not_installed"]),
    "no_model": ("import torch\n", ["Model"]),
    "forward_raises": (
        GOOD_MODULE.replace("class Model", "class Other")
        + "\nclass Model(Other):\n    def forward(self, *a):\n        raise ValueError('not today')\n",
        ["not today"],
    ),
}


class BadInput(EndToEnd):
    def run_on(self, *tasks, generator="builtin", out=None, **options):
        return kvgen("run", "--tasks", *tasks, "--generator", generator, "--out",
                     out or self.folder / "RUN", "--no-profile", "--seed", 1,
                     "--give-up-after", 0, **options)

    def test_usage(self):
        self.assert_says(kvgen("run"), 2, "--tasks")
        self.assert_says(kvgen("run", "--tasks", TASKS, "--generator", "builtin", "--out",
                               self.folder / "R", "--attempts", 0), 2, "--attempts")
        self.assert_says(self.run_on(TASKS, generator="oracle"), 2, "oracle", "builtin")
        self.assert_says(kvgen("frobnicate"), 2, "frobnicate")
        self.assert_says(kvgen("run", "--help"), 0, "Example", "kvgen run --tasks")

    def test_an_empty_folder(self):
        empty = self.folder / "empty"
        empty.mkdir()
        self.assert_says(self.run_on(empty), 1, str(empty))

    def test_a_folder_that_does_not_exist(self):
        self.assert_says(self.run_on(self.folder / "nowhere"), 1, "nowhere")

    def test_bad_modules_cost_only_themselves(self):
        sources = self.folder / "sources"
        sources.mkdir()
        (sources / "good.py").write_text(GOOD_MODULE)
        for name, (text, _) in BAD_MODULES.items():
            (sources / f"{name}.py").write_text(text)
        done = kvgen("ingest", sources, "--out", self.folder / "bundles", "--json")
        self.assertEqual(done.returncode, 1, done.stderr)
        rows = {row["name"]: row for row in json.loads(done.stdout)["sources"]}
        self.assertIsNone(rows["good"]["reason"])
        for name, (_, words) in BAD_MODULES.items():
            reason = rows[name]["reason"]
            self.assertIsNotNone(reason, name)
            self.assertNotIn("\n", reason)
            for word in words:
                self.assertIn(word, reason, name)

    def test_a_torn_bundle(self):
        bundles = self.folder / "bundles"
        self.assertEqual(kvgen("ingest", TASKS / "softmax.py", "--out", bundles).returncode, 0)
        bundle = bundles / "softmax" / "task.json"
        whole = bundle.read_bytes()
        bundle.write_bytes(whole[: len(whole) // 2])
        self.assert_says(self.run_on(bundles / "softmax"), 1, "task.json")
        edited = json.loads(whole)
        edited["source"] += "# edited\n"
        bundle.write_text(json.dumps(edited))
        self.assert_says(self.run_on(bundles / "softmax", out=self.folder / "RUN2"), 1, "hash")

    def reply_outcome(self, text: bytes) -> dict:
        reply = self.folder / "reply.md"
        reply.write_bytes(text)
        done = kvgen("verify", "--task", TASKS / "softmax.py", "--candidate", reply, "--json",
                     "--no-profile")
        self.assertEqual(done.returncode, 10, done.stderr)
        return json.loads(done.stdout)["outcome"]

    def test_a_reply_without_a_block(self):
        outcome = self.reply_outcome(b"I am sorry, I cannot write this kernel.\n")
        self.assertEqual(outcome["kind"], "no_candidate")

    def test_a_reply_of_50_mb(self):
        outcome = self.reply_outcome(b"all work and no play makes a dull reply\n" * 1_300_000)
        self.assertEqual(outcome["kind"], "no_candidate")

    def test_a_missing_candidate_is_our_error(self):
        done = kvgen("verify", "--task", TASKS / "softmax.py", "--candidate",
                     self.folder / "nothing.md")
        self.assert_says(done, 1, "nothing.md")

    def test_two_kvgen_on_one_run(self):
        out = self.folder / "RUN"
        first = subprocess.Popen(
            [KVGEN, "run", "--tasks", TASKS, "--generator", f"replay:{REPLIES / 'right'}",
             "--out", out, "--seed", "1", "--no-profile"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            while not (out / "journal.sqlite").exists() and first.poll() is None:
                pass
            self.assert_says(self.run_on(TASKS, out=out, generator=f"replay:{REPLIES / 'right'}"),
                             1, str(first.pid))
        finally:
            first.kill()
            first.wait()

    def test_a_run_folder_that_is_no_run(self):
        out = self.folder / "RUN"
        out.mkdir()
        (out / "journal.sqlite").write_text("this is not a database, but it is long enough" * 50)
        self.assert_says(self.run_on(TASKS / "softmax.py", out=out), 1, "journal.sqlite")


def can_mount() -> bool:
    return shutil.which("unshare") is not None and subprocess.run(
        ["unshare", "-m", "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True, check=False
    ).returncode == 0


@unittest.skipUnless(can_mount(), "needs the right to mount a tmpfs")
class Disk(EndToEnd):
    def in_tmpfs(self, options: str, prepare: str = "true") -> subprocess.CompletedProcess:
        place = self.folder / "disk"
        place.mkdir()
        command = (f"mount -t tmpfs -o {options} none {place} && {prepare} && "
                   f"exec {KVGEN} run --tasks {TASKS} --generator builtin --out {place}/RUN "
                   f"--seed 1 --no-profile --give-up-after 0")
        return subprocess.run(["unshare", "-m", "sh", "-c", command], capture_output=True,
                              text=True, check=False, timeout=600, env=dict(os.environ))

    def test_a_full_disk(self):
        self.assert_says(self.in_tmpfs("size=192k"), 1, "space")

    def test_a_read_only_run(self):
        place = self.folder / "disk"
        done = self.in_tmpfs("size=64m", f"mkdir {place}/RUN && mount -o remount,ro {place}")
        self.assert_says(done, 1, str(Path("disk") / "RUN"))


if __name__ == "__main__":
    unittest.main()
