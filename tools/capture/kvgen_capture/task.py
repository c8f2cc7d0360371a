"""A task file to a task: the official variant and smaller ones, never run at full size."""

from __future__ import annotations

import platform
import time
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, Iterable

import torch
import torch.utils._pytree as pytree

from . import VERSION, build, symbols
from .devices import OnCpu
from .errors import CaptureError, PartOfItsOwn, explain
from .graph import Captured, graph_of
from .measure import WAYS, Cost, measure
from .odd import OddSizes
from .shrink import SMALL, TINY, Budget, Shrinker
from .source import Mapping, Source
from .specialise import traced

Json = Any
_CONDITION_FLOPS = 400_000_000  # above it the check would take longer than the capture
_CONDITION_LIMIT = 1e-3  # a tenth of the loosest tolerance in use
_CONDITION_ROUNDINGS = 16  # or so many roundings of the coarsest type in the graph
_TRIES = 6
_PATIENCE = 5.0  # seconds an export may take where others are to follow
_OTHER_SEEDS = (8, 9, 10)
_ODD_BUDGET = 2.5  # of the variant that they are near to
_ODD_CONDITION_FLOPS = 50_000_000  # larger ones are as good as the even ones beside them


@dataclass
class _Variant:
    name: str
    mapping: Mapping
    built: build.Built
    captured: Captured

    def operators(self) -> list[tuple[str, str]]:
        return [(c.json["op"], c.json["ov"]) for c in self.captured.calls]


class _Work:
    def __init__(self, source: Source, options: build.Options):
        self.source, self.options = source, options
        self.export_seconds = 0.0  # of this process
        self.specialised = False
        self._way = 0  # of measuring: the first in which the file's own sizes run

    def variant(self, name: str, mapping: Mapping) -> _Variant:
        source = self.source
        module = source.load(mapping)
        built = build.build(module, self.options, source.filename, on_real=self.specialised)
        started = time.process_time()
        try:
            with torch.no_grad():
                if self.specialised:
                    program = traced(built)
                else:
                    program = torch.export.export(
                        built.model, built.inputs.args, built.inputs.kwargs, strict=False
                    )
        except BaseException as error:
            told = explain(error, source.filename, "exporting forward")
            if self.specialised or not isinstance(error, Exception):
                raise told from None
            built, program = self._specialised(mapping, told)
        self.export_seconds += time.process_time() - started
        try:
            try:
                captured = graph_of(program, built)
            except PartOfItsOwn as error:
                built, program = self._specialised(mapping, error)
                captured = graph_of(program, built)
            return _Variant(name, mapping, built, captured)
        except CaptureError as error:
            raise CaptureError(f"{source.filename}: {error.message}", error.code) from None

    def _specialised(self, mapping: Mapping, told: CaptureError) -> tuple[build.Built, Any]:
        """What cannot be exported, as it goes on real values; `told` where it does not go."""
        if self.cost(mapping) is None:
            raise told
        try:
            module = self.source.load(mapping)
            built = build.build(module, self.options, self.source.filename, on_real=True)
            program = traced(built)
        except Exception as error:
            _raise_if_out_of_time(error)
            raise told from None
        self.specialised = True
        return built, program

    def check_course(self, variant: _Variant) -> None:
        """That other weights and inputs take the course that was captured, else it is no
        reference for them."""
        calls = [c.json for c in variant.captured.calls]
        for seed in _OTHER_SEEDS:
            module = self.source.load(variant.mapping)
            built = build.build(
                module, self.options, self.source.filename, on_real=True, seed=seed
            )
            if [c.json for c in graph_of(traced(built), built).calls] != calls:
                raise CaptureError(
                    f"{self.source.filename}: what forward computes depends on values: seeds "
                    f"{build.SEED} and {seed} take different courses; choose with torch.where"
                )

    def cost(self, mapping: Mapping) -> Cost | None:
        try:
            return measure(self.source.load(mapping), self.options, self._way)
        except Exception as error:
            _raise_if_out_of_time(error)
            if mapping or self._way + 1 == len(WAYS):
                return None
        self._way += 1
        return self.cost(mapping)

    def first_good(
        self,
        name: str,
        candidates: Iterable[Mapping],
        shrinker: Shrinker,
        official: _Variant,
        condition_flops: int = _CONDITION_FLOPS,
    ) -> tuple[_Variant | None, str]:
        """The first candidate that keeps the operators and is well conditioned, or why none."""
        reason = "no such sizes run within the budget"
        for tries, mapping in enumerate(candidates):
            if tries == _TRIES:
                break
            try:
                variant = self.variant(name, mapping)
            except CaptureError as error:
                _raise_if_out_of_time(error)
                reason = "such sizes cannot be captured"
                continue
            if variant.operators() != official.operators():
                reason = "such sizes change the operators"
                continue
            cost = shrinker.cost(mapping)
            if cost.flops <= condition_flops and not official.captured.random:
                if not self._well_conditioned(mapping, official.captured.roundoff()):
                    reason = "such sizes are ill-conditioned"
                    continue
            return variant, ""
        return None, reason

    def _well_conditioned(self, mapping: Mapping, roundoff: float) -> bool:
        """Whether the module's own types and float64 agree on real values."""
        limit = max(_CONDITION_LIMIT, _CONDITION_ROUNDINGS * roundoff)
        try:
            module = self.source.load(mapping)
            torch.manual_seed(build.SEED)
            model, _ = build.make_model(module, self.options)
            inputs = build.make_inputs(module, self.options)
            state = {k: v.clone() for k, v in model.state_dict().items()}
            single = _run(model, inputs)
        except Exception as error:
            _raise_if_out_of_time(error)
            return False
        try:
            model.load_state_dict(state)
            double = _run(model.double(), pytree.tree_map(_wide, inputs))
        except Exception as error:
            # Modules that mix in types of their own cannot be widened: nothing is known.
            _raise_if_out_of_time(error)
            return True
        return all(_close(a, b, limit) for a, b in zip(single, double))


