"""Lets modules that name a GPU be captured where there is none: everything is made on the CPU.

What is marked for torch.compile or torch.jit.script is taken as it is written.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.overrides import TorchFunctionMode


def _is_gpu(value: Any) -> bool:
    if isinstance(value, torch.device):
        return value.type == "cuda"
    return isinstance(value, str) and (value == "cuda" or value.startswith("cuda:"))


def _as_written(model: Any = None, *_more: Any, **_options: Any) -> Any:
    return (lambda given: given) if model is None else model


class OnCpu(TorchFunctionMode):
    def __enter__(self) -> OnCpu:
        self._compile, torch.compile = torch.compile, _as_written
        self._script, torch.jit.script = torch.jit.script, _as_written
        return super().__enter__()

    def __exit__(self, *raised: Any) -> None:
        torch.compile, torch.jit.script = self._compile, self._script
        super().__exit__(*raised)

    def __torch_function__(self, func, types, args=(), kwargs=None):  # noqa: ANN001
        kwargs = dict(kwargs or {})
        if func is torch.Tensor.cuda:
            return args[0]
        if _is_gpu(kwargs.get("device")):
            kwargs["device"] = "cpu"
        if func is torch.Tensor.to:
            args = tuple("cpu" if _is_gpu(a) else a for a in args)
        return func(*args, **kwargs)
