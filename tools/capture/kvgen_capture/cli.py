"""Command line: tasks of some files as JSON, for people who look into a capture."""

from __future__ import annotations

import argparse
import json
import logging
import sys
import warnings
from pathlib import Path


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="kvgen_capture", description="example: python -m kvgen_capture softmax.py"
    )
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE")
    parser.add_argument("--serve", action="store_true", help="answer kvgen on descriptor 3")
    parser.add_argument("--entry", default="Model", help="name of the module class")
    parser.add_argument("--mode", default="as_written", help="eval, train, or as_written")
    parser.add_argument("--dtype", default="", help="bfloat16 or float16")
    parser.add_argument("--times", action="store_true", help="seconds spent, on stderr")
    options = parser.parse_args(argv)
    if options.serve:
        from . import server

        return server.serve()
    if not options.files:
        parser.error("no FILE given")
    warnings.filterwarnings("ignore")
    logging.disable(logging.ERROR)  # torch tells each failure at length; its errors are enough
    from .build import Options
    from .errors import CaptureError
    from .task import capture

    wanted = Options(options.entry, options.mode, options.dtype)

    failed = 0
    for path in options.files:
        try:
            text = path.read_text(encoding="utf-8")
            body, seconds = capture(text, path.name, wanted)
        except (CaptureError, OSError, UnicodeDecodeError) as error:
            print(error, file=sys.stderr)
            failed += 1
            continue
        print(json.dumps(body, sort_keys=True, allow_nan=False))
        if options.times:
            parts = ", ".join(f"{k} {v:.3f}" for k, v in seconds.items())
            print(f"{path.name}: {parts}", file=sys.stderr)
    return 1 if failed else 0
