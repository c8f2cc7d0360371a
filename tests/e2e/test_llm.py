"""A language model behind an OpenAI-compatible server: asked, recorded, refined, waited for."""

import json
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from peer import KEY, PEERS_PYTHON, Peer, Tiny, answer, grammar_of, lacks_peers, stream
from support import REPLIES, SOURCE, TASKS, EndToEnd, kvgen, records

RIGHT = (REPLIES / "right" / "row_sum.md").read_text()
WRONG = (REPLIES / "wrong" / "last_row_missing.md").read_text()
EXAMPLE = SOURCE / "configs" / "prompts" / "hip" / "example"


class Asked(EndToEnd):
    @classmethod
    def setUpClass(cls):
        cls.bundles = tempfile.TemporaryDirectory(prefix="kvgen-e2e-")
        cls.addClassCleanup(cls.bundles.cleanup)
        done = kvgen("ingest", TASKS / "row_sum.py", "--out", cls.bundles.name)
        assert done.returncode == 0, done.stderr
        cls.task = Path(cls.bundles.name) / "row_sum"

    def ask(self, steps: list[dict], *options, peer_options=(), attempts=1, run=None):
        """A run over one task against a peer; gives what kvgen said, the peer, and RUN."""
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        peer = Peer(folder, steps, *peer_options)
        self.addCleanup(peer.stop)
        run = run or folder / "RUN"
        done = kvgen("run", "--tasks", self.task, "--generator", "openai:some-model",
                     "--base-url", peer.url, "--attempts", attempts, "--out", run, "--seed", 5,
                     "--no-profile", "--json", *options,
                     env={**os.environ, "KVGEN_API_KEY": KEY})
        return done, peer, run

    def test_a_wrong_kernel_is_mended_after_feedback_and_both_attempts_are_recorded(self):
        done, peer, run = self.ask([answer(WRONG, reasoning_content="let me see"), stream(RIGHT)],
                                   "--temperature", 0.7, "--max-tokens", 4000,
                                   "--input-price", 1, "--output-price", 10, attempts=4)
        self.assertEqual(done.returncode, 0, done.stderr)
        first, second = sorted(records(run, "attempts"), key=lambda one: one["turn"])
        self.assertEqual(first["outcome"]["kind"], "unwritten_output")
        self.assertEqual(second["outcome"]["kind"], "verified")
        self.assertEqual(second["parent"], first["id"])
        self.assertIn("Hint:", first["card"]["text"])
        for attempt in (first, second):
            origin = attempt["reply"]["origin"]
            self.assertEqual(origin["model"], "told-model")
            self.assertEqual(origin["finish_reason"], "stop")
            self.assertEqual(origin["usage"]["prompt_tokens"], 1000)
            self.assertEqual(origin["request"]["temperature"], 0.7)
            self.assertEqual(origin["request"]["max_tokens"], 4000)
            self.assertAlmostEqual(origin["cost_usd"], 0.003)
            self.assertTrue(origin["request_id"].startswith("req-"))
            self.assertGreater(origin["seconds"], 0)
            self.assertRegex(origin["prompt"]["hash"], "^[0-9a-f]{64}$")
            self.assertEqual(attempt["possibly_bought_twice"], 0)
        self.assertEqual(first["reply"]["origin"]["reasoning"], "let me see")
        self.assertEqual(first["reply"]["text"], WRONG)
        self.assertEqual(second["reply"]["text"], RIGHT)

        asked = peer.requests()
        self.assertEqual(len(asked), 2)
        sent = asked[1]["body"]["messages"]
        self.assertEqual([m["role"] for m in sent], ["system", "user", "assistant", "user"])
        self.assertEqual(sent, second["reply"]["origin"]["messages"])
        self.assertIn(first["card"]["text"].splitlines()[1], sent[3]["content"])
        self.assertIn("elements of out are unwritten", sent[3]["content"])
        self.assertIn(["Authorization", f"Bearer {KEY}"], asked[0]["headers"])
        self.assert_key_nowhere(run, done)

    def assert_key_nowhere(self, run: Path, done) -> None:
        self.assertNotIn(KEY, done.stdout + done.stderr)
        for file in run.rglob("*"):
            if not file.is_file():
                continue
            data = file.read_bytes()
            if file.suffix == ".zst":
                data = subprocess.run(["zstd", "-dcq", file], capture_output=True).stdout
            self.assertNotIn(KEY.encode(), data, file)

    def test_faults_are_waited_out_and_nothing_is_bought_twice_unmarked(self):
        slow = {**stream(RIGHT, piece=60), "gap": 0.01}
        done, peer, run = self.ask([
            {"status": 429, "headers": {"Retry-After": "1"},
             "json": {"error": {"message": "slow down"}}},
            {**stream(RIGHT), "cut": 900, "then": "reset"},
            slow,
        ])
        self.assertEqual(done.returncode, 0, done.stderr)
        attempt, = records(run, "attempts")
        self.assertEqual(attempt["outcome"]["kind"], "verified")
        self.assertEqual(attempt["possibly_bought_twice"], 1)
        self.assertEqual(len(attempt["reply"]["origin"]["troubles"]), 2)
        asked = peer.requests()
        self.assertEqual(len(asked), 3)
        self.assertGreater(asked[1]["t"] - asked[0]["t"], 0.95)
        self.assertEqual(attempt["reply"]["origin"]["troubles"][0], "429: slow down")

    def test_a_server_that_gives_nothing_usable_blames_no_candidate(self):
        lies = [{"body": "<html>", "headers": {"Content-Type": "text/html"}},
                {"json": {"choices": []}}, {"json": {"choices": [{"message": "hi"}]}},
                {"body": "x" * (17 << 20), "headers": {"Content-Type": "application/json"}}]
        done, _, run = self.ask(lies)
        self.assert_says(done, 4, "gave no usable answer 4 times", "larger than 16 MB")
        self.assertEqual(records(run, "attempts"), [])
        done, _, _ = self.ask([answer(RIGHT)], run=run)
        self.assertEqual(done.returncode, 0, done.stderr)
        attempt, = records(run, "attempts")
        self.assertEqual(attempt["outcome"]["kind"], "verified")
        self.assertEqual(attempt["possibly_bought_twice"], 4)

    def test_what_no_request_can_mend_ends_the_run_with_one_sentence(self):
        for step, code, words in (
            ({"status": 401, "json": {"error": {"message": f"bad key {KEY}"}}}, 3,
             ("refuses: 401", "KVGEN_API_KEY")),
            ({"status": 404, "json": {"error": {"message": "no model some-model"}}}, 2,
             ("404: no model", "--base-url")),
        ):
            done, _, _ = self.ask([step])
            self.assert_says(done, code, *words)
            self.assertNotIn(KEY, done.stderr)
        done, _, _ = self.ask([{"status": 503}], "--give-up-after", 0, peer_options=["--repeat-last"])
        self.assert_says(done, 3, "503", "gave up waiting")

    def test_a_cut_answer_and_a_refusal_are_no_candidates(self):
        cut = answer(RIGHT[:400])
        cut["json"]["choices"][0]["finish_reason"] = "length"
        done, _, run = self.ask([cut, answer("", refusal="I cannot do that."), answer("No.")],
                                attempts=3)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = sorted(records(run, "attempts"), key=lambda one: one["turn"])
        self.assertEqual([one["outcome"]["kind"] for one in found], ["no_candidate"] * 3)
        self.assertIn("truncated", found[0]["outcome"]["reason"])
        self.assertIn("declines: I cannot do that.", found[1]["outcome"]["reason"])

    def test_a_third_party_server_gives_the_right_kernel(self):
        if why := lacks_peers():
            self.skipTest(why)
        tiny = Tiny(self.folder, KEY)
        self.addCleanup(tiny.stop)
        body = self.folder / "body.json"
        thought = "<think>\nA row a block.\n</think>\n\n"
        body.write_text(json.dumps({"grammar": grammar_of(thought + RIGHT)}))
        for mode in ([], ["--no-stream"]):
            run = self.folder / f"RUN{len(mode)}"
            done = kvgen("run", "--tasks", self.task, "--generator", "openai:tiny", "--base-url",
                         tiny.url, "--extra-body", body, "--max-tokens", 8000, "--out", run,
                         "--no-profile", *mode, env={**os.environ, "KVGEN_API_KEY": KEY})
            self.assertEqual(done.returncode, 0, done.stderr)
            attempt, = records(run, "attempts")
            self.assertEqual(attempt["outcome"]["kind"], "verified")
            origin = attempt["reply"]["origin"]
            self.assertEqual(attempt["reply"]["text"].strip(), RIGHT.strip())
            self.assertIn("A row a block.", origin["reasoning"])
            self.assertEqual(origin["finish_reason"], "stop")
            self.assertGreater(origin["usage"]["completion_tokens"], len(RIGHT) / 2)
            self.assert_key_nowhere(run, done)

    def test_what_is_sent_conforms_to_the_vendors_types(self):
        if why := lacks_peers():
            self.skipTest(why)
        options = ["--temperature", 0.5, "--top-p", 0.9, "--max-tokens", 100]
        peers = [self.ask([answer(WRONG), answer(WRONG)], *options, attempts=2)[1],
                 self.ask([answer(WRONG)], "--no-stream", *options)[1]]
        logs = [str(peer.log) for peer in peers]
        done = subprocess.run([PEERS_PYTHON, "-B", SOURCE / "tests/peers/validate_wire.py",
                               "openai", "log", *logs], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertGreaterEqual(done.stdout.count(": ok"), 3)

    def test_usage_errors(self):
        body = self.folder / "body.json"
        body.write_text('{"messages": []}')
        base = ["run", "--tasks", self.task, "--generator", "openai:m", "--out", self.folder / "R"]
        clean = {k: v for k, v in os.environ.items() if not re.search("OPENAI|KVGEN_(API|BASE)", k)}
        for options, code, words in (
            ([], 3, "--base-url"),
            (["--base-url", "localhost:8000"], 2, "http://"),
            (["--base-url", "http://me:secret@localhost/v1"], 2, "KVGEN_API_KEY"),
            (["--base-url", "http://localhost/v1", "--extra-body", body], 2, '"messages"'),
            (["--base-url", "http://localhost/v1", "--temperature", "9"], 2, "--temperature"),
        ):
            done = kvgen(*base, *options, env=clean)
            self.assert_says(done, code, words)
            self.assertNotIn("secret", done.stderr)


class Prompted(EndToEnd):
    def test_the_worked_example_is_what_it_says_and_verifies(self):
        done = kvgen("prompt", "--task", EXAMPLE / "module.py", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        asked = json.loads(done.stdout)["messages"]
        shown = asked[1]["content"]
        described = (EXAMPLE / "task.md").read_text()
        for block in re.findall(r"^```\n.*?^```$|^- `[^\n]*$", described, re.M | re.S):
            self.assertIn(block, shown)
        self.assertIn(described, asked[0]["content"])
        done = kvgen("verify", "--task", EXAMPLE / "module.py", "--candidate",
                     EXAMPLE / "reply.md", "--no-profile")
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