def _raise_if_out_of_time(error: Exception) -> None:
    if isinstance(error, CaptureError) and error.code == "timeout":
        raise error


def _wide(value: Any) -> Any:
    floating = isinstance(value, torch.Tensor) and value.is_floating_point()
    return value.double() if floating else value


def _run(model: torch.nn.Module, inputs: build.Inputs) -> list[torch.Tensor]:
    copies = pytree.tree_map(lambda v: v.clone() if isinstance(v, torch.Tensor) else v, inputs)
    with torch.no_grad():
        result = copies.into(model)
    return [t for t in pytree.tree_leaves(result) if isinstance(t, torch.Tensor)]


def _close(single: torch.Tensor, double: torch.Tensor, limit: float) -> bool:
    if not single.is_floating_point():
        return True
    single = single.double()
    if not torch.equal(single.isfinite(), double.isfinite()):
        return False
    gap = ((single - double).abs() / (1 + double.abs()))[double.isfinite()]
    return gap.numel() == 0 or gap.max().item() <= limit


def _more_variants(
    work: _Work, shrinker: Shrinker, variants: list[_Variant], budgets: dict[str, Budget]
) -> list[_Variant]:
    """Odd sizes beside small and tiny, and the official sizes with a small batch.

    Nobody misses one that cannot be had.
    """
    official, more = variants[0], []
    if work.export_seconds > _PATIENCE * len(variants):
        return []
    odd = OddSizes(shrinker)
    for near in variants[1:]:
        name = "odd" if near.name == "small" else f"{near.name}_odd"
        wanted = odd.candidates(near.mapping, budgets[near.name].times(_ODD_BUDGET))
        variant, _ = work.first_good(name, wanted, shrinker, official, _ODD_CONDITION_FLOPS)
        more += [variant] if variant else []
    mapping = shrinker.batch_only()
    cost = shrinker.cost(mapping)
    budget = budgets["small"].times(_ODD_BUDGET)
    known = any(v.mapping == mapping for v in variants)
    if not known and cost is not None and cost.fits(budget.elements, budget.flops):
        variant, _ = work.first_good(
            "batch_only", [mapping], shrinker, official, _ODD_CONDITION_FLOPS
        )
        more += [variant] if variant else []
    return more


