"""What can go wrong with a task file, said in one sentence with file and line."""

from __future__ import annotations

import traceback


class CaptureError(Exception):
    """`code` is one of kvgen's error codes: invalid, missing, timeout, full, internal."""

    def __init__(self, message: str, code: str = "invalid", retryable: bool = False):
        super().__init__(message)
        self.message = message
        self.code = code
        self.retryable = retryable


class PartOfItsOwn(CaptureError):
    """What was exported is no straight line; as it goes on real values it is one."""


class OutOfTime(BaseException):
    """Raised by the alarm; not an Exception, so that task code seldom swallows it."""


def one_line(text: object, limit: int = 300) -> str:
    line = " ".join(str(text).split())
    return line if len(line) <= limit else line[: limit - 3] + "..."


def line_in(error: BaseException, filename: str) -> int | None:
    """The deepest line of the task file that the exception passed through."""
    if isinstance(error, SyntaxError) and error.filename == filename:
        return error.lineno
    lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == filename]
    return lines[-1] if lines else None


def place(filename: str, line: int | None) -> str:
    return f"{filename}:{line}" if line else filename


def explain(error: BaseException, filename: str, doing: str) -> CaptureError:
    """An exception of task code, or of torch over task code, as one sentence."""
    if isinstance(error, CaptureError):
        return error
    where = place(filename, line_in(error, filename))
    if isinstance(error, SyntaxError):
        return CaptureError(f"{where}: syntax error: {one_line(error.msg)}")
    if isinstance(error, ModuleNotFoundError) and error.name:
        package = error.name.split(".")[0]
        return CaptureError(
            f"{where}: needs the Python package '{package}', which is not installed here; "
            f"install it beside torch or leave this file out",
            code="missing",
        )
    if isinstance(error, MemoryError):
        return CaptureError(f"{where}: ran out of memory while {doing}", code="full")
    if isinstance(error, OutOfTime):
        return CaptureError(f"{where}: took longer than {error} s, last seen {doing}", "timeout")
    if isinstance(error, (SystemExit, KeyboardInterrupt)):
        return CaptureError(f"{where}: calls exit while {doing}; a task file must only define")
    if isinstance(error, RecursionError):
        return CaptureError(f"{where}: recurses without end while {doing}")
    kind = type(error).__name__
    return CaptureError(f"{where}: {kind} while {doing}: {one_line(error) or 'no message'}")
