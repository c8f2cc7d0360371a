"""Forwards whose course depends on values: traced once on real ones, every choice as it fell."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Iterator

import torch
import torch.utils._pytree as pytree
from torch.export.graph_signature import InputKind, OutputKind
from torch.fx.experimental.proxy_tensor import make_fx

from .build import SEED, Built
from .errors import CaptureError


@dataclass
class _Argument:
    name: str


@dataclass
class _Input:
    kind: InputKind
    arg: _Argument
    target: str | None = None


@dataclass
class _Output:
    kind: OutputKind = OutputKind.USER_OUTPUT


@dataclass
class _Signature:
    input_specs: list[_Input] = field(default_factory=list)
    output_specs: list[_Output] = field(default_factory=list)


@dataclass
class Traced:
    """What kvgen reads of an exported program."""

    graph_module: torch.fx.GraphModule
    graph_signature: _Signature
    constants: dict[str, torch.Tensor]

    @property
    def graph(self) -> torch.fx.Graph:
        return self.graph_module.graph


@contextmanager
def _no_autocast() -> Iterator[None]:
    """What it casts lies below what is traced, and would be lost."""
    enter = torch.autocast.__enter__

    def refused(self: torch.autocast) -> Any:
        if self._enabled and self.device == "cpu":
            raise CaptureError("forward uses autocast on the CPU; write its conversions out")
        return enter(self)

    torch.autocast.__enter__ = refused
    try:
        yield
    finally:
        torch.autocast.__enter__ = enter


def traced(built: Built) -> Traced:
    """`built` holds real tensors."""
    model = built.model
    # Tied tensors have several names and are one.
    state = {**dict(model.named_parameters()), **dict(model.named_buffers())}
    kept = {name: value.detach().clone() for name, value in state.items()}
    leaves, form = pytree.tree_flatten(built.inputs)
    def forward(values: list[Any], fed: list[Any]) -> list[Any]:
        inputs = pytree.tree_unflatten(fed, form)
        result = torch.func.functional_call(
            model, dict(zip(state, values)), inputs.args, inputs.kwargs
        )
        return pytree.tree_leaves(result)

    torch.manual_seed(SEED)
    with torch.no_grad(), _no_autocast():
        module = make_fx(forward, tracing_mode="real", pre_dispatch=True,
                         _error_on_data_dependent_ops=False)(
            [v.detach().clone() for v in kept.values()],
            [v.clone() if isinstance(v, torch.Tensor) else v for v in leaves],
        )
    return _as_program(module, built, list(state))


def _as_program(module: torch.fx.GraphModule, built: Built, names: list[str]) -> Traced:
    graph, signature = module.graph, _Signature()
    parameters = dict(built.model.named_parameters())
    placeholders = [n for n in graph.nodes if n.op == "placeholder"]
    for name, node in zip(names, placeholders):
        kind = InputKind.PARAMETER if name in parameters else InputKind.BUFFER
        signature.input_specs.append(_Input(kind, _Argument(node.name), name))
    for node in placeholders[len(names):]:
        signature.input_specs.append(_Input(InputKind.USER_INPUT, _Argument(node.name)))
    constants: dict[str, torch.Tensor] = {}
    first = next(iter(graph.nodes))
    known: dict[str, torch.fx.Node] = {}
    for node in [n for n in graph.nodes if n.op == "get_attr"]:
        value = getattr(module, node.target)
        if not isinstance(value, torch.Tensor):
            continue
        if node.target not in known:
            with graph.inserting_before(first):
                known[node.target] = graph.placeholder(f"constant_{len(known)}")
            known[node.target].meta["val"] = value
            constants[node.target] = value
            signature.input_specs.append(
                _Input(InputKind.CONSTANT_TENSOR, _Argument(known[node.target].name), node.target))
        node.replace_all_uses_with(known[node.target])
        graph.erase_node(node)
    # What only asked for a value has had its answer.
    graph.eliminate_dead_code(is_impure_node=lambda n: not _pure(n))
    output = next(n for n in graph.nodes if n.op == "output")
    signature.output_specs = [_Output() for _ in output.args[0]]
    return Traced(module, signature, constants)


def _pure(node: torch.fx.Node) -> bool:
    if node.op != "call_function":
        return False
    target = node.target
    return not isinstance(target, torch._ops.OpOverload) or not (
        target._schema.is_mutable or torch.Tag.nondeterministic_seeded in target.tags
    )
