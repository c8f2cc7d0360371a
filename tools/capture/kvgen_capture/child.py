"""Runs work on untrusted code in a forked child, of which nothing outlives the answer."""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import tempfile
import time
from typing import Any, Callable

from . import sandbox
from .errors import CaptureError, OutOfTime

_ANSWER_LIMIT = 64 << 20
_GRACE = 5  # seconds between the alarm inside and the kill outside


def _alarm(seconds: int) -> None:
    def out_of_time(signum, frame):  # noqa: ANN001
        # Again soon, for code that swallowed the first.
        signal.alarm(1)
        raise OutOfTime(str(seconds))

    signal.signal(signal.SIGALRM, out_of_time)
    signal.alarm(seconds)


def _answer_of(work: Callable[[list[str]], Any], seconds: int, memory: int, folder: str) -> Any:
    try:
        have = sandbox.enter(seconds + _GRACE, memory, folder)
        _alarm(seconds)
        body = work(have)
        signal.alarm(0)
        return {"ok": True, "body": body}
    except CaptureError as error:
        signal.alarm(0)
        told = {"code": error.code, "message": error.message, "retryable": error.retryable}
        return {"ok": False, "error": told}
    except OutOfTime as error:
        return {"ok": False, "error": {"code": "timeout", "message": f"took longer than {error} s",
                                       "retryable": False}}
    except BaseException as error:  # a fault of ours: the module's are CaptureErrors
        signal.alarm(0)
        message = f"capture failed: {type(error).__name__}: {error}"
        return {"ok": False, "error": {"code": "internal", "message": message, "retryable": False}}


def _work_in_child(work, seconds: int, memory: int, folder: str, answer: int, keep: int) -> None:
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nowhere, standard)
    # Only the standard ones and the answer's stay open: not the frames'.
    os.dup2(answer, keep)
    os.closerange(3, keep)
    os.closerange(keep + 1, 4096)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(HOME=folder, TMPDIR=folder, PATH="/usr/bin:/bin")
    reply = json.dumps(_answer_of(work, seconds, memory, folder), allow_nan=False).encode()
    with os.fdopen(keep, "wb") as pipe:
        pipe.write(reply)


def _fork_twice(work, seconds: int, memory: int, folder: str, answer: int) -> int:
    """The middle process exists so that the inner one is first in its process namespace."""
    outer = os.fork()
    if outer:
        return outer
    status = 1
    try:
        sandbox.die_with_parent()
        os.setpgid(0, 0)
        sandbox.leave_namespaces()
        inner = os.fork()
        if inner == 0:
            try:
                sandbox.die_with_parent()
                _work_in_child(work, seconds, memory, folder, answer, 200)
                status = 0
            finally:
                os._exit(status)
        os.close(answer)
        _, raw = os.waitpid(inner, 0)
        code = os.waitstatus_to_exitcode(raw)
        # As a shell says it: a death by signal is 128 and the signal.
        status = code if code >= 0 else 128 - code
    finally:
        os._exit(status)


def _collect(pipe: int, process: int, deadline: float) -> tuple[bytes, bool]:
    """What the child said before it ended, and whether it ended in time."""
    poller = select.poll()
    poller.register(pipe, select.POLLIN)
    poller.register(process, select.POLLIN)
    os.set_blocking(pipe, False)
    said = bytearray()
    ended = False
    while True:
        left = deadline - time.monotonic()
        if left <= 0:
            return bytes(said), False
        ready = poller.poll(0 if ended else left * 1000)
        ended = ended or any(fd == process for fd, _ in ready)
        try:
            chunk = os.read(pipe, 1 << 20)
        except BlockingIOError:
            if ended:
                return bytes(said), True
            continue
        if not chunk:
            return bytes(said), True
        said += chunk
        if len(said) > _ANSWER_LIMIT:
            return b"", True


def run(work: Callable[[list[str]], Any], what: str, seconds: int, memory: int) -> Any:
    """`work` gets the sandbox's parts in force; its result is JSON. CaptureError if it fails.

    `what` names the file in messages. The child may allocate `memory` bytes more.
    """
    folder = tempfile.mkdtemp(prefix="capture", dir=os.getcwd())
    receive, answer = os.pipe()
    child = process = -1
    try:
        child = _fork_twice(work, seconds, memory, folder, answer)
        os.close(answer)
        process = os.pidfd_open(child)
        said, in_time = _collect(receive, process, time.monotonic() + seconds + _GRACE)
        status = _end(child)
        child = -1
        return _opened(said, in_time, status, what, seconds)
    finally:
        if child > 0:
            _end(child)
        if process >= 0:
            os.close(process)
        os.close(receive)
        shutil.rmtree(folder, ignore_errors=True)


def _end(child: int) -> int:
    # A moment to end by itself: its answer is complete, its status says how it went.
    for _ in range(50):
        done, raw = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(raw)
        time.sleep(0.002)
    try:
        os.killpg(child, signal.SIGKILL)
    except ProcessLookupError:
        os.kill(child, signal.SIGKILL)
    _, raw = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(raw)


def _opened(said: bytes, in_time: bool, status: int, what: str, seconds: int) -> Any:
    if not in_time:
        raise CaptureError(f"{what}: took longer than {seconds} s and was killed", "timeout")
    try:
        reply = json.loads(said)
        if reply["ok"]:
            return reply["body"]
        error = reply["error"]
    except (ValueError, KeyError, TypeError):
        raise CaptureError(f"{what}: {_death(status)}") from None
    raise CaptureError(str(error["message"]), str(error["code"]), bool(error["retryable"]))


def _death(status: int) -> str:
    number = status - 128 if status > 128 else -status
    if status > 128 or status < 0:
        name = signal.Signals(number).name if number in set(signal.Signals) else str(number)
        return f"its process died ({name}) before the capture was done"
    return f"it ended its process (exit status {status}) before the capture was done"
