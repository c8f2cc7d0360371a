"""Makes a task's model and inputs on fake tensors, and records how they were made."""

from __future__ import annotations

import inspect
import types
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, Callable, NamedTuple

import torch
import torch.utils._pytree as pytree
from torch._subclasses.fake_tensor import DataDependentOutputException, FakeTensorMode

from . import encode
from .convert import replacing_conversions
from .errors import CaptureError, explain, one_line
from .record import Recorder

SEED = 7


MODES = ("as_written", "eval", "train")
DTYPES = ("", "bfloat16", "float16")


@dataclass(frozen=True)
class Options:
    """What is captured of a file: `mode` and `dtype` say what the module is turned into first."""

    entry: str = "Model"
    mode: str = "as_written"
    dtype: str = ""  # "": as written; else floating weights and inputs are converted

    def changed(self) -> dict[str, str]:
        """What is not as written, for the task's record."""
        mode = "" if self.mode == "as_written" else self.mode
        return {k: v for k, v in (("mode", mode), ("dtype", self.dtype)) if v}

    def check(self) -> None:
        if self.mode not in MODES:
            raise CaptureError(f"the mode {self.mode!r} is none of {', '.join(MODES)}")
        if self.dtype not in DTYPES:
            raise CaptureError(f"the dtype {self.dtype!r} is neither bfloat16 nor float16")


class Inputs(NamedTuple):
    """What forward is given."""

    args: tuple
    kwargs: dict[str, Any]

    def into(self, model: torch.nn.Module) -> Any:
        return model(*self.args, **self.kwargs)


@dataclass
class Built:
    model: torch.nn.Module
    inputs: Inputs
    init_program: Recorder
    input_program: Recorder
    init_arguments: dict[str, Any]  # scalars given to Model.__init__, by parameter name
    forward_arguments: list[tuple[str, Any]]  # leaves of forward's arguments, named


def init_inputs(module: types.ModuleType) -> tuple[list, dict]:
    given = module.get_init_inputs() if hasattr(module, "get_init_inputs") else []
    return _arguments(given, "get_init_inputs")


def _arguments(given: Any, whose: str) -> tuple[list, dict]:
    """A list, a dictionary of keywords, or [list, dictionary]."""
    if isinstance(given, dict):
        return [], given
    if not isinstance(given, (list, tuple)):
        raise CaptureError(
            f"{whose} returns a {type(given).__name__}; it must return a list or a dictionary"
        )
    given = list(given)
    if len(given) == 2 and isinstance(given[0], (list, tuple)) and isinstance(given[1], dict):
        return list(given[0]), given[1]
    return given, {}


class Function(torch.nn.Module):
    """A reference that is a function: what would be weights are inputs of it."""

    def __init__(self, function: Callable[..., Any]):
        super().__init__()
        self.forward = function


def make_model(
    module: types.ModuleType, options: Options
) -> tuple[torch.nn.Module, dict[str, Any]]:
    entry = module.__kvgen_entry__
    model_class = getattr(module, entry)
    if not isinstance(model_class, type):
        return Function(model_class), {}
    args, kwargs = init_inputs(module)
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
    model = _with_registered_tensors(model_class(*args, **kwargs))
    if options.mode != "as_written":
        model.train(options.mode == "train")
    return (model.to(getattr(torch, options.dtype)) if options.dtype else model), scalars


def _with_registered_tensors(model: torch.nn.Module) -> torch.nn.Module:
    # Export refuses plain tensor attributes; as buffers they are state like any other.
    for part in model.modules():
        for name, value in list(part.__dict__.items()):
            if isinstance(value, torch.Tensor):
                del part.__dict__[name]
                part.register_buffer(name, value)
            elif isinstance(value, (list, tuple)) and value and name[:1] != "_" and all(
                isinstance(one, torch.Tensor) for one in value
            ):
                part.__dict__[name] = Registered(part, name, list(value))
    return model


