"""Drives the installed binary as a user would."""

from __future__ import annotations

import json
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

KVGEN = Path(os.environ["KVGEN_BINARY"])
SOURCE = Path(os.environ["KVGEN_SOURCE_DIR"])
TASKS = SOURCE / "data" / "tasks"
REPLIES = SOURCE / "tests" / "e2e" / "replies"
SECONDS = 600


def kvgen(*arguments, **options) -> subprocess.CompletedProcess:
    options.setdefault("timeout", SECONDS)
    return subprocess.run(
        [KVGEN, *map(str, arguments)], capture_output=True, text=True, check=False, **options
    )


def start(*arguments) -> subprocess.Popen:
    return subprocess.Popen(
        [KVGEN, *map(str, arguments)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def records(run: Path, kind: str) -> list[dict]:
    found = []
    for shard in sorted((run / "shards").glob(f"{kind}-*.jsonl.zst")):
        text = subprocess.run(["zstd", "-dcq", shard], capture_output=True, check=True).stdout
        found += [json.loads(line) for line in text.splitlines()]
    return found


def shard_bytes(run: Path) -> dict[str, bytes]:
    """Shards that hold no times, by name."""
    return {
        shard.name: shard.read_bytes()
        for shard in sorted((run / "shards").glob("*.zst"))
        if not shard.name.startswith("profiles")
    }


def outcomes(run: Path) -> set[tuple[str, str, str]]:
    """(task, candidate, outcome) of every attempt in the shards."""
    found = records(run, "attempts")
    turns = {(attempt["task"], attempt["turn"]) for attempt in found}
    assert len(found) == len(turns), "an attempt stands twice in the shards"
    return {
        (attempt["task"], (attempt["candidate"] or {}).get("hash", ""), attempt["outcome"]["kind"])
        for attempt in found
    }


def expectation(reply: Path) -> tuple[str, list[str]]:
    """<!-- task: NAME; expect: OUTCOME[|OUTCOME] --> on the first line of a wrong reply."""
    first = reply.read_text().splitlines()[0]
    match = re.match(r"<!--\s*task:\s*([\w.-]+);\s*expect:\s*([\w| ]+?)\s*(?:at .*)?-->", first)
    assert match, f"{reply}: no expectation on the first line"
    return match.group(1), [kind.strip() for kind in match.group(2).split("|")]


def check_exported_launchers(run: Path, folder: Path) -> str:
    """Compiles the launchers of every verified attempt against libtorch, compares what they
    launch, fill and copy with the resolved plans; "" when all agree, else the faults."""
    text = subprocess.run([KVGEN.parent / "write_checks", run], capture_output=True, text=True,
                          check=False)
    if text.returncode != 0:
        return text.stderr
    (folder / "checks.cpp").write_text(text.stdout)
    torch = Path(subprocess.run(
        [os.environ["KVGEN_TEST_PYTHON"], "-c", "import torch; print(torch.__path__[0])"],
        capture_output=True, text=True, check=True).stdout.strip())
    include = torch / "include"
    built = subprocess.run(
        [os.environ["KVGEN_TEST_CXX"], "-std=c++20", "-O0", "-w", f"-isystem{include}",
         f"-isystem{include / 'torch/csrc/api/include'}", f"-I{SOURCE / 'tests/export'}",
         folder / "checks.cpp", "-o", folder / "checks", f"-L{torch / 'lib'}", "-ltorch_cpu",
         "-lc10", f"-Wl,-rpath,{torch / 'lib'}"],
        capture_output=True, text=True, check=False)
    if built.returncode != 0:
        return built.stderr[:4000]
    done = subprocess.run([folder / "checks"], capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stdout + done.stderr


class EndToEnd(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="kvgen-e2e-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def replay_folder(self, *replies: Path) -> Path:
        """A folder of replies as `replay:` wants it: one file, named after its task, each."""
        folder = self.folder / "replies"
        folder.mkdir(exist_ok=True)
        for reply in replies:
            (folder / reply.name).write_bytes(reply.read_bytes())
        return folder

    def assert_says(self, done: subprocess.CompletedProcess, code: int, *words: str) -> None:
        """The exit code, and one clear sentence (no dump) that holds the words."""
        said = done.stderr + done.stdout
        self.assertEqual(done.returncode, code, said)
        for word in words:
            self.assertIn(word, said)
        self.assertNotIn("terminate called", said)
        self.assertNotIn("Traceback", said)
        self.assertLess(len(done.stderr.splitlines()), 30, said)
