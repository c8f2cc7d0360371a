"""Captures the listed modules of other people's packages and compares them with PyTorch.

    run.py --torch-python PYTHON --digest BINARY --venv DIR [--share] [--only TEXT] [--jobs N]

Makes a virtual environment that borrows the torch of PYTHON, installs the packages, captures
each module, and executes each of its variants (but official) in C++: every output must have the
bits that eager PyTorch gives. Prints a line a module and the totals. Exit 1 where fewer than
97 % have a small and an odd variant or an output differs; 77 where the packages cannot be had.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import subprocess
import sys
import threading
import time

import listed

HERE = pathlib.Path(__file__).resolve().parent
NOT_HERE = 77
LEAST_CAPTURED = 0.97


def requirements(wanted: set[str]) -> list[str]:
    tables = listed.packages()
    found: dict[str, None] = {}

    def add(name: str) -> None:
        for other in tables[name].get("needs", []):
            add(other)
        found.update(dict.fromkeys(tables[name]["install"]))

    for name in sorted(wanted):
        add(name)
    return list(found)


def environment(folder: pathlib.Path, torch_python: str, wanted: list[str]) -> pathlib.Path:
    """The Python of a virtual environment with the packages; SystemExit(77) without them."""
    python = folder / "bin" / "python"
    try:
        if not python.exists():
            subprocess.run([torch_python, "-m", "venv", folder], check=True)
        have = subprocess.run([python, "-m", "pip", "freeze", "--all"], check=True,
                              capture_output=True, text=True).stdout.lower().replace("_", "-")
        missing = [one for one in wanted if one.lower().replace("_", "-") not in have.split()]
        if missing:
            subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-deps", "--no-compile",
                            "--disable-pip-version-check", "--retries", "1", *missing],
                           check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        paths = "import sysconfig; print(sysconfig.get_path('purelib'))"
        own, borrowed = (subprocess.run([p, "-c", paths], check=True, capture_output=True,
                                        text=True).stdout.strip() for p in (python, torch_python))
        (pathlib.Path(own) / "torch_of_kvgen.pth").write_text(borrowed + "\n")
    except (subprocess.CalledProcessError, OSError) as error:
        said = (getattr(error, "stderr", None) or str(error)).strip().splitlines()
        print(f"skipped: the packages cannot be had here: {said[-1] if said else error}")
        raise SystemExit(NOT_HERE) from None
    return python


def told(row: dict) -> str:
    head = f"{row['name']:28} {row['kind']:22} {row['package']:24}"
    if row["reason"]:
        return f"{head} NOT CAPTURED: {row['reason']}"
    lacking = [v for v in ("small", "odd") if v not in row["variants"]]
    text = f"{head} {'+'.join(row['variants'])}  {row['equal']}/{row['compared']} bitwise"
    text += f"  {row['seconds']:.1f} s ({row['export']:.1f} exporting)"
    text += "".join(f"; {note}" for note in row["notes"] if any(f"no {v} " in note for v in lacking))
    return text + "".join(f"; DIFFERS: {one}" for one in row["different"])


def summary(rows: list[dict], seconds: float) -> tuple[str, bool]:
    good = [r for r in rows if not r["reason"]]
    both = [r for r in good if {"small", "odd"} <= set(r["variants"])]
    compared, equal = sum(r["compared"] for r in good), sum(r["equal"] for r in good)
    passed = len(both) >= LEAST_CAPTURED * len(rows) and equal == compared and bool(rows)
    spent, export = sum(r["seconds"] for r in good), sum(r["export"] for r in good)
    return (f"{len(rows)} modules of {len({r['kind'] for r in rows})} kinds from "
            f"{len({r['package'] for r in rows})} packages: {len(good)} captured, {len(both)} "
            f"({len(both) / max(1, len(rows)):.1%}) with small and odd; {equal} of {compared} "
            f"variants bitwise equal to eager; capture {spent:.0f} s, of which export "
            f"{export:.0f} s; {seconds:.0f} s in all"), passed


def main() -> int:
    parser = argparse.ArgumentParser(prog="ingest", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--torch-python", required=True)
    parser.add_argument("--digest", required=True)
    parser.add_argument("--venv", required=True, type=pathlib.Path)
    parser.add_argument("--share", action="store_true", help="only those marked so")
    parser.add_argument("--only", help="names, kinds or packages that contain this")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=pathlib.Path, help="folder for the module files and bundles")
    options = parser.parse_args()
    chosen = [m for m in listed.modules() if (m.share or not options.share) and
              (not options.only or any(options.only in t for t in (m.name, m.kind, m.package)))]
    if not chosen:
        parser.error("no module is so")
    python = environment(options.venv, options.torch_python,
                         requirements({m.package for m in chosen}))
    started = time.monotonic()
    # Those of a package together, so that it is imported once a worker.
    chosen.sort(key=lambda m: m.package)
    queue, rows, lock = list(chosen), [], threading.Lock()

    def work() -> None:
        command = [python, "-B", "-W", "ignore", HERE / "worker.py", options.digest]
        with subprocess.Popen([*command, *([options.out] if options.out else [])], text=True,
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE) as worker:
            while True:
                with lock:
                    if not queue:
                        break
                    worker.stdin.write(queue.pop(0).name + "\n")
                worker.stdin.flush()
                row = json.loads(worker.stdout.readline())
                with lock:
                    rows.append(row)
                    print(told(row), flush=True)
            worker.stdin.close()

    threads = [threading.Thread(target=work) for _ in range(options.jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    text, passed = summary(rows, time.monotonic() - started)
    print(text)
    return 0 if passed and len(rows) == len(chosen) else 1


if __name__ == "__main__":
    sys.exit(main())
