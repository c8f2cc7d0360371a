"""Includes of src/ and include/ against cmake/house.cmake.

    python3 rooms.py SOURCE_DIR

One line for each include that a room may not have; exit 1 when there is one.
"""

import re
import sys
from pathlib import Path

INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]')
# Rooms below cpu/ share include/kvgen/cpu: what is not named here is the runtime's.
ABI_HEADERS = {"abi.h", "importable.h"}
# tools/kvgen orchestrates: an engine must not get into its address space.
ENGINES = {"compile", "cpu/toolchain", "cpu/runtime", "cpu/abi", "device", "referee"}


def allowed_uses(house):
    uses = {}
    for key, names in re.findall(r'^set\(KVGEN_MAY_USE_(\w+)\s+"?([^")]*)"?\)', house, re.M):
        uses[key.replace("_", "/", 1) if key.startswith("cpu_") else key] = set(names.split())
    return uses


def room_of(path, rooms):
    """The room of `kvgen/ROOM/..`, or of `ROOM/..` in src/; None for anything else."""
    parts = path.split("/")
    public = parts[0] == "kvgen"
    parts = parts[1:] if public else parts
    if len(parts) < 2:
        return None
    if parts[0] != "cpu":
        return parts[0] if parts[0] in rooms else None
    if "/".join(parts[:2]) in rooms:
        return "/".join(parts[:2])
    return "cpu/abi" if parts[1] in ABI_HEADERS else "cpu/runtime"


def breaches(root):
    rooms = allowed_uses((root / "cmake/house.cmake").read_text())
    for base, prefix in ((root / "src", ""), (root / "include/kvgen", "kvgen/")):
        for file in sorted(base.rglob("*")):
            if file.suffix not in (".h", ".cpp") or "prelude" in file.parts:
                continue
            relative = prefix + file.relative_to(base).as_posix()
            room = room_of(relative, rooms)
            where = file.relative_to(root).as_posix()
            if room is None:
                yield f"{where}: no room of cmake/house.cmake"
                continue
            for number, included in includes(file):
                used = room_of(included, rooms)
                if used is None or used == room:
                    continue
                if not included.startswith("kvgen/"):
                    yield f"{where}:{number}: {included} is private to {used}"
                elif used not in rooms[room]:
                    yield f"{where}:{number}: {room} may not use {used} ({included})"
    for file in sorted((root / "tools/kvgen").glob("*")):
        for number, included in includes(file) if file.suffix in (".h", ".cpp") else ():
            if room_of(included, rooms) in ENGINES:
                yield f"{file.relative_to(root)}:{number}: {included} is an engine's"


def includes(file):
    for number, line in enumerate(file.read_text().splitlines(), 1):
        if match := INCLUDE.match(line):
            yield number, match.group(1)


if __name__ == "__main__":
    found = list(breaches(Path(sys.argv[1])))
    print("\n".join(found))
    sys.exit(1 if found else 0)
