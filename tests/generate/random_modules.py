"""Writes modules composed at random of what the built-in generator has rules for.

    random_modules.py OUT_DIR [--count N] [--seed S]

One file each, in the form that `kvgen ingest` reads; the same seed, the same
files. `kvgen run --tasks OUT_DIR --generator builtin` over them must end with
nothing but verified kernels and honest declines.
"""

from __future__ import annotations

import argparse
import pathlib
import random

UNARY = [
    "torch.sigmoid({0})", "torch.tanh({0})", "F.relu({0})", "F.gelu({0})",
    "F.gelu({0}, approximate='tanh')", "F.silu({0})", "F.mish({0})", "F.softplus({0})",
    "F.leaky_relu({0}, 0.07)", "F.elu({0}, 1.3)", "F.selu({0})", "F.hardswish({0})",
    "F.hardsigmoid({0})", "F.hardtanh({0}, -0.7, 0.9)", "torch.abs({0})", "torch.neg({0})",
    "torch.exp(-torch.abs({0}))", "torch.log(torch.abs({0}) + 0.5)", "torch.sqrt(torch.abs({0}) + 0.1)",
    "torch.rsqrt({0} * {0} + 0.3)", "torch.sin({0})", "torch.cos({0})", "{0} * {0}",
    "torch.square({0})", "torch.pow({0}, 3)", "torch.clamp({0}, -1.1, 1.6)", "torch.clamp({0}, min=-0.4)",
    "torch.reciprocal(torch.abs({0}) + 0.8)", "({0} * 0.37 + 0.11)", "(1.5 - {0})", "{0} / 2.3",
    "torch.where({0} > 0.2, {0}, {0} * 0.3)", "{0}.clone().mul_(0.9).add_(0.2)", "F.softsign({0})",
    "F.logsigmoid({0})", "torch.erf({0})", "F.celu({0}, 0.8)", "{0}.masked_fill({0} < -0.6, -0.25)",
    "torch.add({0}, {0}, alpha=0.4)", "F.relu6({0})", "F.dropout({0}, 0.4, training=False)",
]
BINARY = [
    "{0} + {1}", "{0} - {1}", "{0} * {1}", "{0} / (torch.abs({1}) + 0.7)",
    "torch.maximum({0}, {1})", "torch.minimum({0}, {1})", "torch.sub({0}, {1}, alpha=0.6)",
    "torch.where({0} < {1}, {0}, {1} * 0.5)", "torch.addcmul({0}, {0}, {1}, value=0.3)",
]
FOLDS = [
    "torch.sum({0}, dim={d}, keepdim={k})", "torch.mean({0}, dim={d}, keepdim={k})",
    "torch.amax({0}, dim={d}, keepdim={k})", "torch.amin({0}, dim={d}, keepdim={k})",
    "torch.var({0}, dim={d}, keepdim={k})", "torch.std({0}, dim={d}, keepdim={k}, correction=0)",
    "torch.logsumexp({0}, dim={d}, keepdim={k})", "torch.linalg.vector_norm({0}, dim={d}, keepdim={k})",
    "torch.norm({0}, p=1, dim={d}, keepdim={k})",
]
ONE_DIM = ["torch.max({0}, dim={d}, keepdim={k})[0]", "torch.min({0}, dim={d}, keepdim={k})[0]"]
SOFTENERS = ["torch.softmax({0}, dim={d})", "F.log_softmax({0}, dim={d})"]


