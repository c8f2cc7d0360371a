"""Parts that torch.export keeps as graphs of their own, put back in line where nothing is lost."""

from __future__ import annotations

import operator
from typing import Any

import torch

_PARTS_LIMIT = 10_000


def _part(node: torch.fx.Node) -> tuple[torch.fx.Node, tuple] | None:
    """A part without an effect on values: its graph's attribute and what it is given.

    Gradients are off anyhow; autocast counts for the CPU alone, where all is captured.
    """
    name = getattr(node.target, "__name__", "")
    if name == "wrap_with_set_grad_enabled":
        return node.args[1], node.args[2:]
    if name == "wrap_with_autocast":
        device, _, enabled, _, part, *given = node.args
        if device != "cpu" or not enabled:
            return part, tuple(given)
    return None


def _put_in_line(graph: torch.fx.Graph, node: torch.fx.Node, part: Any, given: tuple) -> None:
    inner = part.graph
    placeholders = [n for n in inner.nodes if n.op == "placeholder"]
    known: dict[torch.fx.Node, Any] = dict(zip(placeholders, given))
    with graph.inserting_before(node):
        for one in inner.nodes:
            if one.op == "get_attr":
                # A part within a part: its owner must find it from here.
                name = f"{node.name}_{one.target}".replace(".", "_")
                setattr(graph.owning_module, name, getattr(part, one.target))
                known[one] = graph.get_attr(name)
            elif one.op == "call_function":
                known[one] = graph.node_copy(one, lambda n: known[n])
        result = next(n for n in inner.nodes if n.op == "output").args[0]
    result = torch.fx.map_arg(result, lambda n: known[n])
    for user in list(node.users):
        if user.target is operator.getitem:
            user.replace_all_uses_with(result[user.args[1]])
            graph.erase_node(user)
    if node.users:
        node.replace_all_uses_with(result)
    graph.erase_node(node)


def put_in_line(program: torch.export.ExportedProgram) -> None:
    graph = program.graph
    for _ in range(_PARTS_LIMIT):
        found = next(((n, p) for n in graph.nodes if n.op == "call_function" and (p := _part(n))),
                     None)
        if found is None:
            break
        node, (attribute, given) = found
        _put_in_line(graph, node, getattr(program.graph_module, attribute.target), given)
    for node in list(graph.nodes):
        if node.op == "get_attr" and not node.users:
            graph.erase_node(node)
