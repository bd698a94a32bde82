from __future__ import annotations

import io
import math
import socket
import ssl
import time
from http.client import HTTPConnection, HTTPException, HTTPMessage, HTTPResponse
from typing import Any, Callable, Mapping, NamedTuple, Optional
from urllib.parse import SplitResult

from .error import HourkeepError


class Answer(NamedTuple):
    status: int
    headers: HTTPMessage
    body: bytes


def exchange(
    base: SplitResult,
    method: str,
    target: str,
    headers: Mapping[str, str],
    body: Optional[bytes],
    timeout: float,
    on_head: Callable[[int, HTTPMessage], None],
) -> Answer:
    """One request on a connection of its own: one that was kept may be gone just when it is needed.

    The timeout is for all of it: a socket's own begins anew with every byte. Redirects are not followed, and no proxy is asked.
    """
    deadline = _Deadline(timeout)
    connection = HTTPConnection(base.hostname or "", base.port or (443 if base.scheme == "https" else 80))
    try:
        connection.sock = _connect(base, deadline)
        deadline.set_on(connection.sock)
        connection.request(method, target, body=body, headers={**headers, "Connection": "close"})
        response = HTTPResponse(_Timed(connection.sock, deadline), method=method)  # type: ignore[arg-type]
        response.begin()
        on_head(response.status, response.headers)
        return Answer(response.status, response.headers, response.read())
    except (OSError, HTTPException) as error:
        # With a number it is the machine's own: a network that does not answer.
        if isinstance(error, socket.timeout) and error.errno is None:
            raise HourkeepError("TIMEOUT", f"No answer within {timeout:g} s") from error
        raise HourkeepError("CONNECTION_LOST", "The connection to the service was lost") from error
    finally:
        connection.close()


class _Deadline:
    def __init__(self, timeout: float) -> None:
        self._at = time.monotonic() + timeout

    def left(self) -> Optional[float]:
        left = self._at - time.monotonic()
        if left <= 0:
            raise socket.timeout("timed out")
        return None if math.isinf(left) else left

    def set_on(self, sock: socket.socket) -> None:
        sock.settimeout(self.left())


class _Timed(io.RawIOBase):
    """A socket as HTTPResponse reads it, under one deadline."""

    def __init__(self, sock: socket.socket, deadline: _Deadline) -> None:
        self._sock = sock
        self._deadline = deadline

    def makefile(self, _mode: str) -> io.BufferedReader:
        return io.BufferedReader(self)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._deadline.set_on(self._sock)
        return self._sock.recv_into(buffer)


def _connect(base: SplitResult, deadline: _Deadline) -> socket.socket:
    is_secure = base.scheme == "https"
    host = base.hostname or ""
    found = socket.getaddrinfo(host, base.port or (443 if is_secure else 80), 0, socket.SOCK_STREAM)
    lost: Optional[OSError] = None
    for family, kind, protocol, _, address in found:
        sock = socket.socket(family, kind, protocol)
        try:
            deadline.set_on(sock)
            sock.connect(address)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if not is_secure:
                return sock
            return ssl.create_default_context().wrap_socket(sock, server_hostname=host)
        except OSError as error:
            sock.close()
            lost = error
    raise lost or OSError(f"no address for {host}")
