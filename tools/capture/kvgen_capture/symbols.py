"""Names for the scalars of a graph, the same in every variant."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Iterator

from .graph import Call, Captured
from .names import Names

Json = Any
_RESERVED_SHAPES = frozenset({"size", "sizes", "shape", "normalized_shape", "output_size"})
_TOO_COMMON = (-1, 0, 1)


@dataclass(frozen=True)
class _Use:
    """An argument (by position or keyword) of a node, or an item of a list there."""

    node: int
    arg: int
    keyword: str
    item: int

    def json(self) -> Json:
        where: dict[str, Any] = {"node": self.node}
        where.update({"kw": self.keyword} if self.keyword else {"arg": self.arg})
        return where if self.item < 0 else {**where, "item": self.item}


@dataclass
class _Scalar:
    use: _Use
    argument: str  # "eps", "stride.0"
    op: str
    is_extent: bool  # an item of a shape: offered only where an init argument carries it
    values: list[Any] = field(default_factory=list)  # one a variant


def _number(value: Json) -> Any:
    if isinstance(value, dict) and set(value) == {"f"}:
        return float(value["f"])
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _arguments(call: Call) -> Iterator[tuple[int, str, str, Json]]:
    for index, value in enumerate(call.json["args"]):
        yield index, "", call.schema.arguments[index].name, value
    for keyword, value in call.json["kw"].items():
        yield -1, keyword, keyword, value


def _scalars(captured: Captured) -> list[_Scalar]:
    found = []
    for index, call in enumerate(captured.calls):
        op = call.json["op"].removeprefix("aten::").strip("_")
        for arg, keyword, name, value in _arguments(call):
            items = list(enumerate(value)) if isinstance(value, list) else [(-1, value)]
            for item, one in items:
                if _number(one) is None:
                    continue
                label = name if item < 0 else f"{name}.{item}"
                extent = name in _RESERVED_SHAPES
                use = _Use(index, arg, keyword, item)
                found.append(_Scalar(use, label, op, extent, [_number(one)]))
    return found


def _same(left: Any, right: Any) -> bool:
    return left == right and isinstance(left, float) == isinstance(right, float)


def _carrier(scalar: _Scalar, carriers: list[dict[str, Any]]) -> str | None:
    """The one init argument that has this value in every variant, if there is just one."""
    names = [
        name
        for name in carriers[0]
        if all(
            name in known and _same(known[name], value)
            for known, value in zip(carriers, scalar.values)
        )
    ]
    stem = scalar.argument.split(".")[0]
    related = [n for n in names if n in stem or stem in n]
    if len(related) == 1:
        return related[0]
    common = all(value in _TOO_COMMON for value in scalar.values)
    return names[0] if len(names) == 1 and not common else None


def symbols(variants: list[Captured], carriers: list[dict[str, Any]]) -> list[list[Json]]:
    """One list of symbols a variant. `carriers`: the scalars given to __init__ and forward.

    The variants make the same calls in the same order. A scalar of forward is a
    symbol even where the graph does not show it.
    """
    scalars = _scalars(variants[0])
    for other in variants[1:]:
        known = {s.use: s.values[0] for s in _scalars(other)}
        scalars = [s for s in scalars if s.use in known]
        for scalar in scalars:
            scalar.values.append(known[scalar.use])

    forward = {k: v for k, v in variants[0].scalar_names.items() if k in carriers[0]}
    named: dict[str, list[_Scalar]] = {}
    for scalar in scalars:
        carrier = _carrier(scalar, carriers)
        if carrier is not None and (carrier in forward or not Names.is_reserved(carrier)):
            named.setdefault(carrier, []).append(scalar)
        elif not scalar.is_extent:
            named.setdefault(_by_call(scalar, scalars), []).append(scalar)

    out: list[list[Json]] = [[] for _ in variants]

    def add(name: str, values: list[Any], uses: list[Json]) -> None:
        for rows, value in zip(out, values):
            rows.append({"name": name, "value": _encoded(value), "uses": uses})

    for scalar, name in forward.items():
        uses = [s.use.json() for s in named.pop(scalar, [])]
        add(name, [known[scalar] for known in carriers], uses)
    for wanted, group in named.items():
        uses = [s.use.json() for s in group]
        add(variants[0].names.symbol(wanted), group[0].values, uses)
    return out


def _encoded(value: Any) -> Json:
    finite = value == value and value not in (float("inf"), float("-inf"))
    return value if finite else {"f": repr(value)}


def _by_call(scalar: _Scalar, scalars: list[_Scalar]) -> str:
    nodes = sorted({s.use.node for s in scalars if s.op == scalar.op})
    if len(nodes) == 1:
        return f"{scalar.op}.{scalar.argument}"
    return f"{scalar.op}.{nodes.index(scalar.use.node)}.{scalar.argument}"
