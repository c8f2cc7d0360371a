"""Runs the built-in generator over modules composed at random.

    run.py --kvgen BINARY [--count N] [--seed S] [--out DIR] [--most-declined K]

Every module must be verified or declined by name. Prints both, and each wrong one with
what was wrong; exits 1 when one is wrong or more than K are declined. Modules that
capture refuses (a loss that a constant passes, a narrow type that loses its digits) are
told and do not count; others take their place.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

from compose import compose

RIGHT = "verified"


def records(run: pathlib.Path, kind: str) -> list[dict]:
    found = []
    for shard in sorted((run / "shards").glob(f"{kind}-*.jsonl.zst")):
        text = subprocess.run(["zstd", "-dcq", shard], capture_output=True, check=True).stdout
        found += [json.loads(line) for line in text.splitlines()]
    return found


def captured(kvgen: pathlib.Path, folder: pathlib.Path, seed: int, count: int) -> list[str]:
    """Writes modules until enough of them are admitted, at most twice the count; their names."""
    modules, bundles = folder / "modules", folder / "bundles"
    modules.mkdir()
    names: list[str] = []
    number = 0
    while len(names) < count and number < 2 * count:
        fresh = []
        for _ in range(count - len(names)):
            path = modules / f"random_{seed}_{number}.py"
            path.write_text(compose(f"{seed}/{number}"))
            fresh.append(path)
            number += 1
        subprocess.run([kvgen, "ingest", *fresh, "--out", bundles], capture_output=True,
                       check=False)
        for path in fresh:
            task = bundles / path.stem / "task.json"
            marks = json.loads(task.read_text())["marks"] if task.exists() else ["not captured"]
            if any(m.split(":")[0] != "ignores" for m in marks):
                print(f"{path.stem}: left out ({', '.join(marks)})")
                if task.exists():
                    for file in task.parent.iterdir():
                        file.unlink()
                    task.parent.rmdir()
            else:
                names.append(path.stem)
    return names


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kvgen", type=pathlib.Path, required=True)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=pathlib.Path, help="kept when given")
    parser.add_argument("--most-declined", type=int, default=10**6)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.out or pathlib.Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        names = captured(options.kvgen, folder, options.seed, options.count)
        run = folder / "run"
        subprocess.run([options.kvgen, "run", "--tasks", folder / "bundles", "--generator",
                        "builtin", "--device", "cpu", "--arch", "gfx942", "--no-profile", "--seed",
                        str(options.seed), "--out", run], capture_output=True, check=False)
        tasks = {task["id"]: task["name"] for task in records(run, "tasks")}
        found = {tasks[a["task"]]: a for a in records(run, "attempts")}
    kinds: dict[str, int] = {}
    for name, attempt in found.items():
        outcome = attempt["outcome"]
        kind = outcome["kind"]
        kinds[kind] = kinds.get(kind, 0) + 1
        if kind != RIGHT:
            print(f"{name}: {kind}: {outcome.get('reason', '')}")
    declined = kinds.get("no_candidate", 0)
    right = kinds.get(RIGHT, 0)
    wrong = len(found) - right - declined
    print(f"seed {options.seed}: {len(found)} modules, {right} verified, {declined} declined by "
          f"name, {wrong} wrong")
    if not found or len(found) < len(names) or wrong or declined > options.most_declined:
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
