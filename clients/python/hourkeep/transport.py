from __future__ import annotations

import json
import math
import random
import re
import time
from datetime import timezone
from decimal import Decimal
from email.utils import parsedate_to_datetime
from http.client import HTTPMessage
from typing import Any, Callable, Dict, Mapping, NamedTuple, Optional
from urllib.parse import SplitResult, quote, urlencode, urlsplit

from .document import FLOATS
from .error import HourkeepError
from .exchange import Answer, exchange
from .pace import Pace
from .version import VERSION


class AnswerSeen(NamedTuple):
    """What `on_response` is called with for every response."""

    method: str
    path: str
    status: int
    headers: HTTPMessage
    """Asked by name, in any case: `headers.get("x-request-id")`."""
    attempt: int
    """From 1 on: which attempt of its call this was."""
    duration: float
    """In seconds, until the answer began."""


class Transport:
    def __init__(
        self,
        api_key: str,
        base_url: str,
        max_retries: int,
        timeout: Optional[float],
        max_wait: Optional[float],
        on_response: Optional[Callable[[AnswerSeen], object]],
        decimal: bool,
    ) -> None:
        if not api_key or not base_url:
            raise ValueError("Hourkeep needs an api_key and a base_url")
        # One that cannot stand in a header fails here, not as a connection that is lost again and again.
        if re.fullmatch(r"[!-~]+", api_key) is None:
            raise ValueError("api_key must be printable ASCII without spaces")
        self._base = _address_of(base_url)
        self._headers = {
            "Authorization": f"Bearer {api_key}",
            "User-Agent": f"hourkeep-client/{VERSION} (python)",
        }
        self._max_retries = max_retries
        self._timeout = timeout or math.inf
        self._max_wait = math.inf if max_wait is None else max_wait
        self._on_response = on_response
        self._reads: Mapping[str, Any] = _AS_DECIMAL if decimal else {}
        self._pace = Pace(self._max_wait)

    def send(
        self,
        method: str,
        path: str,
        query: Optional[Mapping[str, Any]] = None,
        body: Optional[Mapping[str, Any]] = None,
        repeatable: bool = False,
        when_gone: Any = None,
    ) -> Any:
        """Answers with `data`.

        `repeatable` says that it is harmless to do it again, not knowing whether it was done. `when_gone` is a deletion's answer when a
        repeated attempt finds nothing, because one before has done it.
        """
        headers = dict(self._headers)
        content: Optional[bytes] = None
        if body is not None:
            headers["Content-Type"] = "application/json"
            content = json.dumps(body, allow_nan=False, default=_number).encode()
        target = self._base.path + path + _query_of(query or {})
        may_be_done = False
        attempt = 0
        while True:
            attempt += 1
            try:
                with self._pace.turn() as turn:
                    answer = self._ask(turn, method, path, target, headers, content, attempt)
                return _data_of(answer, self._reads)
            except HourkeepError as error:
                if may_be_done and when_gone is not None and error.code == "NOT_FOUND":
                    return when_gone
                may_be_done = may_be_done or not _was_not_done(error)
                if attempt > self._max_retries or not _may_repeat(error, repeatable):
                    raise
                wait = _wait_after(error, attempt)
                if wait > self._max_wait:
                    raise
            time.sleep(wait)

    def _ask(
        self,
        turn: int,
        method: str,
        path: str,
        target: str,
        headers: Mapping[str, str],
        body: Optional[bytes],
        attempt: int,
    ) -> Answer:
        sent_at = time.monotonic()

        def on_head(status: int, answered: HTTPMessage) -> None:
            self._pace.learn(turn, answered.get("ratelimit"))
            if self._on_response is None:
                return
            duration = time.monotonic() - sent_at
            try:
                self._on_response(AnswerSeen(method, path, status, answered, attempt, duration))
            except Exception:  # Whoever looks on does not decide how a call ends.
                pass

        return exchange(self._base, method, target, headers, body, self._timeout, on_head)


