"""`python tools/capture FILE...` prints tasks; `python tools/capture --serve` is kvgen's helper."""

from kvgen_capture.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
