"""Sizes that nobody would choose, near given ones: a batch of three, primes, odd multiples.

A kernel that is right only where a size divides by its tile, or equals another,
or is the one written into it, meets a variant where it is wrong.
"""

from __future__ import annotations

import math
from typing import Iterable, Iterator

from .measure import Cost
from .shrink import Budget, Shrinker
from .source import Mapping, Site

_BATCHES = (3, 5)
_COMMON_PARTS = (2, 4, 8, 16, 32)


def _is_prime(value: int) -> bool:
    return value > 1 and all(value % d for d in range(2, math.isqrt(value) + 1))


def _near(value: int) -> Iterator[int]:
    """Odd primes, the nearest first, those below before those above."""
    for distance in range(max(8, value)):
        for one in {value - distance, value + distance}:
            if one > 2 and _is_prime(one):
                yield one


def _prime(value: int, taken: Iterable[int] = ()) -> int:
    return next((p for p in _near(value) if p not in taken), value + 1)


class OddSizes:
    """Looks for mappings near one that runs; `shrinker` measures and knows the sites."""

    def __init__(self, shrinker: Shrinker):
        self._shrinker = shrinker
        self._parts = sorted({*shrinker.shaping_values, *_COMMON_PARTS} - {0, 1})

    def candidates(self, near: Mapping, budget: Budget) -> Iterator[Mapping]:
        """Mappings that run within the budget, those that change most first."""
        sites = self._shrinker.free
        values = {s: near.get(s.key, s.value) for s in sites}
        seen: list[Mapping] = [near]
        for batch in [self._batch(near), {}]:
            for changed in self._together(values):
                mapping = {**near, **changed, **batch}
                if mapping not in seen and self._fits(mapping, budget):
                    seen.append(mapping)
                    yield mapping
        mapping = self._one_by_one(near, values, budget)
        if mapping not in seen:
            yield mapping

    def _batch(self, near: Mapping) -> Mapping:
        return {
            s.key: next(b for b in _BATCHES if b != near.get(s.key, s.value))
            for s in self._shrinker.batch
        }

    def _together(self, values: dict[Site, int]) -> Iterator[Mapping]:
        yield self._primes(values, tied=False)
        # A literal may be one half of a size whose other half stands where it cannot be moved.
        named = {s: v for s, v in values.items() if s.name}
        if 0 < len(named) < len(values):
            yield self._primes(named, tied=False)
        # Sizes that must be equal are equal in the file.
        yield self._primes(values, tied=True)
        # Relations such as out = 2 * in survive a common factor.
        factor = math.gcd(*values.values()) if values else 1
        if factor > 3:
            yield {s.key: v // factor * _prime(factor) for s, v in values.items()}

    def _primes(self, values: dict[Site, int], tied: bool) -> Mapping:
        taken = {s.value for s in values} | set(values.values()) | set(self._parts)
        chosen: dict[object, int] = {}
        mapping: Mapping = {}
        for site, value in values.items():
            group = site.value if tied else site.key
            if group not in chosen:
                chosen[group] = _prime(value, taken)
                taken.add(chosen[group])
            mapping[site.key] = chosen[group]
        return mapping

    def _one_by_one(self, near: Mapping, values: dict[Site, int], budget: Budget) -> Mapping:
        best = {**near, **self._batch(near)}
        if not self._fits(best, budget):
            best = dict(near)
        taken = set(values.values()) | {s.value for s in values}
        for site, value in sorted(values.items(), key=lambda pair: -pair[1]):
            if site.key in best and best[site.key] != value:
                continue  # moved with an equal one
            tied = [s for s in values if s.value == site.value]
            for group in [[site], tied] if len(tied) > 1 else [[site]]:
                moved = self._first_that_runs(best, group, self._options(value, taken), budget)
                if moved is not None:
                    best = moved
                    taken.add(best[site.key])
                    break
        return best

    def _options(self, value: int, taken: set[int]) -> Iterator[int]:
        yield _prime(value, taken)
        if value % 2 == 0:
            yield value + 1
        for part in self._parts:
            if value % part == 0 and value // part > 1:
                yield part * _prime(value // part)

    def _first_that_runs(
        self, best: Mapping, group: list[Site], options: Iterator[int], budget: Budget
    ) -> Mapping | None:
        for option in options:
            mapping = {**best, **{s.key: option for s in group}}
            if mapping != best and self._fits(mapping, budget):
                return mapping
        return None

    def _fits(self, mapping: Mapping, budget: Budget) -> bool:
        cost: Cost | None = self._shrinker.cost(mapping)
        return cost is not None and cost.fits(budget.elements, budget.flops)