def segment(id: str) -> str:
    """An id in a path. Without one, or with dots that a URL resolves, the path would be another one."""
    if not isinstance(id, str) or id in ("", ".", ".."):
        raise HourkeepError("INVALID_ARGUMENT", f"an id is required, not {id!r}")
    return quote(id, safe="")


def _address_of(base_url: str) -> SplitResult:
    base = urlsplit(base_url)
    if base.scheme not in ("http", "https") or not base.hostname:
        raise ValueError(f"base_url must begin with https:// or http://: {base_url}")
    _ = base.port  # Fails here if it is none.
    return base._replace(path=quote(base.path.rstrip("/"), safe="/%"))


def _query_of(query: Mapping[str, Any]) -> str:
    # "from" is a word of Python's own, so it may be written from_.
    given = {name.rstrip("_"): _text(value) for name, value in query.items() if value is not None}
    return f"?{urlencode(given)}" if given else ""


def _text(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return ",".join(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def _number(value: object) -> float:
    # The shortest digits of the float are those of the amount, up to the largest one that the API takes.
    if isinstance(value, Decimal):
        return float(value)
    raise TypeError(f"{value!r} cannot be sent as JSON")


def _floats_as_decimal(fields: Dict[str, Any]) -> Dict[str, Any]:
    # JSON writes 350.00 as 350, which Python reads as an int.
    for name in FLOATS & fields.keys():
        if type(fields[name]) is int:
            fields[name] = Decimal(fields[name])
    return fields


_AS_DECIMAL = {"parse_float": Decimal, "object_hook": _floats_as_decimal}


def _data_of(answer: Answer, reads: Mapping[str, Any]) -> Any:
    parsed = _parsed(answer.body, reads)
    if 200 <= answer.status < 300 and parsed.get("success") is True:
        return parsed.get("data")
    error = parsed.get("error") if parsed.get("success") is False else None
    if not isinstance(error, dict):
        error = {}
    other = f"Not an answer of the Hourkeep API (status {answer.status}): is base_url right?"
    raise HourkeepError(
        error.get("code") or "UNEXPECTED_ANSWER",
        error.get("message") or other,
        answer.status,
        error.get("request_id") or answer.headers.get("x-request-id"),
        error.get("details"),
        _seconds_of(answer.headers.get("retry-after")),
        error.get("outcome"),
    )


def _parsed(body: bytes, reads: Mapping[str, Any]) -> Mapping[str, Any]:
    try:
        parsed = json.loads(body, **reads)
    except ValueError:
        return {}
    return parsed if isinstance(parsed, dict) else {}


def _seconds_of(retry_after: Optional[str]) -> Optional[float]:
    """Seconds, or a date as HTTP also allows."""
    if retry_after is None:
        return None
    if re.fullmatch(r"[0-9]+", retry_after):
        return int(retry_after)
    try:
        at = parsedate_to_datetime(retry_after)
    except (TypeError, ValueError):
        return None
    if at.tzinfo is None:
        at = at.replace(tzinfo=timezone.utc)
    return max(0.0, at.timestamp() - time.time())


def _was_not_done(error: HourkeepError) -> bool:
    return error.status == 429 or error.outcome == "not_done"


def _may_repeat(error: HourkeepError, repeatable: bool) -> bool:
    """What was certainly not done may always be repeated; what may have been done, where repeating is harmless."""
    # Velocity is a rule about one guest: waiting in line for it would only hide the refusal.
    if error.code == "GUEST_BOOKING_VELOCITY":
        return False
    if _was_not_done(error):
        return True
    is_unknown = error.code in ("TIMEOUT", "CONNECTION_LOST") or error.status in (500, 502, 503, 504)
    return is_unknown and repeatable


def _wait_after(error: HourkeepError, attempt: int) -> float:
    """In seconds: what the service asks for, or from a quarter of a second on, doubled each time.

    By chance more, so that many do not come back at once.
    """
    if error.retry_after is None:
        return 0.25 * 2.0 ** (attempt - 1) * (1 + random.random())
    return error.retry_after + 0.25 * random.random()
