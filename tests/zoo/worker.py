"""Captures modules by name (a line in, a line of JSON out); run.py starts some of these."""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
from typing import Any

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(ROOT / "tools" / "capture"), str(ROOT / "tests" / "capture"), str(HERE)]

import torch  # noqa: E402

import eager  # noqa: E402
import listed  # noqa: E402
from kvgen_capture import build, child, server, task  # noqa: E402
from kvgen_capture.errors import CaptureError  # noqa: E402

SEED = 11
SECONDS = 240
MEMORY = 8 << 30


def digest(tensor: torch.Tensor) -> str:
    data = tensor.detach().contiguous().reshape(-1).view(torch.uint8).numpy()
    return hashlib.sha256(data).hexdigest()


def eager_digests(module: listed.Listed, variants: list[Any], options: build.Options) -> Any:
    """Of each variant in turn: {name of an output: digest}."""

    def work(_have: list[str]) -> Any:
        found = []
        for variant in variants:
            outputs = eager.outputs(module.source, variant, SEED, options)
            found.append({name: digest(tensor) for name, tensor in outputs.items()})
        return found

    return child.run(work, module.name, SECONDS, MEMORY)


class Worker:
    def __init__(self, binary: str, out: str | None):
        self.executor = subprocess.Popen([binary], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                         text=True)
        self.out = pathlib.Path(out) if out else None
        self.known = {m.name: m for m in listed.modules()}

    def executed(self, variant: Any) -> Any:
        self.executor.stdin.write(json.dumps({"variant": variant, "seed": SEED}) + "\n")
        self.executor.stdin.flush()
        return json.loads(self.executor.stdout.readline())

    def row(self, module: listed.Listed) -> Any:
        row = {"name": module.name, "kind": module.kind, "package": module.package, "reason": "",
               "variants": [], "compared": 0, "equal": 0, "different": [], "notes": [],
               "seconds": 0.0, "export": 0.0}
        options = build.Options(mode=module.mode)
        if self.out:
            self.out.mkdir(parents=True, exist_ok=True)
            (self.out / f"{module.name}.py").write_text(module.source)
        try:
            preload = listed.packages()[module.package].get("import")
            if preload:
                importlib.import_module(preload)

            def work(_have: list[str]) -> Any:
                body, spent = task.capture(module.source, f"{module.name}.py", options)
                return {"body": body, "spent": spent}

            done = child.run(work, f"{module.name}.py", SECONDS, MEMORY)
        except (CaptureError, ImportError) as error:
            row["reason"] = str(error)
            return row
        body, spent = done["body"], done["spent"]
        if self.out:
            (self.out / f"{module.name}.json").write_text(json.dumps(body))
        row.update(variants=[v["name"] for v in body["variants"][1:]], notes=body["notes"],
                   seconds=spent["total"], export=spent["export"])
        self.compare(module, body["variants"][1:], options, row)
        return row

    def compare(self, module: Any, variants: list[Any], options: build.Options, row: Any) -> None:
        row["compared"] = len(variants)
        try:
            expected = eager_digests(module, variants, options)
        except CaptureError as error:
            row["different"].append(f"eager: {error.message}")
            return
        for variant, wanted in zip(variants, expected):
            executed = self.executed(variant)
            found = executed.get("digests", {})
            wrong = [name for name, value in wanted.items() if found.get(name) != value]
            row["equal"] += not wrong
            if wrong:
                why = executed.get("error", ", ".join(wrong))
                row["different"].append(f"{variant['name']}: {why}")


def main() -> None:
    # What is printed by a package must not meet the answers.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    server.warm()
    worker = Worker(*(sys.argv[1:] + [None])[:2])
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        for line in sys.stdin:
            answers.write(json.dumps(worker.row(worker.known[line.strip()])) + "\n")
            answers.flush()


if __name__ == "__main__":
    main()
