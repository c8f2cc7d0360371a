"""A variant as Python runs it, for comparison with what its bundle computes."""

from __future__ import annotations

from typing import Any

import torch
import torch.utils._pytree as pytree

from kvgen_capture import build
from kvgen_capture.devices import OnCpu
from kvgen_capture.names import sanitised
from kvgen_capture.source import Source


def outputs(text: str, variant: Any, seed: int, options: build.Options) -> dict[str, torch.Tensor]:
    """By the names of the graph's outputs. Weights are drawn from `seed`, inputs from `seed` + 1,
    what forward draws from `seed` + 2."""
    with OnCpu():
        return _outputs(text, variant, seed, options)


def _outputs(text: str, variant: Any, seed: int, options: build.Options) -> dict[str, torch.Tensor]:
    source = Source(text, "case.py", options.entry)
    sizes = variant["sizes"]
    module = source.load({s.key: sizes[s.label] for s in source.sites if s.label in sizes})
    torch.manual_seed(seed)
    model, _ = build.make_model(module, options)
    torch.manual_seed(seed + 1)
    inputs = build.make_inputs(module, options)
    leaves = dict(build.forward_leaves(model, inputs, "case.py"))
    torch.manual_seed(seed + 2)
    with torch.no_grad():
        result = inputs.into(model)
    returned = iter(t for t in pytree.tree_leaves(result) if isinstance(t, torch.Tensor))
    known = {**leaves, **dict(model.named_buffers()), **dict(model.named_parameters())}
    known = {sanitised(name): value for name, value in known.items()}
    found = {}
    for spec in (entry["spec"] for entry in variant["graph"]["outputs"]):
        changed = spec["name"].removesuffix(".out")
        found[spec["name"]] = known[changed] if spec["role"] == "in_place" else next(returned)
    return found
