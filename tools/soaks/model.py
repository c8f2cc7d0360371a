"""A scripted language model for soaks: an OpenAI-compatible server that answers by the task's name.

    python3 model.py --log ANSWERED --reply NAME=FILE ...    prints its URL

Most answers hold no candidate, some a plan that is none, and some the right kernel (those of
the reply whose NAME the task's name begins with). One line a request goes to the log: when it
came, its task, its turn, and whether its answer was written whole.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import re
import time
from pathlib import Path

NO_PLAN = "```hip\n__global__ void k(float* out) { out[0] = 0; }\n```\n```json\n{\"plan\": 1, \"run\": 3}\n```\n"
NOTHING = "I would begin with the shapes, and then think about the memory traffic.\n"


class Model:
    def __init__(self, log: Path, replies: dict[str, str], right: int, seconds: float):
        self.log = log.open("a")
        self.replies = replies
        self.right = right
        self.seconds = seconds

    def text_for(self, task: str) -> str:
        chance = int(hashlib.sha256(task.encode()).hexdigest()[:8], 16) % 1000
        if chance < self.right:
            for name, reply in self.replies.items():
                if task.startswith(name):
                    return reply
        return NO_PLAN if chance % 10 == 0 else NOTHING

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
                size = int(re.search(r"content-length: (\d+)", head).group(1))
                body = json.loads(await reader.readexactly(size))
                await self.answer(body, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def answer(self, body: dict, writer: asyncio.StreamWriter) -> None:
        came = time.time()
        messages = body["messages"]
        task = re.search(r"Write kernels for the module `([^`]+)`", messages[1]["content"]).group(1)
        await asyncio.sleep(self.seconds)
        chunks = [
            {"model": "soak", "choices": [{"index": 0, "delta": {"content": self.text_for(task)}}]},
            {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
            {"choices": [], "usage": {"prompt_tokens": 10, "completion_tokens": 5}},
        ]
        lines = [json.dumps(chunk) for chunk in chunks] + ["[DONE]"]
        data = "".join(f"data: {line}\n\n" for line in lines).encode()
        whole = True
        try:
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                         b"Content-Length: %d\r\n\r\n" % len(data) + data)
            await writer.drain()
        except ConnectionError:
            whole = False
        turn = sum(message["role"] == "assistant" for message in messages)
        self.log.write(json.dumps({"t": came, "task": task, "turn": turn, "whole": whole}) + "\n")
        self.log.flush()


async def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--log", type=Path, required=True)
    parser.add_argument("--reply", action="append", default=[], help="NAME=FILE")
    parser.add_argument("--right", type=int, default=20, help="right answers in a thousand")
    parser.add_argument("--seconds", type=float, default=0.02, help="that an answer takes")
    given = parser.parse_args()
    replies = {name: Path(file).read_text()
               for name, file in (one.split("=", 1) for one in given.reply)}
    model = Model(given.log, replies, given.right, given.seconds)
    server = await asyncio.start_server(model.serve, "127.0.0.1", 0, limit=1 << 24)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
