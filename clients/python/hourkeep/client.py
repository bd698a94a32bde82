from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any, Callable, Iterator, List, Mapping, Optional, cast, overload

from .document import (
    Availability,
    BlockedDays,
    BlockedHours,
    Booking,
    BookingChanges,
    BookingPage,
    BookingQuery,
    CreateBlocks,
    CreateBlocksOnDays,
    CreateBooking,
    CreateWebhook,
    DayAvailability,
    DeleteBlocks,
    DeleteBlocksOnDays,
    DeletedWebhook,
    Earnings,
    SettlementReport,
    Space,
    UnblockedDays,
    UnblockedHours,
    UpdateListing,
    UpdateWebhook,
    Webhook,
)
from .transport import AnswerSeen, Transport, segment

if TYPE_CHECKING:
    # Type checkers bring it; at run time nobody asks for it.
    from typing_extensions import Unpack

# A create demands these or has defaults for them. What else a booking has is the service's to keep.
KEPT_BY_MOVE = (
    "space_id date start_hour end_hour guest_email guest_name guest_phone settlement_mode"
).split()


class Hourkeep:
    """The Host Integration API with one API key: what that key sees is one host's production or sandbox.

    Threads may share it, and should: calls wait in one line when the key's requests are used up.
    """

    def __init__(
        self,
        *,
        api_key: str,
        base_url: str,
        max_retries: int = 2,
        timeout: Optional[float] = 30,
        max_wait: Optional[float] = 90,
        on_response: Optional[Callable[[AnswerSeen], object]] = None,
        decimal: bool = False,
    ) -> None:
        """
        api_key: `hk_live_…` sees the host's production spaces, `hk_test_…` the sandbox.
        base_url: where the service is, such as `https://api.example.com`.
        max_retries: how often a call may be repeated when that is safe.
        timeout: seconds that one attempt may take until its whole answer is there; 0 or None is for ever.
        max_wait: seconds that a call may wait for its turn when the key's requests are used up; beyond, it is refused with
            RATE_LIMIT_EXCEEDED.
        on_response: is called with every response, for logs. What it raises is ignored.
        decimal: amounts are `Decimal` instead of `float`, also whole ones, so that sums are exact. Counts stay `int`.
        """
        transport = Transport(api_key, base_url, max_retries, timeout, max_wait, on_response, decimal)
        self.spaces = Spaces(transport)
        self.availability = AvailabilityOf(transport)
        self.bookings = Bookings(transport)
        self.blocks = Blocks(transport)
        self.settlement = Settlement(transport)
        self.earnings = EarningsOf(transport)
        self.webhooks = Webhooks(transport)


class UpdatedSpace(Space, total=False):
    """A space, and after `rotate_ical_token` the new address of its feed."""

    ical_feed_url: str


class _Part:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def _read(self, path: str, query: Optional[Mapping[str, Any]] = None) -> Any:
        return self._transport.send("GET", path, query=query, repeatable=True)


class Spaces(_Part):
    def list(self) -> List[Space]:
        """Every space of the host."""
        return cast(List[Space], self._read("/api-listings/api/v1/spaces")["spaces"])

    def get(self, id: str) -> Space:
        return cast(Space, self._read(f"/api-listings/api/v1/spaces/{segment(id)}")["space"])

    def update(self, id: str, **fields: Unpack[UpdateListing]) -> UpdatedSpace:
        """Changes what is given, at least one field.

        With `rotate_ical_token=True` the answer has the new `ical_feed_url`, this once. After a lost connection with a calendar
        connected or disconnected, `get` tells whether it was done.
        """
        path = f"/api-listing-update/api/v1/spaces/{segment(id)}"
        data = self._transport.send("PATCH", path, body=fields, repeatable=_is_harmless(fields))
        space = data.pop("space")
        return cast(UpdatedSpace, {**space, **data})


class AvailabilityOf(_Part):
    def get(self, space_id: str, date: str, days: Optional[int] = None) -> Availability:
        """The 24 hours of one date (YYYY-MM-DD) on the space's wall clock. What is available here can be booked.

        With `days` the answer has as many dates in its field `days`.
        """
        path = f"/api-availability/api/v1/spaces/{segment(space_id)}/availability"
        return cast(Availability, self._read(path, {"date": date, "days": days}))

    def days(self, space_id: str, date: str, days: int) -> List[DayAvailability]:
        """So many days (1 to 31) from a date on, in one request."""
        return self.get(space_id, date, days)["days"]


