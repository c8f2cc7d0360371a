"""Records how tensors were made: a linear ATen program that C++ replays from a seed."""

from __future__ import annotations

import base64
from typing import Any, Iterable

import torch
from torch._subclasses.fake_tensor import FakeTensor
from torch.utils._python_dispatch import TorchDispatchMode, _disable_current_modes

from . import encode
from .errors import CaptureError

CONSTANT_BYTES = 1 << 20  # of all constants of a program


def constant(identity: int, tensor: torch.Tensor) -> Any:
    """A small tensor's values, for what no program can compute."""
    with _disable_current_modes():
        plain = tensor.detach().to("cpu").contiguous()
        if encode.short_name(plain.dtype) not in encode.DTYPES:
            raise CaptureError(f"a constant has the type {plain.dtype}, which kvgen lacks")
        if plain.numel() * plain.element_size() > CONSTANT_BYTES:
            raise CaptureError(
                f"a constant of {plain.numel()} values was not made by torch calls; "
                "make it with torch functions, so that it can be made again from a seed"
            )
        data = bytes(plain.reshape(-1).view(torch.uint8).tolist()) if plain.numel() else b""
    return {
        "id": identity,
        "dtype": encode.short_name(plain.dtype),
        "shape": list(plain.shape),
        "base64": base64.b64encode(data).decode(),
    }


class Recorder(TorchDispatchMode):
    """Logs every ATen call; tensors are known by identity, and kept alive for that."""

    def __init__(self) -> None:
        super().__init__()
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self._ids: dict[int, int] = {}
        self._alive: list[torch.Tensor] = []

    def _new(self, tensor: torch.Tensor) -> int:
        known = self._ids.get(id(tensor))
        if known is not None:
            return known
        self._ids[id(tensor)] = identity = len(self._alive)
        self._alive.append(tensor)
        return identity

    def _known(self, tensor: torch.Tensor) -> int:
        if id(tensor) in self._ids:
            return self._ids[id(tensor)]
        value = tensor.constant if isinstance(tensor, FakeTensor) else tensor
        if value is None:
            raise CaptureError("a tensor was made in a way that cannot be recorded")
        identity = self._new(tensor)
        self.constants.append(constant(identity, value))
        return identity

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):  # noqa: ANN001
        kwargs = kwargs or {}
        recorded = func._schema.name.startswith("aten::")
        if recorded:
            encoded = [encode.argument(a, self._known) for a in args]
            named = {k: encode.argument(v, self._known) for k, v in kwargs.items()}
        result = func(*args, **kwargs)
        if recorded:
            several = result if isinstance(result, (tuple, list)) else [result]
            outs = [self._new(t) if isinstance(t, torch.Tensor) else None for t in several]
            outs = [] if result is None else outs
            metas = [encode.meta(t) for t in several][: len(outs)]
            self.nodes.append(encode.node(func, encoded, named, outs, metas))
        return result

    def program(self, made: Iterable[tuple[str, torch.Tensor]]) -> Any:
        """The program so far, as JSON; `made` are the tensors it is for."""
        named = [{"name": name, "id": self._known(tensor)} for name, tensor in made]
        return {"constants": self.constants, "nodes": self.nodes, "made": named}
