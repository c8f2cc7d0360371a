"""kill -9 at random moments loses nothing, doubles nothing and blames nobody."""

import os
import random
import signal
import subprocess
import unittest
from pathlib import Path

from support import REPLIES, TASKS, EndToEnd, kvgen, outcomes, shard_bytes, start

KILLS = int(os.environ.get("KVGEN_KILLS", "4"))
LONGEST_LIFE = 6.0  # seconds


def children(pid: int) -> list[tuple[int, str]]:
    """Processes below pid, with their command lines."""
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
        found += children(child)
    return found


class Killed(EndToEnd):
    def arguments(self, run: Path) -> list:
        return ["run", "--tasks", TASKS, "--generator", f"replay:{REPLIES / 'right'}", "--out",
                run, "--seed", 11, "--no-profile"]

    def undisturbed(self) -> Path:
        run = self.folder / "undisturbed"
        done = kvgen(*self.arguments(run))
        self.assertEqual(done.returncode, 0, done.stderr)
        return run

    def test_kvgen_killed_at_random_moments_ends_with_the_same_records(self):
        undisturbed = self.undisturbed()
        run = self.folder / "killed"
        chance = random.Random(20)
        for _ in range(KILLS):
            process = start(*self.arguments(run))
            try:
                process.wait(timeout=chance.uniform(0.05, LONGEST_LIFE))
            except subprocess.TimeoutExpired:
                os.kill(process.pid, signal.SIGKILL)
                process.wait()
        done = kvgen(*self.arguments(run))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(outcomes(run), outcomes(undisturbed))
        self.assertEqual(shard_bytes(run), shard_bytes(undisturbed))

    def test_a_killed_worker_of_each_kind_changes_nothing(self):
        undisturbed = self.undisturbed()
        chance = random.Random(21)
        for kind in ("kvgen-clang", "kvgen-runner", "kvgen-referee", "capture"):
            run = self.folder / kind
            process = start(*self.arguments(run))
            killed = 0
            while killed < 3:
                try:
                    process.wait(timeout=chance.uniform(0.05, 0.5))
                    break
                except subprocess.TimeoutExpired:
                    pass
                alive = [pid for pid, command in children(process.pid) if kind in command]
                if alive:
                    os.kill(chance.choice(alive), signal.SIGKILL)
                    killed += 1
            process.wait(timeout=600)
            self.assertGreater(killed, 0, f"no {kind} was there to kill")
            self.assertEqual(process.returncode, 0, kind)
            self.assertEqual(outcomes(run), outcomes(undisturbed), kind)

    def test_ctrl_c_says_how_to_resume(self):
        run = self.folder / "RUN"
        process = subprocess.Popen(
            [os.environ["KVGEN_BINARY"], *map(str, self.arguments(run))],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True)
        try:
            process.wait(timeout=1.5)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, said)
        self.assertIn("same command", said)
        done = kvgen(*self.arguments(run))
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