class Module:
    """A module being written: values by name, each with its symbolic shape."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.sizes = {"batch": rng.choice([6, 10, 24])}
        for name, options in (("rows", [37, 48, 70]), ("columns", [52, 96, 130]), ("width", [20, 44])):
            self.sizes[name] = rng.choice(options)
        self.init: list[str] = []
        self.lines: list[str] = []
        self.count = 0

    def value(self, text: str, shape: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
        name = f"v{self.count}"
        self.count += 1
        self.lines.append(f"{name} = {text}")
        return name, shape

    def parameter(self, shape: tuple[str, ...]) -> str:
        name = f"w{len(self.init)}"
        self.init.append(f"self.{name} = nn.Parameter(torch.randn({', '.join(shape)}) * 0.5)")
        return "self." + name

    def layer(self, text: str) -> str:
        name = f"m{len(self.init)}"
        self.init.append(f"self.{name} = {text}")
        return "self." + name

    def step(self, value: tuple[str, tuple[str, ...]]) -> tuple[str, tuple[str, ...]]:
        name, shape = value
        rng = self.rng
        kind = rng.choice(["unary"] * 5 + ["binary"] * 3 + ["fold"] * 2 +
                          ["soften", "norm", "group", "linear", "bmm", "view", "scale", "gram"])
        rank = len(shape)
        if kind == "unary":
            return self.value(rng.choice(UNARY).format(name), shape)
        if kind == "binary":
            kept = shape[rng.randrange(rank):] if rank else ()
            kept = tuple("1" if rng.random() < 0.25 else size for size in kept)
            return self.value(rng.choice(BINARY).format(name, self.parameter(kept or ("1",))), shape)
        if kind == "fold" and rank:
            dims = sorted(rng.sample(range(rank), rng.randint(1, rank)))
            keep = rng.random() < 0.5
            pattern = rng.choice(FOLDS if len(dims) > 1 else FOLDS + ONE_DIM)
            text = pattern.format(name, d=dims[0] if len(dims) == 1 else tuple(dims), k=keep)
            left = tuple("1" if i in dims else s for i, s in enumerate(shape)) if keep else tuple(
                s for i, s in enumerate(shape) if i not in dims)
            folded, left = self.value(text, left)
            if keep and rng.random() < 0.7:
                return self.value(rng.choice(BINARY[:3]).format(name, folded), shape)
            return folded, left
        if kind == "soften" and rank:
            return self.value(rng.choice(SOFTENERS).format(name, d=rng.randrange(rank)), shape)
        if kind == "norm" and rank > 1 and shape[-1] != "1":
            layer = self.layer(rng.choice([f"nn.LayerNorm({shape[-1]}, eps=1e-3)",
                                           f"nn.RMSNorm({shape[-1]}, eps=2e-3)"]))
            return self.value(f"{layer}({name})", shape)
        if kind == "group" and rank == 3 and shape[1] == "columns":
            return self.value(f"{self.layer('nn.GroupNorm(2, columns)')}({name})", shape)
        if kind == "linear" and rank > 1 and shape[-1] != "1":
            target = rng.choice(["columns", "width"])
            bias = rng.random() < 0.7
            layer = self.layer(f"nn.Linear({shape[-1]}, {target}, bias={bias})")
            return self.value(f"{layer}({name})", shape[:-1] + (target,))
        if kind == "bmm" and rank == 3 and shape[-1] != "1":
            weight = self.parameter((shape[0], shape[-1], "width") if rng.random() < 0.5
                                    else (shape[-1], "width"))
            return self.value(f"torch.matmul({name}, {weight})", shape[:-1] + ("width",))
        if kind == "gram" and rank == 3:
            return self.value(f"torch.matmul({name}, {name}.transpose(-1, -2)) * 0.05",
                              (shape[0], shape[1], shape[1]))
        if kind == "view" and rank == 3:
            choice = rng.randrange(3)
            if choice == 0:
                return self.value(f"{name}.transpose(1, 2)", (shape[0], shape[2], shape[1]))
            if choice == 1:
                return self.value(f"{name}.permute(2, 0, 1).contiguous()",
                                  (shape[2], shape[0], shape[1]))
            flat = self.value(f"{name}.flatten(1)", (shape[0], f"{shape[1]} * {shape[2]}"))
            return self.value(f"F.relu({flat[0]}).view({', '.join(shape)})", shape)
        if kind == "scale" and rank > 1:
            squeezed = self.value(f"torch.mean({name}, dim=-1).unsqueeze(-1)", shape[:-1] + ("1",))
            return self.value(f"{name} * torch.sigmoid({squeezed[0]}).expand_as({name})", shape)
        return self.value(rng.choice(UNARY).format(name), shape)

    def text(self, steps: int) -> str:
        value = ("x", self.rng.choice([("batch", "rows", "columns"), ("batch", "columns", "rows"),
                                       ("rows", "columns"), ("batch", "columns")]))
        shape = value[1]
        values = [value]
        for _ in range(steps):
            values.append(self.step(values[-1]))
        results = [values[-1][0]]
        if self.rng.random() < 0.3:
            results.append(values[len(values) // 2][0])
        lines = ["# SPDX-License-Identifier: MIT", "import torch", "import torch.nn as nn",
                 "import torch.nn.functional as F", ""]
        lines += [f"{name} = {size}" for name, size in self.sizes.items()]
        lines += ["", "", "class Model(nn.Module):", "    def __init__(self):",
                  "        super().__init__()"]
        lines += [f"        {line}" for line in self.init]
        lines += ["", "    def forward(self, x):"] + [f"        {line}" for line in self.lines]
        lines += [f"        return {', '.join(dict.fromkeys(results))}", "", "",
                  "def get_inputs():", f"    return [torch.randn({', '.join(shape)})]", "", "",
                  "def get_init_inputs():", "    return []", ""]
        return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    for number in range(options.count):
        rng = random.Random(f"{options.seed}/{number}")
        text = Module(rng).text(rng.randint(2, 8))
        (options.folder / f"random_{options.seed}_{number}.py").write_text(text)


if __name__ == "__main__":
    main()
