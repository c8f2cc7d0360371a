"""tools/soak llm: many tasks against a scripted model, kvgen killed every few seconds.

Nothing that was answered may be lost or bought twice unmarked, a resumed run must ask its first
new question at once, and kvgen must stay small. Exit code 1 when one of these does not hold.
"""

from __future__ import annotations

import argparse
import collections
import hashlib
import json
import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
KVGEN = os.environ["KVGEN_BINARY"]
MODULES = ("row_sum", "activation_chain", "linear_relu")
DERIVED = ("hash", "structural_hash", "marks", "captured_by")


def content_hash(task: dict) -> str:
    content = {key: value for key, value in task.items() if key not in DERIVED}
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def make_bundles(folder: Path, count: int, seed: int, modules: tuple[str, ...] = MODULES) -> None:
    """Captures a few modules once; the others are these under other names and texts."""
    captured = folder.parent / "captured"
    sources = [SOURCE / "data" / "tasks" / f"{name}.py" for name in modules]
    subprocess.run([KVGEN, "ingest", *sources, "--out", captured], check=True, capture_output=True)
    originals = [json.loads((captured / name / "task.json").read_text()) for name in modules]
    for original in originals:
        assert content_hash(original) == original["hash"], "the bundles' hash is made otherwise now"
    for number in range(count):
        original = originals[number % len(originals)]
        task = dict(original)
        task["name"] = f"{original['name']}-{number:05d}"
        task["source"] = f"# Variation {seed}.{number}\n" + original["source"]
        task["hash"] = content_hash(task)
        bundle = folder / task["name"]
        bundle.mkdir(parents=True)
        (bundle / "task.json").write_text(json.dumps(task, ensure_ascii=False) + "\n")


def start_model(folder: Path, given) -> tuple[subprocess.Popen, str]:
    command = [sys.executable, "-B", Path(__file__).with_name("model.py"), "--log",
               folder / "answered.jsonl", "--right", str(given.right), "--seconds",
               str(given.answer_seconds)]
    for name in MODULES:
        command += ["--reply", f"{name}={SOURCE / 'tests/e2e/replies/right' / name}.md"]
    model = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    return model, model.stdout.readline().strip()


class Watched:
    """One life of kvgen: its peak memory, and how it ended."""

    def __init__(self, arguments: list, log: Path):
        self.peak_kb = 0
        self.began = time.time()
        self.process = subprocess.Popen([KVGEN, *map(str, arguments)], stdout=subprocess.DEVNULL,
                                        stderr=log.open("a"), start_new_session=True)
        self.watcher = threading.Thread(target=self.watch)
        self.watcher.start()

    def watch(self) -> None:
        status = Path(f"/proc/{self.process.pid}/status")
        while self.process.poll() is None:
            try:
                found = re.search(r"VmHWM:\s+(\d+) kB", status.read_text())
            except OSError:
                return
            if found:
                self.peak_kb = max(self.peak_kb, int(found.group(1)))
            time.sleep(0.1)

    def live(self, seconds: float | None) -> bool:
        """True when it ended by itself."""
        try:
            self.process.wait(timeout=seconds)
            ended = True
        except subprocess.TimeoutExpired:
            os.kill(self.process.pid, signal.SIGKILL)
            self.process.wait()
            ended = False
        self.watcher.join()
        return ended


def answered(folder: Path) -> list[dict]:
    log = folder / "answered.jsonl"
    return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []


def journal(run: Path) -> dict[tuple[str, int], dict]:
    database = sqlite3.connect(run / "journal.sqlite")
    rows = database.execute(
        "SELECT task.name, turn, attempt.reply IS NOT NULL, record IS NOT NULL, in_flight, "
        "possibly_bought_twice FROM attempt JOIN task ON task.hash = attempt.task").fetchall()
    finished = database.execute("SELECT count(*) FROM task WHERE finished").fetchone()[0]
    database.close()
    found = {(name, turn): {"reply": reply, "record": record, "in_flight": in_flight,
                            "marked": marked}
             for name, turn, reply, record, in_flight, marked in rows}
    return found, finished


