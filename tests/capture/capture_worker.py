"""The worker as kvgen talks to it: frames, and sources that would harm anything they could.

The cases are files in bad/; the first line of each gives the error it must get.
"""

from __future__ import annotations

import json
import os
import pathlib
import re
import socket
import struct
import subprocess
import sys
import tempfile
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent


class Worker:
    def __init__(self) -> None:
        mine, theirs = socket.socketpair()
        self.folder = tempfile.TemporaryDirectory()
        launcher = (
            "import os, sys; os.dup2(int(sys.argv[1]), 3); "
            "os.execve(sys.executable, [sys.executable, '-B', sys.argv[2], '--serve'], {})"
        )
        self.process = subprocess.Popen(
            [sys.executable, "-c", launcher, str(theirs.fileno()), str(ROOT / "tools" / "capture")],
            pass_fds=[theirs.fileno()],
            cwd=self.folder.name,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        theirs.close()
        self.socket = mine

    def send(self, data: bytes) -> None:
        self.socket.sendall(struct.pack("<II", len(data), 0) + data)

    def _exactly(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            chunk = self.socket.recv(count - len(data))
            if not chunk:
                raise EOFError
            data += chunk
        return data

    def receive(self) -> dict:
        length, descriptors = struct.unpack("<II", self._exactly(8))
        assert descriptors == 0
        return json.loads(self._exactly(length))

    def ask(self, op: str, body: dict) -> dict:
        self.send(json.dumps({"op": op, "body": body}).encode())
        return self.receive()

    def capture(self, path: pathlib.Path, **more: object) -> dict:
        text = path.read_text(encoding="utf-8")
        return self.ask("capture", {"source": text, "filename": path.name, **more})

    def close(self) -> int:
        self.socket.close()
        status = self.process.wait(20)
        self.printed = self.process.stdout.read()
        self.process.stdout.close()
        self.folder.cleanup()
        return status


class CaptureWorker(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.worker = Worker()
        cls.hello = cls.worker.ask("ping", {})

    @classmethod
    def tearDownClass(cls) -> None:
        status = cls.worker.close()
        assert status == 0, status
        assert cls.worker.printed == b"", "something was printed beside the frames"

    def test_ping_says_who_it_is(self) -> None:
        self.assertTrue(self.hello["ok"])
        self.assertEqual(self.hello["body"]["pid"], self.worker.process.pid)
        self.assertIn("torch", self.hello["body"]["hello"])

    def test_a_good_file_among_bad_ones(self) -> None:
        reply = self.worker.capture(ROOT / "data" / "tasks" / "softmax.py")
        self.assertTrue(reply["ok"], reply)
        self.assertEqual(reply["body"]["entry"], "softmax.py:Model")
        self.assertEqual(len(reply["body"]["variants"]), 6)

    def test_the_same_file_gives_the_same_task(self) -> None:
        first, second = (
            self.worker.capture(ROOT / "data" / "tasks" / "conv2d.py")["body"] for _ in range(2)
        )
        for body in (first, second):
            body.pop("seconds")
        self.assertEqual(first, second)

    def test_entry_mode_and_dtype_are_asked_for(self) -> None:
        path = HERE / "good" / "class_by_name.py"
        reply = self.worker.capture(path, entry="Second", mode="eval", dtype="bfloat16")
        self.assertTrue(reply["ok"], reply)
        self.assertEqual(reply["body"]["entry"], "class_by_name.py:Second")
        self.assertEqual(reply["body"]["captured_by"]["mode"], "eval")
        spec = reply["body"]["variants"][0]["graph"]["inputs"][0]["spec"]
        self.assertEqual(spec["dtype"], "bfloat16")
        self.assertFalse(self.worker.capture(path, dtype="float8")["ok"])

    def test_budgets_bound_the_variants(self) -> None:
        budget = {"elements": 2000, "flops": 1_000_000}
        reply = self.worker.capture(ROOT / "data" / "tasks" / "row_sum.py", small=budget)
        shape = reply["body"]["variants"][1]["graph"]["inputs"][0]["spec"]["shape"]
        self.assertLessEqual(shape[0] * shape[1], 2000)

    def test_requests_that_make_no_sense_are_answered(self) -> None:
        for op, body in [("fly", {}), ("capture", {}), ("capture", {"source": 3, "filename": "x"}),
                         ("capture", {"source": "", "filename": "x", "seconds": -1})]:
            reply = self.worker.ask(op, body)
            self.assertFalse(reply["ok"])
            self.assertEqual(reply["error"]["code"], "invalid")

    def test_nothing_of_a_source_is_left(self) -> None:
        self.worker.capture(HERE / "bad" / "forks.py", seconds=3)
        self.assertEqual(os.listdir(self.worker.folder.name), [])
        children = pathlib.Path(f"/proc/{self.worker.process.pid}/task/"
                                f"{self.worker.process.pid}/children").read_text()
        self.assertEqual(children, "")

    def check(self, path: pathlib.Path) -> None:
        first = path.read_text(encoding="utf-8").splitlines()[0]
        code, pattern = re.fullmatch(r"# error: (\w+): (.*)", first).groups()
        started = time.monotonic()
        reply = self.worker.capture(path, seconds=3, memory=1 << 29)
        self.assertLess(time.monotonic() - started, 30)
        self.assertFalse(reply["ok"], reply)
        error = reply["error"]
        self.assertEqual(error["code"], code, error)
        self.assertRegex(error["message"], "^" + pattern.replace("{file}", re.escape(path.name)))
        self.assertNotIn("\n", error["message"])
        self.assertTrue(self.worker.ask("ping", {})["ok"])


class BrokenPeers(unittest.TestCase):
    def test_a_broken_frame_ends_the_worker(self) -> None:
        worker = Worker()
        worker.send(b"{")
        with self.assertRaises((EOFError, ConnectionResetError)):
            worker.receive()
        self.assertEqual(worker.close(), 1)


def add_cases() -> None:
    needs = {"forks": "seccomp", "starts_a_program": "seccomp", "opens_a_socket": "seccomp",
             "writes_a_file": "landlock", "reads_a_secret": "landlock"}
    for path in sorted((HERE / "bad").glob("*.py")):
        def test(self: CaptureWorker, path: pathlib.Path = path) -> None:
            part = needs.get(path.stem)
            if part and part not in self.hello["body"]["hello"]["sandbox"]:
                self.skipTest(f"this machine has no {part}")
            self.check(path)

        setattr(CaptureWorker, f"test_bad_{path.stem}", test)


add_cases()

if __name__ == "__main__":
    unittest.main()
