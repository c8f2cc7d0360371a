"""A scripted OpenAI-compatible server for one test (tests/peers/fault_peer.py)."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from support import SOURCE

FAULT_PEER = SOURCE / "tests" / "peers" / "fault_peer.py"
KEY = "sk-test-0123456789abcdef"


def answer(text: str, **message) -> dict:
    """A step: a whole answer, not streamed."""
    return {
        "json": {
            "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "told-model",
            "choices": [{"index": 0, "finish_reason": "stop",
                         "message": {"role": "assistant", "content": text, **message}}],
            "usage": {"prompt_tokens": 1000, "completion_tokens": 200, "total_tokens": 1200},
        },
        "headers": {"x-request-id": "req-1"},
    }


def stream(text: str, piece: int = 7) -> dict:
    """A step: the same in small deltas."""
    parts = [text[i:i + piece] for i in range(0, len(text), piece)]
    chunks = [{"id": "chatcmpl-2", "model": "told-model",
               "choices": [{"index": 0, "delta": {"content": part}}]} for part in parts]
    chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    chunks.append({"choices": [], "usage": {"prompt_tokens": 1000, "completion_tokens": 200}})
    return {"sse": [*chunks, "[DONE]"], "headers": {"x-request-id": "req-2"}}


class Peer:
    def __init__(self, folder: Path, steps: list[dict], *more: str):
        script = folder / "steps.json"
        script.write_text(json.dumps(steps))
        self.log = folder / "requests.jsonl"
        self.process = subprocess.Popen(
            [sys.executable, "-B", FAULT_PEER, "0", "--script", script, "--log", self.log, *more],
            stdout=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().split()[1] + "/v1"

    def requests(self) -> list[dict]:
        """What was asked: bodies, in order, with their headers."""
        if not self.log.exists():
            return []
        lines = [json.loads(line) for line in self.log.read_text().splitlines()]
        return [{**line, "body": json.loads(line["body"])} for line in lines]

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


# A Python that has what tests/peers/requirements.txt lists, made by tools/test.
PEERS_PYTHON = os.environ.get("KVGEN_PEERS_PYTHON", "")


def lacks_peers() -> str:
    """Why the third-party peers cannot be asked; "" when they can."""
    if not PEERS_PYTHON or not Path(PEERS_PYTHON).exists():
        return "no Python with tests/peers/requirements.txt (tools/test makes one)"
    asked = subprocess.run([PEERS_PYTHON, "-c", "import xllamacpp, gguf, openai"],
                           capture_output=True, text=True)
    return asked.stderr.strip().splitlines()[-1] if asked.returncode != 0 else ""


class Tiny:
    """llama.cpp's server on a random model of half a megabyte."""

    def __init__(self, folder: Path, key: str):
        peers = SOURCE / "tests" / "peers"
        model = folder / "tiny.gguf"
        subprocess.run([PEERS_PYTHON, "-B", peers / "make_tiny_gguf.py", model, "--ctx", "32768"],
                       check=True, capture_output=True)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.process = subprocess.Popen(
            [PEERS_PYTHON, "-B", peers / "serve_llamacpp.py", model, str(port), "--api-key", key,
             "--ctx", "65536"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.url = f"http://127.0.0.1:{port}/v1"
        for _ in range(300):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=2).close()
                return
            except OSError:
                time.sleep(0.1)
        self.stop()
        raise RuntimeError("the tiny server does not start")

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait()


def grammar_of(text: str) -> str:
    """A grammar whose only sentence is the text."""
    return "root ::= " + json.dumps(text, ensure_ascii=False)
