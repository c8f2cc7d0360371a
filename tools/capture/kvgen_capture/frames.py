"""kvgen's worker protocol (worker/frame.h): length-prefixed JSON on a stream socket."""

from __future__ import annotations

import json
import socket
import struct
from typing import Any

_HEADER = struct.Struct("<II")  # bytes of JSON, descriptors beside it
_LIMIT = 64 << 20


class Broken(Exception):
    """The peer broke the protocol; nothing more can be said to it."""


def _exactly(sock: socket.socket, count: int) -> bytes | None:
    """None when the peer closed before the first byte."""
    data = bytearray()
    while len(data) < count:
        chunk = sock.recv(min(count - len(data), 1 << 16))
        if not chunk:
            if data:
                raise Broken("the connection ended inside a message")
            return None
        data += chunk
    return bytes(data)


def read(sock: socket.socket) -> Any:
    header = _exactly(sock, _HEADER.size)
    if header is None:
        return None
    length, descriptors = _HEADER.unpack(header)
    if length > _LIMIT or descriptors:
        raise Broken("a request is too large or carries descriptors")
    text = _exactly(sock, length) if length else b""
    try:
        return json.loads(text or b"")
    except ValueError as error:
        raise Broken(f"a request is not JSON: {error}") from None


def write(sock: socket.socket, value: Any) -> None:
    text = json.dumps(value, allow_nan=False, separators=(",", ":")).encode()
    sock.sendall(_HEADER.pack(len(text), 0) + text)


def success(body: Any) -> Any:
    return {"ok": True, "body": body}


def failure(code: str, message: str, retryable: bool = False) -> Any:
    return {"ok": False, "error": {"code": code, "message": message, "retryable": retryable}}
