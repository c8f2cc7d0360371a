"""What is done with a run's records: status, show, explain, repro, export; and options."""

import json
import os
import re
import shutil
import subprocess
import sys
import time
import unittest

from support import REPLIES, SOURCE, TASKS, EndToEnd, kvgen, records, start


def rewrite(shards, kind, change):
    """Applies `change` to every record of a kind, in place."""
    for shard in sorted(shards.glob(f"{kind}-*.jsonl.zst")):
        text = subprocess.run(["zstd", "-dcq", shard], capture_output=True, check=True).stdout
        lines = [json.loads(line) for line in text.splitlines()]
        for line in lines:
            change(line)
        text = "".join(json.dumps(line) + "\n" for line in lines)
        subprocess.run(["zstd", "-qf", "-o", shard], input=text.encode(), check=True)


class Records(EndToEnd):
    """One run of two tasks: softmax is wrong at first, and row_sum right at once."""

    @classmethod
    def setUpClass(cls):
        cls.base = EndToEnd()
        cls.base.setUp()
        cls.addClassCleanup(cls.base.doCleanups)
        folder = cls.base.folder
        replies = folder / "replies"
        for task, name, turn in (("softmax", "wrong/zeros", 0), ("softmax", "right/softmax", 1),
                                 ("row_sum", "right/row_sum", 0)):
            (replies / task).mkdir(parents=True, exist_ok=True)
            (replies / task / f"{turn}.md").write_bytes((REPLIES / f"{name}.md").read_bytes())
        cls.run_folder = folder / "RUN"
        arguments = ("run", "--tasks", TASKS / "softmax.py", TASKS / "row_sum.py", "--generator",
                     f"replay:{replies}", "--attempts", 2, "--seed", 7, "--out", cls.run_folder)
        going = start(*arguments)
        cls.seen = []
        while going.poll() is None:
            asked = kvgen("status", cls.run_folder, "--json")
            if asked.returncode == 0:
                cls.seen.append(json.loads(asked.stdout))
            time.sleep(0.2)
        assert going.returncode == 0, going.returncode
        cls.attempts = records(cls.run_folder, "attempts")
        cls.samples = records(cls.run_folder, "samples")

    def shards(self):
        """The run's shards alone, as another machine would get them."""
        copy = self.folder / "shards"
        shutil.copytree(self.run_folder / "shards", copy)
        return copy

    def sample_of(self, task):
        names = {record["id"]: record["name"] for record in records(self.run_folder, "tasks")}
        return next(one for one in self.samples if names[one["task"]] == task)

    def states(self, done):
        return {one["what"]: one["state"] for one in json.loads(done.stdout)["compared"]}

    def test_status_tells_of_a_run_while_it_goes(self):
        held = [one for one in self.seen if one["held"]]
        self.assertTrue(held, self.seen)
        self.assertGreater(held[-1]["process"], 0)
        self.assertIn(2, [one["tasks"] for one in held])
        done = kvgen("status", self.run_folder, "--json")
        after = json.loads(done.stdout)
        self.assertFalse(after["held"])
        self.assertEqual((after["tasks"], after["left"], after["verified"]), (2, 0, 2))
        self.assertEqual(after["outcomes"]["verified"], 2)
        self.assertEqual(sum(after["outcomes"].values()), 3)
        told = kvgen("status", self.run_folder)
        self.assertIn("2 of 2 finished", told.stdout)
        self.assert_says(kvgen("status", self.folder), 1, "holds no run")

    def test_explain_tells_the_story_of_an_attempt(self):
        wrong = next(one for one in self.attempts if one["outcome"]["kind"] != "verified")
        done = kvgen("explain", wrong["id"][:10], "--from", self.run_folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("wrong_output", done.stdout)
        self.assertIn("next", done.stdout)
        right = kvgen("explain", self.sample_of("softmax")["id"][:10], "--from", self.run_folder)
        for word in ("verified", "gfx942", "VGPRs", "of the limit", "speedup"):
            self.assertIn(word, right.stdout)
        for line in (done.stdout + right.stdout).splitlines():
            self.assertLessEqual(len(line), 100, line)
        self.assert_says(kvgen("explain", "ffffffffff", "--from", self.run_folder), 1, "no attempt")
        self.assert_says(kvgen("explain", "xyz", "--from", self.run_folder), 2, "not an id")

    def test_show_prints_a_task_and_a_kernel(self):
        done = kvgen("show", self.run_folder / "softmax")
        for word in ("official", "softmax(", "float32", "FLOP"):
            self.assertIn(word, done.stdout)
        as_json = json.loads(kvgen("show", self.run_folder / "softmax", "--json").stdout)
        self.assertGreater(as_json["variants"][0]["minimal_bytes"], 0)
        kernel = kvgen("show", self.run_folder / self.sample_of("softmax")["attempt"][:10])
        self.assertIn("__global__", kernel.stdout)

    def test_repro_agrees_with_its_own_machine(self):
        sample = self.sample_of("softmax")
        done = kvgen("repro", sample["id"][:12], "--from", self.shards(), "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        told = json.loads(done.stdout)
        self.assertTrue(told["agrees"], told)
        self.assertEqual(told["sample"], sample["id"])
        states = self.states(done)
        self.assertEqual(states["outcome"], "same")
        self.assertEqual(states["case tiny, normal"], "same")
        self.assertIn("gfx942 clang object", states)
        self.assertIn("time", states)

    def test_repro_reports_a_flipped_constant(self):
        shards = self.shards()
        softmax = self.sample_of("softmax")["attempt"]

        def flip(record):
            if record["id"] == softmax:
                source = record["candidate"]["source"]
                self.assertIn("float sum = 0.0f", source)
                record["candidate"]["source"] = source.replace("sum = 0.0f", "sum = 1.0f")

        rewrite(shards, "attempts", flip)
        done = kvgen("repro", softmax[:12], "--from", shards, "--no-profile", "--json")
        self.assertEqual(done.returncode, 10, done.stderr)
        states = self.states(done)
        self.assertEqual(states["record"], "differs")
        self.assertEqual(states["outcome"], "differs")

    def test_repro_reports_another_compiler_and_a_slower_time(self):
        shards = self.shards()

        def older(record):
            record["compiler_version"] = "1.0"
            record["object_hash"] = "0" * 64
            for kernel in record["kernels"]:
                if kernel.get("facts"):
                    kernel["facts"]["vgprs"] += 1

        def faster(record):
            times = record["candidate"]
            for key, value in times.items():
                times[key] = [one / 50 for one in value] if isinstance(value, list) else value / 50

        rewrite(shards, "builds", older)
        rewrite(shards, "profiles", faster)
        sample = self.sample_of("row_sum")
        shard = shards / "samples-00000.jsonl.zst"
        done = kvgen("repro", sample["id"][:12], "--from", shard, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertFalse(json.loads(done.stdout)["agrees"])
        states = self.states(done)
        self.assertEqual(states["outcome"], "same")
        self.assertEqual(states["gfx942 clang version"], "differs")
        self.assertEqual(states["gfx942 clang object"], "differs")
        self.assertTrue(any(what.startswith("gfx942 clang ") and state == "differs" and
                            what not in ("gfx942 clang version", "gfx942 clang object")
                            for what, state in states.items()), states)
        self.assertEqual(states["time"], "slower")

    def test_export_writes_an_extension_and_samples_hold_it(self):
        sample = self.sample_of("softmax")
        out = self.folder / "softmax.hip"
        done = kvgen("export", sample["candidate"][:12], "--from", self.run_folder, "--out", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        text = out.read_text()
        for word in ("__global__", "hipLaunchKernel", "PYBIND11_MODULE(TORCH_EXTENSION_NAME, m)",
                     'm.def("forward"'):
            self.assertIn(word, text)
        self.assertEqual(sample["extension_text"], text)

    def test_the_commands_of_the_documentation(self):
        text = (SOURCE / "docs" / "formats.md").read_text().split("## Looking at records")[1]
        lines = re.findall(r"^kvgen (.+?)\s*(?:#.*)?$", text.split("```")[1], re.MULTILINE)
        self.assertGreaterEqual(len(lines), 5)
        for line in lines:
            words = line.replace("3f9a12", self.sample_of("softmax")["id"][:12]).split()
            words = [str(self.run_folder) + word[3:] if word.startswith("RUN") else word
                     for word in words]
            done = kvgen(*words, cwd=self.folder)
            self.assertEqual(done.returncode, 0, f"{line}: {done.stderr}")


class Options(EndToEnd):
    def test_the_file_of_the_documentation(self):
        text = (SOURCE / "docs" / "configuration.md").read_text()
        config = self.folder / "kvgen.toml"
        example = text.split("```toml")[1].split("```")[0]
        config.write_text(example.replace("/opt/torch/bin/python", sys.executable))
        self.assert_says(kvgen("show", "nothing", "--config", config), 1, "neither a file")

    def test_flag_before_environment_before_file(self):
        config = self.folder / "kvgen.toml"
        config.write_text('jobs = 1\n[run]\ngenerator = "replay:nowhere-of-the-file"\n'
                          f'tasks = ["{TASKS / "softmax.py"}"]\nout = "{self.folder / "RUN"}"\n'
                          'no-profile = true\n')
        plain = {key: value for key, value in os.environ.items() if key != "KVGEN_GENERATOR"}
        environment = plain | {"KVGEN_GENERATOR": "nonsense-of-the-environment"}
        self.assert_says(kvgen("run", "--config", config, env=plain), 1, "nowhere-of-the-file")
        self.assert_says(kvgen("run", "--config", config, env=environment), 2,
                         "nonsense-of-the-environment")
        flag = kvgen("run", "--config", config, "--generator", "nonsense-of-the-flag",
                     env=environment)
        self.assert_says(flag, 2, "nonsense-of-the-flag")

    def test_an_unknown_key_names_the_nearest(self):
        config = self.folder / "kvgen.toml"
        config.write_text("[run]\natempts = 3\n")
        self.assert_says(kvgen("run", "--config", config), 2, "atempts", '"attempts"')
        config.write_text("[rnu]\nattempts = 3\n")
        self.assert_says(kvgen("run", "--config", config), 2, "rnu", '"run"')
        config.write_text("jobs = \n")
        self.assert_says(kvgen("run", "--config", config), 2, "kvgen.toml:1")


class NewTask(EndToEnd):
    def test_what_it_writes_is_ingested_as_it_is(self):
        done = kvgen("new-task", "my_norm", "--out", self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        ingested = kvgen("ingest", self.folder / "my_norm.py", "--out", self.folder / "bundles")
        self.assertEqual(ingested.returncode, 0, ingested.stderr)
        self.assertNotIn("[", ingested.stdout, "a mark")
        self.assert_says(kvgen("new-task", "my_norm", "--out", self.folder), 1, "exists")
        self.assert_says(kvgen("new-task", "../x", "--out", self.folder), 2, "not a name")


if __name__ == "__main__":
    unittest.main()
