from __future__ import annotations

from typing import Any, Literal, Optional, Tuple, Union

from .document import ApiErrorCode

ErrorCode = Union[
    ApiErrorCode,
    # No answer within `timeout`; no connection, or one that broke before the whole answer was there; something else than this API
    # answered, such as a proxy; a webhook delivery that cannot be trusted.
    Literal["TIMEOUT", "CONNECTION_LOST", "UNEXPECTED_ANSWER", "INVALID_SIGNATURE", "INVALID_ARGUMENT"],
]


class HourkeepError(Exception):
    """Everything that a call can fail with."""

    code: ErrorCode
    """Stable; decide by this."""
    message: str
    """For people; may change."""
    status: int
    """The HTTP status; 0 where there was no answer."""
    request_id: Optional[str]
    """Names the request in the service's log: keep it when you ask for help."""
    details: Any
    """Field by field on a VALIDATION_ERROR; the facts of the refusal on others, such as the hours that clash."""
    retry_after: Optional[float]
    """Seconds to wait before trying again, where the service said so."""
    outcome: Optional[Literal["not_done", "unknown"]]
    """Of a 503: `not_done`, or `unknown` where it may have been done all the same."""

    def __init__(
        self,
        code: ErrorCode,
        message: str,
        status: int = 0,
        request_id: Optional[str] = None,
        details: Any = None,
        retry_after: Optional[float] = None,
        outcome: Optional[Literal["not_done", "unknown"]] = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.status = status
        self.request_id = request_id
        self.details = details
        self.retry_after = retry_after
        self.outcome = outcome

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"

    def __reduce__(self) -> Tuple[Any, ...]:
        # So that it gets whole from one process to another.
        facts = (self.status, self.request_id, self.details, self.retry_after, self.outcome)
        return type(self), (self.code, self.message, *facts)
