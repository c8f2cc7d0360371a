"""Captures of modules that come in odd shapes; the cases are files in good/.

Their comments say what is expected: names and roles of tensors, symbols, marks.
Each variant small enough is replayed from its programs and must equal eager bit by bit.
"""

from __future__ import annotations

import pathlib
import re
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(ROOT / "tools" / "capture"), str(HERE)]

import torch  # noqa: E402

import eager  # noqa: E402
from kvgen_capture.build import Options  # noqa: E402
from kvgen_capture.shrink import SMALL, TINY, Shrinker  # noqa: E402
from kvgen_capture.source import Site, Source  # noqa: E402
from kvgen_capture.task import capture  # noqa: E402
from replay import results_of  # noqa: E402

SEED = 11
BUDGETS = {"small": SMALL, "tiny": TINY, "odd": SMALL.times(2.5), "tiny_odd": TINY.times(2.5),
           "batch_only": SMALL.times(2.5)}


def expectation(text: str, key: str) -> list[str] | None:
    found = re.search(rf"^# {key}: (.*)$", text, re.M)
    return found.group(1).split(", ") if found else None


def elements(variant: dict) -> int:
    total = 0
    for entry in variant["graph"]["inputs"] + variant["graph"]["outputs"]:
        if entry["spec"]["role"] == "in_place":
            continue
        count = 1
        for extent in entry["spec"]["shape"]:
            count *= extent
        total += count
    return total


class CaptureCases(unittest.TestCase):
    def check(self, path: pathlib.Path) -> None:
        text = path.read_text()
        options = Options(**{k: v[0] for k in ("entry", "mode", "dtype")
                             if (v := expectation(text, k))})
        body, _ = capture(text, path.name, options)
        official = body["variants"][0]
        graph = official["graph"]
        tensors = [f"{e['spec']['name']} {e['spec']['role']}" for e in graph["inputs"]]
        tensors += [f"{e['spec']['name']} {e['spec']['role']}" for e in graph["outputs"]]
        wanted = expectation(text, "tensors")
        if wanted is not None:
            self.assertEqual(tensors, wanted)
        symbols = {s["name"]: s["value"] for s in official["symbols"]}
        for pair in expectation(text, "symbols") or []:
            name, value = pair.split("=")
            known = symbols.get(name)
            known = known["f"] if isinstance(known, dict) else known
            self.assertEqual(str(known), value, f"symbol {name} of {symbols}")
        scalars = [f"{s['name']}={s['value']}" for s in graph["scalars"]]
        self.assertEqual(scalars, expectation(text, "scalars") or [])
        self.assertEqual(body["marks"], expectation(text, "marks") or [])
        notes = re.search(r"^# notes: (.*)$", text, re.M)
        self.assertEqual("; ".join(body["notes"]), notes.group(1) if notes else "")
        variants = {v["name"]: v for v in body["variants"]}
        self.assertEqual(list(variants)[:3], ["official", "small", "tiny"])
        self.assertLessEqual(set(variants), {"official", *BUDGETS})
        if path.parent.name == "tasks":
            self.check_sizes(Source(text, path.name), variants)
        for variant in body["variants"][1:]:
            self.assertLessEqual(elements(variant), BUDGETS[variant["name"]].elements)
            with self.subTest(variant=variant["name"]):
                got = results_of(variant, SEED)
                expected = eager.outputs(text, variant, SEED, options)
                self.assertEqual(list(got), list(expected))
                for mine, theirs in zip(got.values(), expected.values()):
                    # A recurrent cell's products of few rows depend on how memory is aligned.
                    same = torch.equal(mine, theirs) or (
                        path.stem == "recurrent" and torch.allclose(mine, theirs, atol=1e-6)
                    )
                    self.assertTrue(same)

    def check_sizes(self, source: Source, variants: dict) -> None:
        """A tiny variant leaves no size as it was, nor does an odd one beside it."""
        sites = Shrinker(source, lambda _: None)

        def value(name: str, site: Site) -> int:
            return variants[name]["sizes"].get(site.label, site.value)

        for site in sites.free + sites.batch:
            if site.value > 3:
                self.assertNotEqual(value("tiny", site), site.value, site)
        for odd, near in (("odd", "small"), ("tiny_odd", "tiny")):
            if odd not in variants:
                continue
            moved = [s for s in sites.free if value(odd, s) != value(near, s)]
            same = [s for s in sites.free if value(odd, s) == value(near, s)]
            self.assertGreaterEqual(len(moved), len(same), odd)
            for site in sites.batch:
                self.assertEqual(value(odd, site) % 2, 1, f"{odd}: {site}")

    def test_symbols_are_the_same_in_every_variant(self) -> None:
        text = (HERE / "good" / "heads.py").read_text()
        body, _ = capture(text, "heads.py")
        names = [[s["name"] for s in v["symbols"]] for v in body["variants"]]
        self.assertEqual([names[0]] * len(names), names)
        heads = [v["symbols"][names[0].index("mul.other")]["value"] for v in body["variants"]]
        self.assertGreaterEqual(len(set(heads)), 3)


def add_cases() -> None:
    paths = sorted((HERE / "good").glob("*.py")) + sorted((ROOT / "data" / "tasks").glob("*.py"))
    for path in paths:
        name = f"test_{path.parent.name}_{path.stem}"
        setattr(CaptureCases, name, lambda self, path=path: self.check(path))


add_cases()

if __name__ == "__main__":
    torch.set_num_threads(1)
    unittest.main()