class Registered(Sequence):
    """A list of a module's tensors as buffers of it."""

    def __init__(self, part: torch.nn.Module, name: str, tensors: list[torch.Tensor]):
        self._part = part
        self._names = [f"{name}_{index}" for index in range(len(tensors))]
        for own, tensor in zip(self._names, tensors):
            part.register_buffer(own, tensor)

    def __getitem__(self, index: Any) -> Any:
        found = self._names[index]
        if isinstance(index, slice):
            return [getattr(self._part, name) for name in found]
        return getattr(self._part, found)

    def __len__(self) -> int:
        return len(self._names)


def make_inputs(module: types.ModuleType, options: Options) -> Inputs:
    args, kwargs = _arguments(module.get_inputs(), "get_inputs")
    dtype = getattr(torch, options.dtype) if options.dtype else None

    def at_the_boundary(value: Any) -> Any:
        """Contiguous, whatever view made it."""
        if not isinstance(value, torch.Tensor):
            return value
        if dtype is not None and value.is_floating_point():
            value = value.to(dtype)
        return value.contiguous()

    args, kwargs = pytree.tree_map(at_the_boundary, (args, kwargs))
    return Inputs(tuple(args), kwargs)


def _bound(model: torch.nn.Module, inputs: Inputs, filename: str) -> inspect.BoundArguments:
    try:
        return inspect.signature(model.forward).bind(*inputs.args, **inputs.kwargs)
    except TypeError as error:
        raise CaptureError(
            f"{filename}: get_inputs does not fit Model.forward: {one_line(error)}"
        ) from None


def _in_order(model: torch.nn.Module, inputs: Inputs, filename: str) -> Inputs:
    """Keywords that may go by position do, and the others in forward's order."""
    bound = _bound(model, inputs, filename)
    return Inputs(bound.args, bound.kwargs)


def forward_leaves(
    model: torch.nn.Module, inputs: Inputs, filename: str
) -> list[tuple[str, Any]]:
    """forward's arguments flattened as torch does, each named after its parameter."""
    bound = _bound(model, inputs, filename)
    leaves: list[tuple[str, Any]] = []
    kinds = inspect.signature(model.forward).parameters
    for name, value in bound.arguments.items():
        if kinds[name].kind is inspect.Parameter.VAR_POSITIONAL:
            values = [(f"{name}{i}", item) for i, item in enumerate(value)]
        elif kinds[name].kind is inspect.Parameter.VAR_KEYWORD:
            values = list(value.items())
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


def build(
    module: types.ModuleType,
    options: Options,
    filename: str,
    on_real: bool = False,
    seed: int = SEED,
) -> Built:
    """On fake tensors; with real ones only where the module cannot be made of them."""
    if on_real:
        return _build(module, options, filename, None, seed)
    try:
        return _build(module, options, filename, FakeTensorMode(allow_non_fake_inputs=True), seed)
    except DataDependentOutputException:
        return _build(module, options, filename, None, seed)
    except CaptureError as error:
        # Lazy parts and some subclasses of tensors cannot be made of fake ones.
        if "FakeTensor" not in error.message:
            raise
        return _build(module, options, filename, None, seed)


def _build(
    module: types.ModuleType,
    options: Options,
    filename: str,
    fake: FakeTensorMode | None,
    seed: int,
) -> Built:
    def step(doing: str, make: Callable[[], Any]) -> tuple[Any, Recorder]:
        try:
            torch.manual_seed(seed)
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

    (model, scalars), init_program = step("making the model", lambda: make_model(module, options))
    inputs, input_program = step("making the inputs", lambda: make_inputs(module, options))
    inputs = _in_order(model, inputs, filename)
    leaves = forward_leaves(model, inputs, filename)
    for name, leaf in leaves:
        if isinstance(leaf, torch.Tensor) and encode.meta(leaf) is None:
            raise CaptureError(f"{filename}: the input {name} has the type {leaf.dtype}")
        if not isinstance(leaf, (torch.Tensor, bool, int, float, str, type(None))):
            raise CaptureError(f"{filename}: the input {name} is a {type(leaf).__name__}")
    return Built(model, inputs, init_program, input_program, scalars, leaves)
