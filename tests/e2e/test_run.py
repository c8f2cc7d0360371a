"""The main job on the tasks of the repository."""

import json
import subprocess
import tempfile
import unittest
from pathlib import Path

from support import (KVGEN, REPLIES, SOURCE, TASKS, EndToEnd, check_exported_launchers, expectation,
                     kvgen, outcomes, records)


BUNDLES = tempfile.TemporaryDirectory(prefix="kvgen-e2e-")


def setUpModule() -> None:
    """Every task is captured once for all tests."""
    unittest.addModuleCleanup(BUNDLES.cleanup)
    done = kvgen("ingest", TASKS, "--out", BUNDLES.name)
    assert done.returncode == 0, done.stderr


def check_records(test: EndToEnd, run: Path) -> None:
    checked = subprocess.run([KVGEN.parent / "check_records", run], capture_output=True,
                             text=True, check=False)
    test.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)


class BuiltIn(EndToEnd):
    def test_most_are_verified_and_timed_and_the_rest_are_honest(self):
        run = self.folder / "RUN"
        arguments = ["run", "--tasks", BUNDLES.name, "--generator", "builtin", "--device", "cpu",
                     "--out", run, "--seed", 7, "--json"]
        done = kvgen(*arguments)
        self.assertIn(done.returncode, (0, 4), done.stderr)
        rows = json.loads(done.stdout)["tasks"]
        tasks = len(list(TASKS.glob("*.py")))
        self.assertEqual(len(rows), tasks)
        verified = [row for row in rows if row["outcome"]["kind"] == "verified"]
        self.assertGreaterEqual(len(verified), 26, done.stderr)
        for row in rows:
            self.assertIn(row["outcome"]["kind"], ("verified", "no_candidate"), row)
            if row["outcome"]["kind"] == "no_candidate":
                self.assertRegex(row["outcome"]["reason"], r"aten::|rule")
        for row in verified:
            self.assertGreater(row["median_ns"], 0)
            self.assertTrue(row["timed_variant"])
        for kind in ("samples", "profiles"):
            self.assertEqual(len(records(run, kind)), len(verified))
        self.assertEqual(len(records(run, "tasks")), tasks)
        check_records(self, run)

        again = kvgen(*arguments)
        self.assertEqual(json.loads(again.stdout)["tasks"], rows)

        other = kvgen(*arguments, "--attempts", 3)
        self.assert_says(other, 1, "attempts", "1", "3")


class Replay(EndToEnd):
    def test_the_right_kernels_of_all_tasks_are_verified(self):
        run = self.folder / "RUN"
        done = kvgen("run", "--tasks", BUNDLES.name, "--generator", f"replay:{REPLIES / 'right'}",
                     "--out", run, "--seed", 7, "--no-profile", "--json")
        rows = json.loads(done.stdout)["tasks"]
        wrong = [(r["task"], r["outcome"]) for r in rows if r["outcome"]["kind"] != "verified"]
        self.assertEqual(wrong, [])
        self.assertEqual(len(rows), len(list(TASKS.glob("*.py"))))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(check_exported_launchers(run, self.folder), "")

    def test_none_of_the_wrong_kernels_is_verified_and_each_has_its_outcome(self):
        """Every wrong reply is one more turn of its task: the run goes on until one is verified."""
        wrong = sorted((REPLIES / "wrong").glob("*.md"))
        self.assertGreaterEqual(len(wrong), 20)
        folder = self.folder / "replies"
        expected: dict[str, list] = {}
        for reply in wrong:
            task, kinds = expectation(reply)
            turns = expected.setdefault(task, [])
            place = folder / task
            place.mkdir(parents=True, exist_ok=True)
            (place / f"{len(turns)}.md").write_bytes(reply.read_bytes())
            turns.append((reply.name, kinds))
        run = self.folder / "RUN"
        done = kvgen("run", "--tasks", *(Path(BUNDLES.name) / task for task in expected),
                     "--generator", f"replay:{folder}", "--attempts", len(wrong),
                     "--out", run, "--seed", 7, "--no-profile", "--json")
        self.assertIn(done.returncode, (0, 4), done.stderr)
        names = {record["id"]: record["name"] for record in records(run, "tasks")}
        seen = {(names[a["task"]], a["turn"]): a["outcome"] for a in records(run, "attempts")}
        faults = []
        for task, turns in expected.items():
            for turn, (name, kinds) in enumerate(turns):
                outcome = seen.get((task, turn), {"kind": "not tried", "reason": ""})
                if outcome["kind"] not in kinds:
                    faults.append(f"{name}: expected {kinds}, got {outcome['kind']}: "
                                  f"{outcome['reason']}")
        self.assertEqual(faults, [])
        self.assertEqual(records(run, "samples"), [])
        self.assertEqual(len(records(run, "attempts")), len(wrong))
        outcomes(run)


class Rows(EndToEnd):
    def test_a_bad_row_costs_only_itself_and_a_good_one_carries_where_it_came_from(self):
        softmax = (TASKS / "softmax.py").read_text()
        rows = [
            json.dumps({"name": "softmax", "code": softmax, "url": "https://example.org/17"}),
            "{torn",
            json.dumps({"name": "softmax", "code": softmax.split("\n", 1)[1], "license": "CC0-1.0"}),
            json.dumps({"name": "raises", "code": "import torch\nraise ValueError('no')\n"}),
            json.dumps({"name": "empty"}),
        ]
        file = self.folder / "rows.jsonl"
        file.write_text("\n".join(rows))
        replies = self.folder / "replies"
        replies.mkdir()
        for name in ("softmax", "softmax_2"):
            (replies / f"{name}.md").write_text((REPLIES / "right" / "softmax.md").read_text())
        run = self.folder / "RUN"
        done = kvgen("run", "--tasks", file, "--name-column", "name", "--origin", "a set of mine",
                     "--generator", f"replay:{replies}", "--out", run, "--no-profile")
        self.assert_says(done, 4, "rows.jsonl:2: is not a row of JSON", "rows.jsonl:4: raises.py:2:",
                         "rows.jsonl:5: has no text in the column \"code\"", "2 of 2 verified")
        facts = {r["name"]: (r["license"], r["origin"]) for r in records(run, "tasks")}
        self.assertEqual(facts, {"softmax": ("MIT", "https://example.org/17"),
                                 "softmax_2": ("CC0-1.0", "a set of mine")})


class Documentation(EndToEnd):
    def test_the_worked_example_of_the_contract_is_verified(self):
        text = (SOURCE / "docs" / "contract.md").read_text()
        reply = self.folder / "example.md"
        reply.write_text(text.split("````")[1])
        done = kvgen("verify", "--task", TASKS / "softmax.py", "--candidate", reply,
                     "--no-profile")
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
