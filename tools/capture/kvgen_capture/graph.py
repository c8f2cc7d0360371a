"""An exported program as kvgen's graph: a straight line of ATen calls with named ends."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensor
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind, OutputKind

from . import encode
from .build import Built
from .errors import CaptureError, PartOfItsOwn
from .inline import put_in_line
from .names import Names
from .record import constant

Json = Any

_ROLES = {
    InputKind.PARAMETER: "parameter",
    InputKind.BUFFER: "buffer",
    InputKind.CONSTANT_TENSOR: "constant",
    InputKind.USER_INPUT: "input",
}


@dataclass
class Call:
    """A call of the graph with what only Python knows of it: the schema."""

    schema: torch._C.FunctionSchema
    json: Json


@dataclass
class Captured:
    graph: Json
    calls: list[Call]
    names: Names
    state: list[tuple[str, str]] = field(default_factory=list)  # (name here, name in the module)
    fed: list[tuple[str, int]] = field(default_factory=list)  # (name here, index of the leaf)
    constants: list[Json] = field(default_factory=list)  # named; ids are of the init program
    constant_names: list[str] = field(default_factory=list)
    scalar_names: dict[str, str] = field(default_factory=dict)  # of forward -> its name here
    unused: list[str] = field(default_factory=list)
    random: bool = False

    def roundoff(self) -> float:
        """Of the coarsest floating type among inputs and results."""
        described = [entry["spec"] for entry in self.graph["inputs"]]
        described += [meta for call in self.calls for meta in call.json["meta"] if meta]
        types = (getattr(torch, one["dtype"]) for one in described)
        return max((torch.finfo(t).eps / 2 for t in types if t.is_floating_point), default=0.0)


class _Walk:
    def __init__(self, program: ExportedProgram, built: Built):
        self.program, self.built = program, built
        self.names = Names()
        self.ids: dict[str, int] = {}
        self.lists: dict[str, list] = {}  # call with several results -> its "out"
        self.base: dict[int, int] = {}  # value -> the value whose memory it shares
        self.list_base: dict[str, int] = {}  # the same for calls with several results
        self.written: set[int] = set()
        self.inputs: list[Json] = []
        self.scalars: list[Json] = []
        self.out = Captured({}, [], self.names)

    def new(self, node: torch.fx.Node) -> int:
        self.ids[node.name] = identity = len(self.ids)
        return identity

    def id_of(self, node: torch.fx.Node) -> int:
        if node.name not in self.ids:
            raise CaptureError("the graph uses a list of tensors as a value")
        return self.ids[node.name]

    def boundary(self) -> None:
        placeholders = {n.name: n for n in self.program.graph.nodes if n.op == "placeholder"}
        leaves = iter(enumerate(self.built.forward_arguments))
        specs = self.program.graph_signature.input_specs
        rows = []
        for spec in specs:
            if spec.kind not in _ROLES:
                raise CaptureError(f"the graph takes a {spec.kind.name.lower()}, not a tensor")
            index, name = -1, spec.target or ""
            if spec.kind is InputKind.USER_INPUT:
                index, (name, _) = next(leaves)
            rows.append((spec, index, name))
        # State first: where an input has the name of a parameter, the input is renamed.
        rows.sort(key=lambda row: row[0].kind is InputKind.USER_INPUT)
        for spec, index, name in rows:
            node = placeholders[spec.arg.name]
            value = node.meta.get("val")
            if isinstance(value, torch.Tensor):
                self._tensor(spec, node, index, name, value)
            else:
                self.new(node)
                self._scalar(name, value)

    def _tensor(self, spec, node, index: int, name: str, value: torch.Tensor) -> None:
        role = _ROLES[spec.kind]
        described = encode.meta(value)
        if described is None:
            raise CaptureError(f"the {role} {name} has the type {value.dtype}")
        own = self.names.tensor(name or node.name, role)
        identity = self.new(node)
        self.inputs.append({"id": identity, "spec": {"name": own, "role": role, **described}})
        if not node.users:
            self.out.unused.append(own)
        if role == "input":
            self.out.fed.append((own, index))
        elif role == "constant":
            if isinstance(self.program.constants[spec.target], FakeTensor):
                raise PartOfItsOwn("forward uses a tensor that is neither parameter nor buffer")
            self.out.constant_names.append(own)
            self.out.constants.append(constant(identity, self.program.constants[spec.target]))
        else:
            self.out.state.append((own, spec.target))

    def _scalar(self, name: str, value: object) -> None:
        own = self.names.tensor(name, "argument")
        self.out.scalar_names[name] = own
        self.scalars.append({"name": own, "value": encode.argument(value, self.id_of)})

    def call(self, node: torch.fx.Node) -> None:
        target = node.target
        if getattr(target, "__name__", "") == "getitem" and not isinstance(
            target, torch._ops.OpOverload
        ):
            self._item(node)
            return
        if not isinstance(target, torch._ops.OpOverload):
            raise CaptureError(f"the graph calls {target}, which is not a tensor operator")
        if not target._schema.name.startswith("aten::"):
            raise CaptureError(f"the graph calls {target._schema.name}, not an operator of torch")
        args = [encode.argument(a, self.id_of) for a in node.args]
        kwargs = {k: encode.argument(v, self.id_of) for k, v in node.kwargs.items()}
        value = node.meta.get("val")
        if not node.users and not _has_tensors(target._schema):
            return
        outs: list = []
        if isinstance(value, (tuple, list)):
            outs = [None] * len(value)
            self.lists[node.name] = outs
            metas = [encode.meta(v) for v in value]
        elif value is None and not node.users:
            metas = []
        else:
            outs = [self.new(node)]
            metas = [encode.meta(value)]
        json = encode.node(target, args, kwargs, outs, metas)
        self.out.calls.append(Call(target._schema, json))
        self._aliases(node, target._schema, outs)
        if torch.Tag.nondeterministic_seeded in target.tags:
            self.out.random |= _draws(target._schema, node)

    def _item(self, node: torch.fx.Node) -> None:
        source, index = node.args
        outs = self.lists.get(source.name)
        if outs is None:
            raise CaptureError("the graph takes an item of something that is not a list")
        if outs[index] is None:
            outs[index] = self.new(node)
        self.ids[node.name] = outs[index]
        if source.name in self.list_base:
            self.base[outs[index]] = self.list_base[source.name]

    def _aliases(self, node: torch.fx.Node, schema, outs: list) -> None:
        """Follows views, so that a write through a view counts for what it views."""
        given = _by_argument(schema, node)
        for described, value in given:
            if not isinstance(value, torch.fx.Node):
                continue
            root = self._root(self.id_of(value))
            alias = described.alias_info
            if alias is not None and alias.is_write or _writes_statistics(schema, described, given):
                self.written.add(root)
            if alias is not None and len(schema.returns) > 0:
                for out in outs:
                    if out is not None:
                        self.base[out] = root
                if node.name in self.lists:
                    self.list_base[node.name] = root

    def _root(self, identity: int) -> int:
        while self.base.get(identity, identity) != identity:
            identity = self.base[identity]
        return identity

    def results(self) -> None:
        node = next(n for n in self.program.graph.nodes if n.op == "output")
        outputs = []
        given: list[torch.fx.Node] = []
        for index, (spec, value) in enumerate(
            zip(self.program.graph_signature.output_specs, node.args[0])
        ):
            if spec.kind is not OutputKind.USER_OUTPUT:
                raise CaptureError(f"the graph returns a {spec.kind.name.lower()}")
            if value is None:
                self.names.notes.append(f"forward returns None as output {index}; it is left out")
                continue
            if not isinstance(value, torch.fx.Node) or not isinstance(
                value.meta.get("val"), torch.Tensor
            ):
                kind = type(value.meta.get("val") if hasattr(value, "meta") else value).__name__
                raise CaptureError(
                    f"forward returns a {kind} (output {index}); only tensors, or tuples, lists "
                    "and dictionaries of tensors, can be judged"
                )
            given.append(value)
        if not given and not self.written:
            raise CaptureError("forward returns no tensor")
        for index, value in enumerate(given):
            described = encode.meta(value.meta["val"])
            name = "out" if len(given) == 1 else f"out{index}"
            if described is None:
                raise CaptureError(f"the output {name} has the type {value.meta['val'].dtype}")
            spec = {"name": self.names.output(name), "role": "output", **described}
            outputs.append({"id": self.id_of(value), "spec": spec})
        for entry in self.inputs:
            if entry["id"] in self.written:
                spec = {**entry["spec"], "role": "in_place"}
                spec["name"] = self.names.output(spec["name"] + ".out")
                outputs.append({"id": entry["id"], "spec": spec})
        self.out.graph = {
            "inputs": self.inputs,
            "scalars": self.scalars,
            "nodes": [call.json for call in self.out.calls],
            "outputs": outputs,
        }


def _has_tensors(schema) -> bool:
    """What has none (promote_types) was asked for a constant, which stands where it is used."""
    return any("Tensor" in str(one.type) for one in [*schema.arguments, *schema.returns])


def _by_argument(schema, node: torch.fx.Node) -> list[tuple[Any, Any]]:
    by_name = {a.name: a for a in schema.arguments}
    pairs = list(zip(schema.arguments, node.args))
    return pairs + [(by_name[k], v) for k, v in node.kwargs.items()]


def _value_of(given: list[tuple[Any, Any]], name: str) -> Any:
    return next((value for described, value in given if described.name == name), None)


def _writes_statistics(schema, described, given: list[tuple[Any, Any]]) -> bool:
    """Normalisations update their running statistics though their schema does not say so."""
    if described.name not in ("running_mean", "running_var"):
        return False
    return bool(_value_of(given, "training") or _value_of(given, "use_input_stats"))


def _draws(schema, node: torch.fx.Node) -> bool:
    """Whether a random operator is switched on: dropout with p = 0 or in eval mode is not."""
    values = {a.name: a.default_value for a in schema.arguments}
    values.update({described.name: value for described, value in _by_argument(schema, node)})
    probability = next((values[k] for k in ("p", "dropout_p", "dropout") if k in values), None)
    training = next((values[k] for k in ("train", "training") if k in values), True)
    return bool(training) and probability != 0


def graph_of(program: ExportedProgram, built: Built) -> Captured:
    put_in_line(program)
    walk = _Walk(program, built)
    walk.boundary()
    for node in program.graph.nodes:
        if node.op == "call_function":
            walk.call(node)
        elif node.op not in ("placeholder", "output"):
            raise PartOfItsOwn(
                "forward has a part that torch.export keeps as a graph of its own (autocast on "
                "the CPU, torch.cond and its kin); write it without"
            )
    walk.results()
    return walk.out
