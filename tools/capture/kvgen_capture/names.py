"""Names that plans use: one namespace for tensors and symbols, free of clashes."""

from __future__ import annotations

import re

_RESERVED = frozenset(
    "wave device.cus device.lds min max abs ceil_div floor_div round_up log2_ceil log2_floor "
    "next_pow2 dim numel stride sqrt rsqrt exp log pow cdiv True False".split()
)
_OUTPUT = re.compile(r"out\d*|.*\.out")
_LENGTH = 120


def sanitised(name: str) -> str:
    clean = re.sub(r"[^A-Za-z0-9_.]", "_", name)[:_LENGTH]
    return clean if re.match(r"[A-Za-z_]", clean) else "_" + clean


class Names:
    """Gives each thing its own name and notes what had to change."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self.notes: list[str] = []

    @staticmethod
    def is_reserved(name: str) -> bool:
        return name in _RESERVED or _OUTPUT.fullmatch(name) is not None

    def tensor(self, wanted: str, what: str) -> str:
        """An input, parameter or buffer: anything but an output's or a reserved name."""
        name = sanitised(wanted)
        while name in self._taken or name in _RESERVED or _OUTPUT.fullmatch(name):
            name += "_in"
        self._taken.add(name)
        if name != wanted:
            self.notes.append(f"the {what} {wanted} is called {name}")
        return name

    def output(self, name: str) -> str:
        self._taken.add(name)
        return name

    def symbol(self, wanted: str) -> str:
        """Quietly: nobody knew the name before."""
        name = sanitised(wanted)
        if _OUTPUT.fullmatch(name):
            name += "_value"
        free, ordinal = name, 2
        while free in self._taken or free in _RESERVED:
            free, ordinal = f"{name}_{ordinal}", ordinal + 1
        self._taken.add(free)
        return free
