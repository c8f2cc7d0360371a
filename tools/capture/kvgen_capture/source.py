"""A task file as text: its integer sites, and modules made from it with some of them replaced."""

from __future__ import annotations

import ast
import re
import sys
import types
from dataclasses import dataclass

from .errors import CaptureError, explain

_FACTORIES = ("get_inputs", "get_init_inputs")
_MODULE_NAME = "kvgen_task"
_FUNCTION = "module_fn"  # the reference where a file has no class


@dataclass(frozen=True)
class Site:
    """A maximal constant integer expression of the file's top level or of a factory."""

    line: int
    column: int
    value: int
    name: str  # of the variable it is assigned to, or ""

    @property
    def key(self) -> tuple[int, int]:
        return (self.line, self.column)

    @property
    def label(self) -> str:
        return f"{self.name or 'literal'}@{self.line}:{self.column}"


Mapping = dict[tuple[int, int], int]  # site key -> new value


def _constant(node: ast.AST) -> int | None:
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return node.value
    if not isinstance(node, ast.BinOp):
        return None
    left, right = _constant(node.left), _constant(node.right)
    if left is None or right is None:
        return None
    if isinstance(node.op, ast.Mult):
        return left * right
    if isinstance(node.op, ast.Add):
        return left + right
    if isinstance(node.op, ast.Sub):
        return left - right
    if isinstance(node.op, ast.FloorDiv) and right > 0:
        return left // right
    if isinstance(node.op, ast.Pow) and 0 <= right <= 40 and abs(left) <= 64:
        return left**right
    if isinstance(node.op, ast.LShift) and 0 <= right <= 40:
        return left << right
    return None


class _Sites(ast.NodeTransformer):
    def __init__(self, name: str, mapping: Mapping, found: list[Site]):
        self._name, self._mapping, self._found = name, mapping, found

    def visit(self, node: ast.AST) -> ast.AST:
        value = _constant(node)
        if value is not None and value > 0:
            site = Site(node.lineno, node.col_offset, value, self._name)
            self._found.append(site)
            if site.key not in self._mapping:
                return node
            return ast.copy_location(ast.Constant(self._mapping[site.key]), node)
        if isinstance(node, ast.Subscript):
            return node
        if isinstance(node, ast.keyword) and node.arg:
            inner = _Sites(node.arg, self._mapping, self._found)
            node.value = inner.visit(node.value)
            return node
        if isinstance(node, ast.Assign):
            return _assignment(node, self._mapping, self._found)
        return self.generic_visit(node)


def _assignment(node: ast.Assign, mapping: Mapping, found: list[Site]) -> ast.Assign:
    target = node.targets[0]
    if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
        pairs = zip(target.elts, node.value.elts)
        node.value.elts = [
            _Sites(ast.unparse(name), mapping, found).visit(value) for name, value in pairs
        ]
        return node
    name = ",".join(ast.unparse(t) for t in node.targets)
    node.value = _Sites(name, mapping, found).visit(node.value)
    return node


class Source:
    """A parsed task file. `filename` is what messages call it; nothing is read from disk."""

    def __init__(self, text: str, filename: str, entry: str = "Model"):
        self.text, self.filename, self.entry = text, filename, entry
        tree, self.sites = self._rewritten({})
        self.license = _license_of(text)
        defined = {n.name for n in tree.body if isinstance(n, (ast.ClassDef, ast.FunctionDef))}
        self._defined = defined
        self.dimension_names = {
            leaf.id
            for function in tree.body
            if isinstance(function, ast.FunctionDef) and function.name == "get_inputs"
            for leaf in ast.walk(function)
            if isinstance(leaf, ast.Name)
        }

    def _rewritten(self, mapping: Mapping) -> tuple[ast.Module, list[Site]]:
        try:
            tree = ast.parse(self.text, self.filename)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise explain(error, self.filename, "parsing") from None
        sites: list[Site] = []
        for index, statement in enumerate(tree.body):
            if isinstance(statement, ast.Assign):
                tree.body[index] = _assignment(statement, mapping, sites)
            elif isinstance(statement, ast.FunctionDef) and statement.name in _FACTORIES:
                statement.body = [_Sites("", mapping, sites).visit(s) for s in statement.body]
        return tree, sites

    def load(self, mapping: Mapping | None = None) -> types.ModuleType:
        """Executes the file, some integers replaced, as a fresh module."""
        tree, _ = self._rewritten(mapping or {})
        module = types.ModuleType(_MODULE_NAME)
        module.__file__ = self.filename
        sys.modules[_MODULE_NAME] = module
        try:
            code = compile(ast.fix_missing_locations(tree), self.filename, "exec")
            exec(code, module.__dict__)
        except BaseException as error:
            raise explain(error, self.filename, "importing it") from None
        self._require(module)
        return module

    def _require(self, module: types.ModuleType) -> None:
        if self.entry == "Model" and not hasattr(module, self.entry) and hasattr(module, _FUNCTION):
            self.entry = _FUNCTION
        module.__kvgen_entry__ = self.entry
        model = getattr(module, self.entry, None)
        if model is None:
            classes = sorted(k for k, v in vars(module).items() if _is_module_class(v))
            hint = f"; it defines {', '.join(classes)}" if classes else ""
            raise CaptureError(f"{self.filename}: has no class {self.entry}{hint}")
        if not _is_module_class(model) and not isinstance(model, types.FunctionType):
            raise CaptureError(
                f"{self.filename}: {self.entry} is neither a torch.nn.Module class nor a function"
            )
        if not callable(getattr(module, "get_inputs", None)):
            raise CaptureError(f"{self.filename}: has no function get_inputs")


def _is_module_class(value: object) -> bool:
    import torch

    return (
        isinstance(value, type)
        and issubclass(value, torch.nn.Module)
        and value.__module__ == _MODULE_NAME
    )


def _license_of(text: str) -> str:
    for line in text.splitlines()[:20]:
        found = re.search(r"SPDX-License-Identifier:\s*([A-Za-z0-9.+() -]{1,80})", line)
        if found:
            return found.group(1).strip()
    return ""
