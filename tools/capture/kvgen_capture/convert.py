"""Module.to, .half and their kin on fake tensors.

torch swaps a fake parameter for its converted self, which it refuses while
anyone else refers to it, as a recorder must. Replacing it has the same effect.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import Any, Callable, Iterator

import torch


@contextmanager
def replacing_conversions() -> Iterator[None]:
    original = torch.nn.Module._apply
    # Holds what it names, so that ids stay theirs; tied parameters stay tied.
    done: dict[tuple[int, int], tuple[Any, Any, Any]] = {}

    def converted(fn: Callable[[Any], Any], tensor: torch.Tensor) -> torch.Tensor:
        key = (id(tensor), id(fn))
        if key not in done:
            with torch.no_grad():
                result = fn(tensor)
            if isinstance(tensor, torch.nn.Parameter) and result is not tensor:
                result = torch.nn.Parameter(result, tensor.requires_grad)
            done[key] = (tensor, fn, result)
        return done[key][2]

    def apply(self: torch.nn.Module, fn: Callable[[Any], Any], recurse: bool = True):
        if recurse:
            for child in self.children():
                child._apply(fn)
        for tensors in (self._parameters, self._buffers):
            for name, tensor in tensors.items():
                if tensor is not None:
                    tensors[name] = converted(fn, tensor)
        return self

    torch.nn.Module._apply = apply
    try:
        yield
    finally:
        torch.nn.Module._apply = original
