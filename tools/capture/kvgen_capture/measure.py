"""What a variant would cost, found on the meta device: elements, operations, shapes."""

from __future__ import annotations

import types
from dataclasses import dataclass

import torch
import torch.utils._pytree as pytree
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._python_dispatch import TorchDispatchMode

from .build import Inputs, Options, make_inputs, make_model
from .convert import replacing_conversions
from .errors import CaptureError
from .recurrent import ShapesOnly

CALL_LIMIT = 30_000
REAL_ELEMENTS, REAL_FLOPS = 200_000_000, 20_000_000_000  # of what is run to be measured


@dataclass(frozen=True)
class Cost:
    elements: int  # inputs, weights and everything a call allocates
    weights: int
    flops: int  # of matrix products and convolutions, else one an element made
    calls: int

    def fits(self, elements: int, flops: int) -> bool:
        return self.elements <= elements and self.flops <= flops


class _Counter(TorchDispatchMode):
    def __init__(self, bounded: bool = False) -> None:
        super().__init__()
        self.made = self.flops = self.calls = 0
        self._bounded = bounded

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):  # noqa: ANN001
        result = func(*args, **(kwargs or {}))
        self.calls += 1
        if self.calls > CALL_LIMIT:
            raise CaptureError(f"forward makes more than {CALL_LIMIT} calls")
        given = {t.untyped_storage()._cdata for t in _tensors((args, kwargs))}
        for made in _tensors(result):
            if made.untyped_storage()._cdata not in given:
                self.made += made.numel()
                self.flops += made.numel()
        self.flops += _products(func._schema.name, args, result)
        if self._bounded and (self.made > REAL_ELEMENTS or self.flops > REAL_FLOPS):
            raise CaptureError(
                f"forward reads values, so it must be run, and makes more than {REAL_ELEMENTS} "
                f"of them or takes more than {REAL_FLOPS} operations"
            )
        return result


def _tensors(tree: object) -> list[torch.Tensor]:
    return [leaf for leaf in pytree.tree_leaves(tree) if isinstance(leaf, torch.Tensor)]


def _products(name: str, args: tuple, result: object) -> int:
    if name in ("aten::mm", "aten::bmm"):
        return 2 * result.numel() * args[0].shape[-1]
    if name in ("aten::addmm", "aten::baddbmm"):
        return 2 * result.numel() * args[1].shape[-1]
    if name == "aten::convolution":
        weight, transposed = args[1], args[6]
        outer = args[0].numel() if transposed else result.numel()
        return 2 * outer * (weight.numel() // max(1, weight.shape[0]))
    return 0


def _on_meta(module: types.ModuleType, options: Options) -> torch.nn.Module:
    try:
        with torch.device("meta"):
            return make_model(module, options)[0].to("meta")
    except RuntimeError as error:
        # A module that reads values while it is made needs values.
        if "item()" not in str(error):
            raise
    return make_model(module, options)[0].to("meta")


def _counted(model: torch.nn.Module, inputs: Inputs) -> tuple[object, _Counter]:
    with ShapesOnly() as recurrent, _Counter() as counter:
        result = inputs.into(model)
    counter.flops += recurrent.flops
    return result, counter


def _run_on_meta(module: types.ModuleType, options: Options) -> tuple:
    model = _on_meta(module, options)
    with torch.device("meta"):
        inputs = make_inputs(module, options)
        result, counter = _counted(model, inputs)
    return model, inputs, result, counter


def _run_on_fake(module: types.ModuleType, options: Options) -> tuple:
    """As exporting does: slower, for modules that take a device's name or values amiss."""
    with replacing_conversions(), FakeTensorMode(allow_non_fake_inputs=True):
        model, inputs = make_model(module, options)[0], make_inputs(module, options)
        result, counter = _counted(model, inputs)
    return model, inputs, result, counter


def _run_on_real(module: types.ModuleType, options: Options) -> tuple:
    """For modules whose forward asks for values."""
    with _Counter(bounded=True) as counter:
        model, inputs = make_model(module, options)[0], make_inputs(module, options)
    with _Counter(bounded=True) as counter:
        result = inputs.into(model)
    return model, inputs, result, counter


WAYS = (_run_on_meta, _run_on_fake, _run_on_real)  # the fastest first


def measure(module: types.ModuleType, options: Options, way: int = 0) -> Cost:
    with torch.no_grad():
        model, inputs, result, counter = WAYS[way](module, options)
    given, made = _tensors(inputs), _tensors(result)
    if any(0 in t.shape for t in given + made):
        raise CaptureError("a tensor of the variant is empty")
    weights = sum(t.numel() for t in [*model.parameters(), *model.buffers()])
    elements = weights + sum(t.numel() for t in given) + counter.made
    return Cost(elements, weights, counter.flops, counter.calls)
