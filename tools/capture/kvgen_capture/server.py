"""The worker: one warm Python, a fork of it for each file, frames on descriptor 3."""

from __future__ import annotations

import gc
import os
import socket
import warnings
from typing import Any

from . import child, frames
from .errors import CaptureError

_SOCKET = 3
_DEFAULT_SECONDS = 120
_DEFAULT_MEMORY = 6 << 30

_WARM_UP = """
import torch
import torch.nn as nn

class Model(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.first = nn.Linear(size, size)
        self.norm = nn.LayerNorm(size)

    def forward(self, x):
        return torch.relu(self.norm(self.first(x)))

rows = 64

def get_inputs():
    return [torch.rand(rows, 4096)]

def get_init_inputs():
    return [4096]
"""


def _text(body: Any, key: str, default: str | None = None) -> str:
    value = body.get(key, default)
    if not isinstance(value, str):
        raise CaptureError(f"the request's {key} must be text")
    return value


def _number(body: Any, key: str, default: int, most: int) -> int:
    value = body.get(key, default)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 < value <= most:
        raise CaptureError(f"the request's {key} must be a number from 1 to {most}")
    return value


def _budget(body: Any, name: str, default: Any) -> Any:
    from .shrink import Budget

    given = body.get(name)
    if given is None:
        return default
    if not isinstance(given, dict):
        raise CaptureError(f"the request's {name} must be an object")
    return Budget(
        _number(given, "elements", default.elements, 1 << 40),
        _number(given, "flops", default.flops, 1 << 60),
    )


def _capture(body: Any) -> Any:
    from . import task
    from .build import Options
    from .shrink import SMALL, TINY

    text, filename = _text(body, "source"), _text(body, "filename")
    options = Options(_text(body, "entry", "Model"), _text(body, "mode", "as_written"),
                      _text(body, "dtype", ""))
    small, tiny = _budget(body, "small", SMALL), _budget(body, "tiny", TINY)
    seconds = _number(body, "seconds", _DEFAULT_SECONDS, 3600)
    memory = _number(body, "memory", _DEFAULT_MEMORY, 1 << 50)

    def work(_have: list[str]) -> Any:
        captured, spent = task.capture(text, filename, options, small, tiny)
        return {**captured, "seconds": spent}

    return child.run(work, filename, seconds, memory)


def _answer(request: Any, hello: Any) -> Any:
    if not isinstance(request, dict):
        return frames.failure("invalid", "a request must be an object")
    op, body = request.get("op"), request.get("body") or {}
    try:
        if op == "ping":
            return frames.success({"pid": os.getpid(), "hello": hello})
        if op == "capture":
            return frames.success(_capture(body))
    except CaptureError as error:
        return frames.failure(error.code, error.message, error.retryable)
    except OSError as error:
        return frames.failure("internal", f"capture cannot start a process: {error}", True)
    return frames.failure("invalid", f"unknown op {op!r}")


def warm() -> Any:
    """The first export takes seconds; every child starts from after it."""
    warnings.filterwarnings("ignore")
    import torch

    from . import task

    # A process with a pool of threads must not fork.
    torch.set_num_threads(1)
    task.capture(_WARM_UP, "warm_up.py")
    have = child.run(lambda parts: parts, "the sandbox's probe", 10, _DEFAULT_MEMORY)
    gc.collect()
    gc.freeze()
    return {**task.versions(), "sandbox": have}


def serve() -> int:
    # Whatever prints must not meet the frames.
    os.dup2(2, 1)
    hello = warm()
    with socket.socket(fileno=_SOCKET) as sock:
        sock.setblocking(True)
        while True:
            try:
                request = frames.read(sock)
            except frames.Broken:
                return 1
            if request is None:
                return 0
            frames.write(sock, _answer(request, hello))