class Bookings(_Part):
    def list(self, **query: Unpack[BookingQuery]) -> BookingPage:
        """One page, ordered by date, start hour and id. `from` is a word of Python's own: write `from_`."""
        return self._page(query)

    def iterate(self, **query: Unpack[BookingQuery]) -> Iterator[Booking]:
        """Every booking that matches, page after page."""
        # The largest pages: fewest requests of those that the key has in a minute.
        wanted: Mapping[str, Any] = {"limit": 200, **query}
        while True:
            page = self._page(wanted)
            yield from page["bookings"]
            cursor = page["pagination"]["next_cursor"]
            if cursor is None:
                return
            wanted = {**wanted, "offset": None, "cursor": cursor}

    def create(self, **fields: Unpack[CreateBooking]) -> Booking:
        """Books every hour from `start_hour` up to `end_hour`, or none.

        Without an `idempotency_key` it makes one, so that a lost connection can be tried again without booking twice.
        """
        return self._create(fields)

    def get(self, id: str) -> Booking:
        return cast(Booking, self._read(f"/api-booking-detail/api/v1/bookings/{segment(id)}")["booking"])

    def move(self, id: str, **changes: Unpack[BookingChanges]) -> Booking:
        """Moves a booking to another hour, day, length or space, and answers with the new one.

        The old one is cancelled and the new one made in one step, and an hour that both have is never free. What `changes` lacks is
        the old booking's.
        """
        old = self.get(id)
        kept = {name: value for name, value in old.items() if name in KEPT_BY_MOVE and value is not None}
        return self._create({**kept, **changes, "replaces": old["id"]})

    def changes(self, since: Optional[str], callback: Callable[[List[Booking]], object]) -> str:
        """Hands every page of what has changed since then to `callback`, and answers with the `since` of the next time.

        Keep it where you keep the bookings. Without one (None) it begins with everything. No change is missed; one may come twice.
        """
        query = {"limit": 200, "updated_since": since or "1970-01-01T00:00:00Z"}
        cursor: Optional[str] = None
        while True:
            page = self._page({**query, "cursor": cursor})
            if page["bookings"]:
                callback(page["bookings"])
            cursor = page["pagination"]["next_cursor"]
            if cursor is None:
                return page["pagination"]["synced_to"]

    def cancel(self, id: str, *, reason: str) -> Booking:
        """Its hours are free again at once. After a lost connection, `get` tells whether it was cancelled."""
        path = f"/api-cancel-booking/api/v1/bookings/{segment(id)}/cancel"
        return cast(Booking, self._transport.send("POST", path, body={"reason": reason})["booking"])

    def _page(self, query: Mapping[str, Any]) -> BookingPage:
        return cast(BookingPage, self._read("/api-bookings/api/v1/bookings", query))

    def _create(self, fields: Mapping[str, Any]) -> Booking:
        path = "/api-create-booking/api/v1/bookings"
        body = {**fields, "idempotency_key": fields.get("idempotency_key") or secrets.token_hex(16)}
        return cast(Booking, self._transport.send("POST", path, body=body, repeatable=True)["booking"])


class Blocks(_Part):
    @overload
    def create(self, space_id: str, **range: Unpack[CreateBlocksOnDays]) -> BlockedDays: ...

    @overload
    def create(self, space_id: str, **range: Unpack[CreateBlocks]) -> BlockedHours: ...

    def create(self, space_id: str, **range: Any) -> Any:
        """Keeps every hour from `start_hour` up to `end_hour` for the host, or none.

        With `end_date`, the same hours of many days, perhaps only of some `weekdays`; with `skip_occupied=True` those that are free.
        """
        return self._transport.send("POST", _blocks_path(space_id), body=range)

    @overload
    def delete(self, space_id: str, **range: Unpack[DeleteBlocksOnDays]) -> UnblockedDays: ...

    @overload
    def delete(self, space_id: str, **range: Unpack[DeleteBlocks]) -> UnblockedHours: ...

    def delete(self, space_id: str, **range: Any) -> Any:
        """Frees those hours of the range that the host had blocked; with `end_date`, of many days."""
        return self._transport.send("DELETE", _blocks_path(space_id), body=range, repeatable=True)


class Settlement(_Part):
    def report(self, month: str) -> SettlementReport:
        """Who owes whom what for the bookings of one month (YYYY-MM) that were made through the API."""
        path = "/api-settlement-report/api/v1/settlement/report"
        return cast(SettlementReport, self._read(path, {"month": month}))


class EarningsOf(_Part):
    def get(self) -> Earnings:
        return cast(Earnings, self._read("/api-earnings/api/v1/earnings"))


class Webhooks(_Part):
    def list(self) -> List[Webhook]:
        """Every subscription, each with its ten newest deliveries."""
        return cast(List[Webhook], self._read(_WEBHOOKS)["webhooks"])

    def create(self, **fields: Unpack[CreateWebhook]) -> Webhook:
        """The answer has the `secret` that verifies deliveries, this once: keep it."""
        return cast(Webhook, self._transport.send("POST", _WEBHOOKS, body=fields)["webhook"])

    def update(self, id: str, **fields: Unpack[UpdateWebhook]) -> Webhook:
        """Changes what is given. With `rotate_secret=True` the answer has the new `secret`, this once."""
        path = f"{_WEBHOOKS}/{segment(id)}"
        data = self._transport.send("PATCH", path, body=fields, repeatable=_is_harmless(fields))
        return cast(Webhook, data["webhook"])

    def delete(self, id: str) -> DeletedWebhook:
        gone = {"id": id, "deleted": True}
        path = f"{_WEBHOOKS}/{segment(id)}"
        answer = self._transport.send("DELETE", path, repeatable=True, when_gone=gone)
        return cast(DeletedWebhook, answer)


_WEBHOOKS = "/api-webhooks/api/v1/webhooks"


def _is_harmless(fields: Mapping[str, Any]) -> bool:
    """Whether an update may be made twice.

    A second rotation would end the secret or address that the first one made; a calendar that is gone cannot be disconnected.
    """
    return not any(name.startswith(("rotate_", "connect_", "disconnect_")) for name in fields)


def _blocks_path(space_id: str) -> str:
    return f"/api-blocks/api/v1/spaces/{segment(space_id)}/blocks"
