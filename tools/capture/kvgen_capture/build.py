"""Makes a task's model and inputs on fake tensors, and records how they were made."""

from __future__ import annotations

import inspect
import types
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, Callable

import torch
import torch.utils._pytree as pytree
from torch._subclasses.fake_tensor import DataDependentOutputException, FakeTensorMode

from . import encode
from .convert import replacing_conversions
from .errors import CaptureError, explain, one_line
from .record import Recorder

SEED = 7


@dataclass
class Built:
    model: torch.nn.Module
    inputs: tuple
    init_program: Recorder
    input_program: Recorder
    init_arguments: dict[str, Any]  # scalars given to Model.__init__, by parameter name
    forward_arguments: list[tuple[str, Any]]  # leaves of forward's arguments, named


def init_inputs(module: types.ModuleType) -> tuple[list, dict]:
    """Arguments for Model: a list, a dictionary, or [list, dictionary]."""
    given = module.get_init_inputs() if hasattr(module, "get_init_inputs") else []
    if isinstance(given, dict):
        return [], given
    if not isinstance(given, (list, tuple)):
        raise CaptureError(
            f"get_init_inputs returns a {type(given).__name__}; it must return a list"
        )
    given = list(given)
    if len(given) == 2 and isinstance(given[0], (list, tuple)) and isinstance(given[1], dict):
        return list(given[0]), given[1]
    return given, {}


def make_model(module: types.ModuleType, entry: str) -> tuple[torch.nn.Module, dict[str, Any]]:
    args, kwargs = init_inputs(module)
    model_class = getattr(module, entry)
    scalars: dict[str, Any] = {}
    try:
        bound = inspect.signature(model_class.__init__).bind(None, *args, **kwargs)
        bound.apply_defaults()
        for name, value in list(bound.arguments.items())[1:]:
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                scalars[name] = value
    except TypeError as error:
        raise CaptureError(
            f"get_init_inputs does not fit {entry}.__init__: {one_line(error)}"
        ) from None
    return _with_registered_tensors(model_class(*args, **kwargs)), scalars


def _with_registered_tensors(model: torch.nn.Module) -> torch.nn.Module:
    # Export refuses plain tensor attributes; as buffers they are state like any other.
    for part in model.modules():
        for name, value in list(part.__dict__.items()):
            if isinstance(value, torch.Tensor):
                del part.__dict__[name]
                part.register_buffer(name, value)
    return model


def make_inputs(module: types.ModuleType) -> tuple:
    given = module.get_inputs()
    if not isinstance(given, (list, tuple)):
        raise CaptureError(f"get_inputs returns a {type(given).__name__}; it must return a list")
    # Tensors at a task's boundary are contiguous, whatever view made them.
    return tuple(
        pytree.tree_map(lambda v: v.contiguous() if isinstance(v, torch.Tensor) else v, v)
        for v in given
    )


def forward_leaves(
    model: torch.nn.Module, inputs: tuple, filename: str
) -> list[tuple[str, Any]]:
    """forward's arguments flattened as torch does, each named after its parameter."""
    try:
        bound = inspect.signature(model.forward).bind(*inputs)
    except TypeError as error:
        raise CaptureError(
            f"{filename}: get_inputs does not fit Model.forward: {one_line(error)}"
        ) from None
    leaves: list[tuple[str, Any]] = []
    kinds = inspect.signature(model.forward).parameters
    for name, value in bound.arguments.items():
        if kinds[name].kind is inspect.Parameter.VAR_POSITIONAL:
            values = [(f"{name}{i}", item) for i, item in enumerate(value)]
        else:
            values = [(name, value)]
        for one, item in values:
            for path, leaf in pytree.tree_flatten_with_path(item)[0]:
                leaves.append((one + "".join(f".{_key(step)}" for step in path), leaf))
    return leaves


def _key(step: Any) -> str:
    for attribute in ("key", "idx", "name"):
        if hasattr(step, attribute):
            return str(getattr(step, attribute))
    return str(step)


def _recorded(make: Callable[[], Any], fake: FakeTensorMode | None) -> tuple[Any, Recorder]:
    recorder = Recorder()
    with ExitStack() as modes:
        if fake is not None:
            modes.enter_context(replacing_conversions())
            modes.enter_context(fake)
        modes.enter_context(recorder)
        return make(), recorder


def build(module: types.ModuleType, entry: str, filename: str) -> Built:
    """On fake tensors; with real ones only where the module reads values while it is made."""
    try:
        return _build(module, entry, filename, FakeTensorMode(allow_non_fake_inputs=True))
    except DataDependentOutputException:
        return _build(module, entry, filename, None)


def _build(
    module: types.ModuleType, entry: str, filename: str, fake: FakeTensorMode | None
) -> Built:
    def step(doing: str, make: Callable[[], Any]) -> tuple[Any, Recorder]:
        try:
            torch.manual_seed(SEED)
            return _recorded(make, fake)
        except DataDependentOutputException as error:
            if fake is not None:
                raise
            raise explain(error, filename, doing) from None
        except BaseException as error:
            told = explain(error, filename, doing)
            if not told.message.startswith(filename):
                told.message = f"{filename}: {told.message}"
            raise told from None

    (model, scalars), init_program = step("making the model", lambda: make_model(module, entry))
    inputs, input_program = step("making the inputs", lambda: make_inputs(module))
    leaves = forward_leaves(model, inputs, filename)
    for name, leaf in leaves:
        if isinstance(leaf, torch.Tensor) and encode.meta(leaf) is None:
            raise CaptureError(f"{filename}: the input {name} has the type {leaf.dtype}")
        if not isinstance(leaf, (torch.Tensor, bool, int, float, str, type(None))):
            raise CaptureError(f"{filename}: the input {name} is a {type(leaf).__name__}")
    return Built(model, inputs, init_program, input_program, scalars, leaves)
