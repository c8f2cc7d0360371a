"""The listed modules: a table each in modules/*.toml, and the module file that a table stands for.

    [NAME]
    kind = "text encoder"             what it is, of a few dozen words
    package = "transformers"          a table of packages.toml
    imports = "from p import A, B"
    sizes = {batch_size = 4, width = 96}
    make = "A(B(width))"              absent: nothing is made; may name sizes
    inputs = {x = "torch.rand(batch_size, width)"}
    call = "self.part(x)"             absent: the part, called with all inputs
    mode = "train"                    absent: "eval"
    share = true                      one of the few that every test run captures
"""

from __future__ import annotations

import pathlib
import tomllib
from dataclasses import dataclass

HERE = pathlib.Path(__file__).resolve().parent

_KEYS = {"kind", "package", "imports", "sizes", "make", "inputs", "call", "mode", "share"}


@dataclass(frozen=True)
class Listed:
    name: str
    kind: str
    package: str
    mode: str
    share: bool
    source: str


def _source(row: dict) -> str:
    sizes = row.get("sizes", {})
    names = ", ".join(sizes)
    fed = ", ".join(row["inputs"])
    made = row.get("make")
    lines = ["import torch", "import torch.nn as nn", row["imports"], ""]
    lines += [f"{name} = {value}" for name, value in sizes.items()]
    lines += ["", "", "class Model(nn.Module):"]
    if made:
        lines += [f"    def __init__(self, {names}):", "        super().__init__()",
                  f"        self.part = {made}", ""]
    lines += [f"    def forward(self, {fed}):", f"        return {row.get('call', f'self.part({fed})')}"]
    lines += ["", "", "def get_inputs():", f"    return [{', '.join(row['inputs'].values())}]"]
    lines += ["", "", "def get_init_inputs():", f"    return [{names if made else ''}]", ""]
    return "\n".join(lines)


def modules() -> list[Listed]:
    found: dict[str, Listed] = {}
    for path in sorted((HERE / "modules").glob("*.toml")):
        for name, row in tomllib.loads(path.read_text()).items():
            if unknown := set(row) - _KEYS:
                raise SystemExit(f"{path}: {name} has the unknown keys {sorted(unknown)}")
            if name in found:
                raise SystemExit(f"{path}: {name} is listed twice")
            found[name] = Listed(name, row["kind"], row["package"], row.get("mode", "eval"),
                                 row.get("share", False), _source(row))
    return list(found.values())


def packages() -> dict[str, dict]:
    """By name: {"install": pinned requirements, "import": the module to import}."""
    return tomllib.loads((HERE / "packages.toml").read_text())
