"""Arguments of ATen calls as kvgen's JSON (model/graph.h says how)."""

from __future__ import annotations

import math
from typing import Any, Callable

import torch

from .errors import CaptureError

Json = Any

DTYPES = frozenset(
    "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64 "
    "float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz".split()
)
_INT64 = range(-(1 << 63), 1 << 63)


def short_name(value: object) -> str:
    """torch.float32 -> float32"""
    return str(value).removeprefix("torch.")


def argument(value: object, id_of: Callable[[Any], int]) -> Json:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, (torch.Tensor, torch.fx.Node)):
        return {"t": id_of(value)}
    if isinstance(value, (torch.SymInt, torch.SymFloat, torch.SymBool)):
        raise CaptureError("a size depends on data, so the graph has no fixed shape")
    if isinstance(value, int):
        if value not in _INT64:
            raise CaptureError(f"the integer {value} does not fit 64 bits")
        return int(value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else {"f": repr(float(value))}
    if isinstance(value, str):
        return {"s": value}
    if isinstance(value, torch.dtype):
        return {"dtype": short_name(value)}
    if isinstance(value, torch.device):
        return {"device": "cpu"}
    if isinstance(value, torch.layout):
        return {"layout": short_name(value)}
    if isinstance(value, torch.memory_format):
        return {"mf": short_name(value)}
    if isinstance(value, (list, tuple)):
        return [argument(item, id_of) for item in value]
    raise CaptureError(f"an operator is given a {type(value).__name__}, which cannot be stored")


def meta(value: object) -> Json:
    """Shape and type of a tensor; null for anything else and for types kvgen lacks."""
    if not isinstance(value, torch.Tensor) or short_name(value.dtype) not in DTYPES:
        return None
    return {"dtype": short_name(value.dtype), "shape": [int(extent) for extent in value.shape]}


def node(target: torch._ops.OpOverload, args: list, kwargs: dict, outs: list, metas: list) -> Json:
    """`outs`: ids, null where nobody uses one; `metas` beside them."""
    schema = target._schema
    out = {
        "op": schema.name,
        "ov": schema.overload_name,
        "args": args,
        "kw": kwargs,
        "out": outs,
        "meta": metas,
    }
    if len(schema.returns) == 1 and str(schema.returns[0].type) == "List[Tensor]":
        out["list"] = True
    return out
