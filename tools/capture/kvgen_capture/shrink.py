"""Smaller variants of a task: other integers in its source, the same operators.

Batch sizes and free integers are cut from the outside in: first the batch
alone, then a falling cap on every other size, then what the batch may grow back
to. Integers that say how (kernel, stride, heads...) and not how much stay. Where
`every` is asked, no size stays as it was, so that a kernel which has one written
into it meets a variant where it is wrong.
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from typing import Callable, Iterator

from .measure import Cost
from .source import Mapping, Site, Source

_SHAPING = re.compile(
    r"kernel|stride|pad|dilat|head|group|pool|num_layers|^layers|n_layer|^depth$|scale|factor|"
    r"reduce_dim|^dim$|ratio|expan|stage|window|patch|axis|eps|moment|value|divis|block|seed",
    re.I,
)
_PARTS = re.compile(r"head|group", re.I)
_BATCH = re.compile(r"batch|^bs$", re.I)
_SMALL_VALUE = 3  # and below: a choice, not a size
_SHAPING_BELOW = 64
_CAPS = [16384, 8192, 4096, 2048, 1024, 768, 512, 384, 256, 192, 128, 96, 64, 48, 40, 32, 24, 20,
         16, 12, 10, 8, 6, 5, 4]
_LEAST_BATCH = 2
_MEASUREMENTS = 200
_SECONDS = 40.0  # of measuring; slow modules make do with what was found


@dataclass(frozen=True)
class Budget:
    elements: int
    flops: int


    def times(self, factor: float) -> Budget:
        return Budget(int(self.elements * factor), int(self.flops * factor))


SMALL = Budget(4_000_000, 3_000_000_000)
TINY = Budget(65_536, 20_000_000)


def _halved(value: int, cap: int) -> int:
    """Halving keeps most divisibility; an odd size stays odd."""
    out = value
    while out > cap:
        out //= 2
    return max(1, out | 1 if value % 2 else out)


class Shrinker:
    """`cost_of` measures a mapping; None when the module does not run with it."""

    def __init__(self, source: Source, cost_of: Callable[[Mapping], Cost | None]):
        self._cost_of = cost_of
        self._cache: dict[tuple, Cost | None] = {}
        self._spent = 0.0
        dims = source.dimension_names
        self.batch = [s for s in source.sites if _BATCH.search(s.name)]
        self.free = [s for s in source.sites if self._is_size(s, dims)]
        self._parts = [
            s for s in source.sites if s.value >= _SHAPING_BELOW and _PARTS.search(s.name)
        ]
        # How many heads, groups, windows...: what sizes may have to be multiples of.
        self.shaping_values = {
            s.value for s in source.sites if s not in self.free and s not in self.batch
        }

    def _is_size(self, site: Site, dims: set[str]) -> bool:
        if _BATCH.search(site.name) or site.value <= _SMALL_VALUE or _PARTS.search(site.name):
            return False
        shaping = _SHAPING.search(site.name) and site.value < _SHAPING_BELOW
        return site.name in dims or not shaping

    def cost(self, mapping: Mapping) -> Cost | None:
        key = tuple(sorted(mapping.items()))
        if key not in self._cache:
            if len(self._cache) >= _MEASUREMENTS or self._spent > _SECONDS:
                return None
            started = time.monotonic()
            self._cache[key] = self._cost_of(mapping)
            self._spent += time.monotonic() - started
        return self._cache[key]

    def candidates(self, budget: Budget, every: bool = False) -> Iterator[Mapping]:
        """Mappings that run within the budget, the most promising first."""
        seen: set[tuple] = set()
        for mapping in self._ordered(budget, every):
            cost, key = self.cost(mapping), tuple(sorted(mapping.items()))
            if key in seen or cost is None or not cost.fits(budget.elements, budget.flops):
                continue
            seen.add(key)
            yield mapping

    def batch_only(self) -> Mapping:
        """The smallest batch, every other size as it is."""
        return self._capped(None, every=False)

    def _fits(self, mapping: Mapping, budget: Budget) -> bool:
        cost = self.cost(mapping)
        return cost is not None and cost.fits(budget.elements, budget.flops)

    def _ordered(self, budget: Budget, every: bool) -> Iterator[Mapping]:
        if every:
            yield from self._by_cap(budget, _CAPS, every=True)
        yield {}
        yield from self._by_cap(budget, [None, *_CAPS], every=False)
        yield from self._one_by_one(budget)
        # A batch that must equal another size: equal values stay equal.
        sites = self.free + self.batch
        for cap in _CAPS:
            yield {s.key: _halved(s.value, cap) for s in sites if s.value > cap}
        # Relations such as out = 2 * in survive a common divisor.
        for divisor in (2, 4, 8, 16, 32, 64):
            mapping = {s.key: _LEAST_BATCH for s in self.batch if s.value > _LEAST_BATCH}
            for site in self.free:
                if site.value >= 4 * divisor:
                    mapping[site.key] = site.value // divisor
            yield mapping

    def _by_cap(self, budget: Budget, caps: list, every: bool) -> Iterator[Mapping]:
        for cap in caps:
            mapping = self._capped(cap, every)
            if self._fits(mapping, budget):
                yield self._grown(mapping, budget)
                yield mapping

    def _one_by_one(self, budget: Budget) -> Iterator[Mapping]:
        """Halves one size after another, leaving those that the module needs as they are."""
        best: Mapping = {}
        cost = self.cost(best)
        movable = self.batch + self.free
        while movable and cost is not None and not self._fits(best, budget):
            still = []
            for site in movable:
                value = best.get(site.key, site.value)
                smaller = {**best, site.key: _halved(value, value - 1)}
                found = self.cost(smaller) if value > _SMALL_VALUE else None
                if found is None or found.elements >= cost.elements:
                    continue
                best, cost = smaller, found
                still.append(site)
                if self._fits(best, budget):
                    break
            movable = still
        if best:
            yield best

    def _capped(self, cap: int | None, every: bool) -> Mapping:
        mapping = {s.key: _LEAST_BATCH for s in self.batch if s.value > _LEAST_BATCH}
        if cap is None:
            return mapping
        for site in self.free:
            at_most = min(cap, site.value - 1) if every else cap
            if site.value > at_most:
                mapping[site.key] = _halved(site.value, at_most)
        for site in self._parts:
            self._follow(site, mapping)
        return mapping

    def _follow(self, part: Site, mapping: Mapping) -> None:
        """Many groups or heads shrink with what they divide, so that each keeps its width."""
        whole = [s for s in self.free if s.value % part.value == 0 and s.key in mapping]
        if whole:
            site = max(whole, key=lambda s: s.value)
            mapping[part.key] = max(1, part.value * mapping[site.key] // site.value)

    def _grown(self, mapping: Mapping, budget: Budget) -> Mapping:
        best = mapping
        for _ in range(20):
            grown = dict(best)
            for site in self.batch:
                if site.key in best:
                    grown[site.key] = min(site.value, best[site.key] * 2)
            if grown == best or not self._fits(grown, budget):
                break
            best = grown
        return best
