"""Executes captured programs and graphs call by call, as kvgen's referee does in C++."""

from __future__ import annotations

import base64
from typing import Any

import torch

_TAGS = {
    "s": str,
    "dtype": lambda name: getattr(torch, name),
    "device": torch.device,
    "layout": lambda name: getattr(torch, name),
    "mf": lambda name: getattr(torch, name),
    "f": float,
}


def _decoded(argument: Any, values: dict[int, Any]) -> Any:
    if isinstance(argument, list):
        return [_decoded(item, values) for item in argument]
    if not isinstance(argument, dict):
        return argument
    ((tag, inner),) = argument.items()
    return values[inner] if tag == "t" else _TAGS[tag](inner)


def execute(nodes: list[Any], values: dict[int, Any]) -> None:
    for node in nodes:
        packet = getattr(torch.ops.aten, node["op"].removeprefix("aten::"))
        overload = getattr(packet, node["ov"] or "default")
        args = [_decoded(a, values) for a in node["args"]]
        kwargs = {k: _decoded(v, values) for k, v in node["kw"].items()}
        result = overload(*args, **kwargs)
        several = result if isinstance(result, (tuple, list)) else [result]
        for identity, value in zip(node["out"], several):
            if identity is not None:
                values[identity] = value


def made_by(program: Any, seed: int) -> dict[str, torch.Tensor]:
    values: dict[int, Any] = {}
    for constant in program["constants"]:
        raw = bytearray(base64.b64decode(constant["base64"]))
        dtype = getattr(torch, constant["dtype"])
        flat = torch.frombuffer(raw, dtype=dtype) if raw else torch.empty(0, dtype=dtype)
        values[constant["id"]] = flat.reshape(constant["shape"])
    torch.manual_seed(seed)
    with torch.no_grad():
        execute(program["nodes"], values)
    return {made["name"]: values[made["id"]] for made in program["made"]}


def results_of(variant: Any, seed: int) -> dict[str, torch.Tensor]:
    """Outputs by name, weights drawn from `seed` and inputs from `seed` + 1."""
    known = {**made_by(variant["init"], seed), **made_by(variant["inputs"], seed + 1)}
    graph = variant["graph"]
    values = {
        entry["id"]: known[entry["spec"]["name"]].clone().contiguous() for entry in graph["inputs"]
    }
    # Products choose their kernel by whether a weight is one that is learnt.
    for entry in graph["inputs"]:
        value = values[entry["id"]]
        value.requires_grad_(entry["spec"]["role"] == "parameter" and value.is_floating_point())
    torch.manual_seed(seed + 2)
    with torch.no_grad():
        execute(graph["nodes"], values)
    return {entry["spec"]["name"]: values[entry["id"]] for entry in graph["outputs"]}