def _carriers(variant: _Variant) -> dict[str, Any]:
    scalars = dict(variant.built.init_arguments)
    for name, leaf in variant.built.forward_arguments:
        if isinstance(leaf, (int, float)) and not isinstance(leaf, bool):
            scalars[name] = leaf
    return scalars


def _variant_json(variant: _Variant, source: Source, named: list[Json]) -> Json:
    built, captured = variant.built, variant.captured
    # Tied tensors have several names, of which the graph may use any.
    state = {**dict(built.model.named_parameters(remove_duplicate=False)),
             **dict(built.model.named_buffers(remove_duplicate=False))}
    init = built.init_program.program((own, state[name]) for own, name in captured.state)
    leaves = built.forward_arguments
    inputs = built.input_program.program((own, leaves[i][1]) for own, i in captured.fed)
    # Constants of forward belong to no program; they join the weights'.
    free = 1 + max([n for c in init["nodes"] for n in c["out"] if n is not None]
                   + [c["id"] for c in init["constants"]], default=-1)
    for offset, (name, value) in enumerate(zip(captured.constant_names, captured.constants)):
        init["constants"].append({**value, "id": free + offset})
        init["made"].append({"name": name, "id": free + offset})
    changed = {s.label: variant.mapping[s.key] for s in source.sites if s.key in variant.mapping}
    return {
        "name": variant.name,
        "graph": captured.graph,
        "init": init,
        "inputs": inputs,
        "symbols": named,
        "sizes": changed,
    }


def _ignored(official: _Variant, body: Json) -> list[str]:
    """Tensors without a use; neither tied ones, used by another name, nor a norm's counter."""
    unused = [n for n in official.captured.unused if not n.endswith("num_batches_tracked")]
    used = {made["id"] for made in body["init"]["made"] if made["name"] not in unused}
    tied = {made["name"] for made in body["init"]["made"] if made["id"] in used}
    return [name for name in unused if name not in tied]


def versions() -> Json:
    return {"capture": VERSION, "torch": torch.__version__, "python": platform.python_version()}


def capture(
    text: str,
    filename: str,
    options: build.Options = build.Options(),
    small: Budget = SMALL,
    tiny: Budget = TINY,
) -> tuple[Json, dict[str, float]]:
    """The task as JSON (model/task.h, without hashes and source) and processor seconds spent."""
    options.check()
    with OnCpu():
        return _capture(text, filename, options, small, tiny)


def _capture(
    text: str, filename: str, options: build.Options, small: Budget, tiny: Budget
) -> tuple[Json, dict[str, float]]:
    started = time.process_time()
    source = Source(text, filename, options.entry)
    work = _Work(source, options)
    work.cost({})
    official = work.variant("official", {})
    shrinker = Shrinker(source, work.cost)
    variants, notes = [official], list(official.captured.names.notes)
    for name, budget in (("small", small), ("tiny", tiny)):
        wanted = shrinker.candidates(budget, every=name == "tiny")
        variant, reason = work.first_good(name, wanted, shrinker, official)
        if variant is None:
            notes.append(f"no {name} variant: {reason}")
        else:
            variants.append(variant)
    if work.specialised:
        for variant in variants:
            work.check_course(variant)
        notes.append("forward asks for values; with four seeds it took the course that is captured")
    variants += _more_variants(work, shrinker, variants, {"small": small, "tiny": tiny})
    named = symbols.symbols([v.captured for v in variants], [_carriers(v) for v in variants])
    try:
        bodies = [_variant_json(v, source, rows) for v, rows in zip(variants, named)]
    except CaptureError as error:
        raise CaptureError(f"{filename}: {error.message}", error.code) from None
    marks = [f"ignores: {name}" for name in _ignored(official, bodies[0])]
    marks += ["random"] if official.captured.random else []
    body = {
        "name": PurePath(filename).stem,
        "entry": f"{PurePath(filename).name}:{source.entry}",
        "license": source.license,
        "origin": "",
        "captured_by": {**versions(), **options.changed()},
        "variants": bodies,
        "marks": marks,
        "notes": notes,
    }
    total = time.process_time() - started
    return body, {"total": total, "export": work.export_seconds}
