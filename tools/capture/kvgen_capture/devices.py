"""Lets modules that name a GPU be captured where there is none: everything is made on the CPU."""

from __future__ import annotations

from typing import Any

import torch
from torch.overrides import TorchFunctionMode



def _is_gpu(value: Any) -> bool:
    if isinstance(value, torch.device):
        return value.type == "cuda"
    return isinstance(value, str) and (value == "cuda" or value.startswith("cuda:"))


class OnCpu(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):  # noqa: ANN001
        kwargs = dict(kwargs or {})
        if func is torch.Tensor.cuda:
            return args[0]
        if _is_gpu(kwargs.get("device")):
            kwargs["device"] = "cpu"
        if func is torch.Tensor.to:
            args = tuple("cpu" if _is_gpu(a) else a for a in args)
        return func(*args, **kwargs)
