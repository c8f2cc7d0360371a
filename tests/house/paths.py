"""Lines that name a place of one machine.

    python3 paths.py SOURCE_DIR

A clone must build anywhere, so nobody's folders are in it; exit 1 when one is.
"""

import re
import subprocess
import sys
from pathlib import Path

PLACE = re.compile(rb"(?<![\w.$}~-])/(?:home|root|work|Users|workspace|tmp/venv)/\w")


def tracked(root):
    listed = subprocess.run(["git", "-C", str(root), "ls-files", "-z"], capture_output=True)
    if listed.returncode != 0:
        print("not a git checkout: nothing to look at")
        sys.exit(0)
    return [root / name.decode() for name in listed.stdout.split(b"\0") if name]


def main(root):
    found = 0
    for file in tracked(root):
        if not file.is_file() or file.is_symlink() or file.parent.name == "house":
            continue
        for number, line in enumerate(file.read_bytes().split(b"\n"), 1):
            if match := PLACE.search(line):
                found += 1
                print(f"{file.relative_to(root)}:{number}: {match.group(0).decode()}..")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
