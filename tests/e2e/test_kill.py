"""kill -9 at random moments loses nothing, doubles nothing and blames nobody."""

import os
import random
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

from support import REPLIES, TASKS, EndToEnd, kvgen, outcomes, shard_bytes, start

KILLS = int(os.environ.get("KVGEN_KILLS", "20"))
KILLS_OF_A_KIND = 3
LONGEST_LIFE = 6.0  # seconds
# Cheap to compile, run and judge: what is killed is kvgen, at any of their steps.
NAMES = ("activation_chain", "argmax", "bias_gelu", "cumsum", "embedding", "layer_norm", "row_sum",
         "softmax")


def workers(pid: int) -> list[tuple[int, str]]:
    """The processes that kvgen started itself, with their command lines: what a worker forks for
    a candidate is the candidate's."""
    found = []
    try:
        below = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return found
    for child in map(int, below):
        try:
            command = Path(f"/proc/{child}/cmdline").read_bytes().replace(b"\0", b" ").decode()
        except OSError:
            continue
        found.append((child, command))
    return found


def arguments(run: Path, names: tuple[str, ...] = NAMES) -> list:
    return ["run", "--tasks", *(TASKS / f"{name}.py" for name in names), "--generator",
            f"replay:{REPLIES / 'right'}", "--out", run, "--seed", 11, "--no-profile"]


class Killed(EndToEnd):
    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory(prefix="kvgen-e2e-")
        cls.addClassCleanup(folder.cleanup)
        cls.undisturbed = Path(folder.name) / "undisturbed"
        done = kvgen(*arguments(cls.undisturbed))
        assert done.returncode == 0, done.stderr

    def assert_undisturbed(self, run: Path) -> None:
        self.assertEqual(outcomes(run), outcomes(self.undisturbed))
        self.assertEqual(shard_bytes(run), shard_bytes(self.undisturbed))

    def test_kvgen_killed_at_random_moments_ends_with_the_same_records(self):
        chance = random.Random(20)
        runs = [self.folder / "killed0"]
        killed = 0
        while killed < KILLS:
            process = start(*arguments(runs[-1]))
            try:
                process.wait(timeout=chance.uniform(0.05, LONGEST_LIFE))
            except subprocess.TimeoutExpired:
                os.kill(process.pid, signal.SIGKILL)
                process.wait()
                killed += 1
            else:
                self.assertEqual(process.returncode, 0)
                self.assert_undisturbed(runs[-1])
                runs.append(self.folder / f"killed{len(runs)}")
        done = kvgen(*arguments(runs[-1]))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_undisturbed(runs[-1])

    def test_a_killed_worker_of_each_kind_changes_nothing(self):
        chance = random.Random(21)
        left = dict.fromkeys(("capture", "kvgen-clang", "kvgen-runner", "kvgen-referee"),
                             KILLS_OF_A_KIND)
        runs = 0
        while any(left.values()):
            self.assertLess(runs, 6, f"not there to be killed: {left}")
            run = self.folder / f"run{runs}"
            runs += 1
            process = start(*arguments(run))
            while True:
                try:
                    process.wait(timeout=chance.uniform(0.05, 0.5))
                    break
                except subprocess.TimeoutExpired:
                    pass
                alive = [(pid, kind) for pid, command in workers(process.pid)
                         for kind in left if kind in command and left[kind] > 0]
                if alive:
                    pid, kind = chance.choice(alive)
                    os.kill(pid, signal.SIGKILL)
                    left[kind] -= 1
            self.assertEqual(process.returncode, 0)
            self.assert_undisturbed(run)

    def test_ctrl_c_says_how_to_resume(self):
        run = self.folder / "RUN"
        command = arguments(run, NAMES[:2])
        process = subprocess.Popen(
            [os.environ["KVGEN_BINARY"], *map(str, command)],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True)
        try:
            process.wait(timeout=1.5)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, said)
        self.assertIn("same command", said)
        done = kvgen(*command)
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