def main() -> int:
    parser = argparse.ArgumentParser(prog="tools/soak llm", description=__doc__)
    parser.add_argument("--tasks", type=int, default=10_000)
    parser.add_argument("--attempts", type=int, default=1)
    parser.add_argument("--kill-every", type=float, default=5.0, metavar="SECONDS",
                        help="on average (5)")
    parser.add_argument("--most-seconds", type=float, default=3600.0,
                        help="after that kvgen is not killed any more")
    parser.add_argument("--right", type=int, default=20, help="right answers in a thousand (20)")
    parser.add_argument("--requests", type=int, default=16)
    parser.add_argument("--answer-seconds", type=float, default=0.02)
    parser.add_argument("--rss-mb", type=float, default=300.0, help="the most that kvgen may take")
    parser.add_argument("--resume-seconds", type=float, default=1.0,
                        help="the most between a start and its first new request, median (1)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path, help="kept; default: a temporary one")
    given = parser.parse_args()

    with tempfile.TemporaryDirectory(prefix="kvgen-soak-") as temporary:
        folder = given.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        return soak(folder, given)


def soak(folder: Path, given) -> int:
    start = time.time()
    if not (folder / "bundles").exists():
        make_bundles(folder / "bundles", given.tasks, given.seed)
    print(f"{given.tasks} bundles in {time.time() - start:.1f} s", flush=True)
    model, url = start_model(folder, given)
    run = folder / "RUN"
    arguments = ["run", "--tasks", folder / "bundles", "--generator", "openai:soak", "--base-url",
                 url, "--attempts", given.attempts, "--out", run, "--seed", 1, "--no-profile",
                 "--requests", given.requests]
    lives: list[Watched] = []
    chance = random.Random(given.seed)
    start = time.time()
    try:
        while True:
            life = Watched(arguments, folder / "kvgen.log")
            lives.append(life)
            kill = time.time() - start < given.most_seconds
            if life.live(chance.uniform(0.2, 1.8) * given.kill_every if kill else None):
                break
            if len(lives) % 10 == 0:
                print(f"{len(lives)} kills, {len(answered(folder))} answers, "
                      f"{time.time() - start:.0f} s", flush=True)
    finally:
        model.kill()
        model.wait()
        model.stdout.close()
    return judge(folder, run, lives, given, time.time() - start)


def first_requests(lives: list[Watched], answers: list[dict]) -> list[float]:
    """Seconds from each start, but the first, to the first request that it sent."""
    waits = []
    for life, following in zip(lives, lives[1:] + [None]):
        until = following.began if following else float("inf")
        first = min((one["t"] for one in answers if life.began <= one["t"] < until), default=None)
        if first is not None:
            waits.append(first - life.began)
    return waits[1:]


def judge(folder: Path, run: Path, lives: list[Watched], given, seconds: float) -> int:
    answers = answered(folder)
    counts = collections.Counter((one["task"], one["turn"]) for one in answers if one["whole"])
    attempts, finished = journal(run)
    with_reply = sum(one["reply"] for one in attempts.values())
    marked = sum(one["marked"] for one in attempts.values())
    waits = sorted(first_requests(lives, answers))
    peak = max(life.peak_kb for life in lives) / 1024
    unmarked = [key for key, count in counts.items()
                if count > attempts[key]["reply"] + attempts[key]["marked"]]
    invented = [key for key, one in attempts.items() if one["reply"] and counts[key] == 0]

    print(f"{len(lives) - 1} kills in {seconds:.0f} s; exit code {lives[-1].process.returncode}")
    print(f"answered {sum(counts.values())} = {with_reply} distinct attempts + "
          f"{sum(counts.values()) - with_reply} of {marked} marked possibly_bought_twice")
    if waits:
        print(f"start to first new request: median {waits[len(waits) // 2]:.2f} s, "
              f"longest {waits[-1]:.2f} s, of {len(waits)}")
    print(f"memory of kvgen at most {peak:.0f} MB")
    faults = []
    if lives[-1].process.returncode not in (0, 4):
        faults.append(f"the last life ended with {lives[-1].process.returncode}: "
                      + (folder / "kvgen.log").read_text()[-500:])
    if finished != given.tasks:
        faults.append(f"{finished} of {given.tasks} tasks are finished")
    if unmarked:
        faults.append(f"{len(unmarked)} attempts were answered more often than told: {unmarked[:3]}")
    if invented:
        faults.append(f"{len(invented)} replies were never answered: {invented[:3]}")
    if peak > given.rss_mb:
        faults.append(f"memory: {peak:.0f} MB")
    if waits and waits[len(waits) // 2] > given.resume_seconds:
        faults.append(f"resume: {waits[len(waits) // 2]:.2f} s")
    for fault in faults:
        print("FAULT " + fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
