from __future__ import annotations

import math
import re
import threading
import time
from collections import deque
from contextlib import contextmanager
from typing import Deque, Iterator, Optional

from .error import HourkeepError


class Pace:
    """Keeps the calls of one client within the rate limit of its key.

    The service says with every answer how many requests are left and when there is one more; when none is left, calls wait in line
    instead of being refused. Threads may share it.
    """

    def __init__(self, max_wait: float) -> None:
        self._max_wait = max_wait
        self._changed = threading.Condition()
        self._line: Deque[object] = deque()
        # How many may be sent. Unknown before the first answer, and where there is no limit.
        self._left: float = math.inf
        # When there is one more, on the monotonic clock.
        self._next_at = 0.0
        # Sent and not answered yet: what an answer says of the rest may not know of them.
        self._under_way = 0
        self._sent = 0
        # What the service last said was left, and how many had been sent when that was read.
        self._said = 0
        self._said_at = 0

    @contextmanager
    def turn(self) -> Iterator[int]:
        """What is done in it is done when it is this call's turn. Its number is for `learn`."""
        number = self._wait()
        try:
            yield number
        finally:
            with self._changed:
                self._under_way -= 1
                self._changed.notify_all()

    def _wait(self) -> int:
        since = time.monotonic()
        me = object()
        with self._changed:
            self._line.append(me)
            try:
                while not self._is_my_turn(me, since):
                    pass
                self._left -= 1
                if self._left <= 0:
                    self._next_at = max(self._next_at, time.monotonic() + 1)
                self._under_way += 1
                self._sent += 1
                return self._sent
            finally:
                # Whoever gives up does not hold up those behind.
                self._line.remove(me)
                self._changed.notify_all()

    def _is_my_turn(self, me: object, since: float) -> bool:
        """Looks once, and waits for something to change."""
        now = time.monotonic()
        until = since + self._max_wait
        if self._line[0] is me:
            # One goes ahead; its answer says how many may follow. Without one, the next goes a second later.
            if self._left <= 0 and self._next_at <= now:
                self._left = 1
            if self._left > 0:
                return True
            # The answers that are under way may say that there are more.
            if self._under_way == 0 and self._next_at > until:
                raise self._too_long(now)
            until = min(until, self._next_at)
        if now >= since + self._max_wait:
            raise self._too_long(now)
        self._changed.wait(min(until - now, threading.TIMEOUT_MAX))
        return False

    def _too_long(self, now: float) -> HourkeepError:
        message = f"Rate limit exceeded: no request is left within {self._max_wait:g} s"
        return HourkeepError(
            "RATE_LIMIT_EXCEEDED", message, retry_after=max(0, math.ceil(self._next_at - now))
        )

    def learn(self, number: int, rate_limit: Optional[str]) -> None:
        """`RateLimit: "default";r=58;t=12`: 58 are left, and in 12 seconds there is one more."""
        found = re.search(r";r=([0-9]+);t=([0-9]+)", rate_limit or "")
        if found is None:
            return
        left, seconds = int(found[1]), int(found[2])
        with self._changed:
            # Threads read answers in any order. Of requests that were under way together, the one that says least was counted last.
            if number > self._said_at or left < self._said:
                self._said, self._said_at = left, self._sent
                self._next_at = time.monotonic() + seconds
            others = self._under_way - 1
            self._left = self._said - others
            self._changed.notify_all()
