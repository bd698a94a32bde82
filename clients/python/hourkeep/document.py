# Made from the OpenAPI document by "npm run client:types"; changes made by hand are lost.

from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, TypedDict, Union


class AvailabilityBlocks(TypedDict):
    start_hour: int
    """First hour, on the space’s wall clock."""
    end_hour: int
    """Hour at which it ends; not part of it: 12 ends at 12:00."""
    reason: Optional[str]
    """A note for yourself; guests and calendars do not see it."""


class _Availability(TypedDict):
    space_id: str
    """The id of the space."""
    date: str
    """Date on the space’s wall clock (YYYY-MM-DD)."""
    timezone: str
    """IANA timezone, such as Europe/Vienna: the wall clock of dates and hours."""
    slots: List[AvailabilitySlot]
    """Hours 0 to 23, in order."""
    blocks: List[AvailabilityBlocks]
    """The host blocks of the day, as runs of hours with one reason."""


class Availability(_Availability, total=False):
    days: List[DayAvailability]
    """Only where `days` was asked for: that many dates from `date` on, which comes first."""


class AvailabilityChangedEventData(TypedDict):
    """The hours of one date."""

    space_id: str
    """The id of the space."""
    date: str
    """Date on the space’s wall clock (YYYY-MM-DD)."""
    hours: List[int]
    """The hours that were taken or freed."""
    cause: Literal["booking_created", "booking_cancelled", "block_created", "block_deleted", "external_calendar"]
    """What changed the hours."""


class AvailabilityChangedEvent(TypedDict):
    """Hours of one date were taken or freed. Read the availability to learn what they are now: events are not ordered."""

    id: str
    """The id of the event: equal to `webhook-id`, and the same on every retry."""
    type: Literal["availability.changed"]
    """The kind of event."""
    timestamp: str
    """When it happened (RFC 3339, UTC)."""
    api_version: Literal["v1"]
    """Version of this API."""
    environment: Literal["production", "sandbox"]
    """Where it happened."""
    request_id: Optional[str]
    """The `X-Request-Id` of the API request that made it happen; null where that was no request, as with a payment or the clock."""
    data: AvailabilityChangedEventData
    """The hours of one date."""


class AvailabilitySlot(TypedDict):
    """One hour of the day on the space’s wall clock."""

    hour: int
    """The hour: 9 is 9:00 to 10:00."""
    available: bool
    """Whether this hour can be booked now."""
    block_reason: Optional[Literal["booked", "external_block", "host_block"]]
    """Who holds the hour. Null on a free hour, and on one that nobody holds but that cannot be booked: outside operating hours, already begun, skipped by daylight saving, or of an inactive space."""


class BlockedHours(TypedDict):
    space_id: str
    """The id of the space."""
    date: str
    """Date on the space’s wall clock (YYYY-MM-DD)."""
    start_hour: int
    """First hour, on the space’s wall clock."""
    end_hour: int
    """Hour at which it ends; not part of it: 12 ends at 12:00."""
    reason: Optional[str]
    """A note for yourself; guests and calendars do not see it."""
    blocked_hours: List[int]
    """The hours that are blocked now."""


class Booking(TypedDict):
    """A booking."""

    id: str
    """The id of the booking."""
    space_id: str
    """The id of the space."""
    status: Literal["confirmed", "cancelled", "completed"]
    """A confirmed booking is completed by the clock, once `ends_at` has passed."""
    source: Literal["api", "platform"]
    """Made through this API, or on the platform’s own site."""
    date: str
    """Date on the space’s wall clock (YYYY-MM-DD)."""
    start_hour: int
    """First hour, on the space’s wall clock."""
    end_hour: int
    """Hour at which it ends; not part of it: 12 ends at 12:00."""
    hours: int
    """Number of hours booked and paid for."""
    timezone: str
    """IANA timezone, such as Europe/Vienna: the wall clock of dates and hours."""
    starts_at: str
    """When it starts (RFC 3339, UTC)."""
    ends_at: str
    """When it ends (RFC 3339, UTC)."""
    guest_name: str
    """Name of the guest."""
    guest_email: str
    """Email address of the guest; required but for a `walk_in`."""
    guest_phone: Optional[str]
    """Phone number of the guest, in any form."""
    price_per_hour: float
    """The space’s price when the booking was made."""
    total_price: float
    """`price_per_hour` times `hours`."""
    currency: str
    """ISO 4217; amounts are in its major units."""
    settlement_mode: Literal["host_settled", "platform_settled"]
    """Whom the guest pays: the host (`host_settled`) or the platform (`platform_settled`)."""
    payment_status: Literal["host_collected", "pending", "confirmed", "refunded"]
    """`host_collected`: the guest pays the host. `pending`, then `confirmed`: the guest pays the platform. `refunded`: the booking was cancelled, and the guest has the money back."""
    payment_due_at: Optional[str]
    """When the booking is cancelled unless it is paid; null where that does not happen (RFC 3339, UTC)."""
    paid_at: Optional[str]
    """When the platform recorded the payment (RFC 3339, UTC)."""
    refunded_at: Optional[str]
    """When the platform recorded that the guest has the money back (RFC 3339, UTC)."""
    reference: Optional[str]
    """The id of the booking in your own system."""
    notes: Optional[str]
    """What to know about the booking."""
    guest_count: Optional[int]
    """How many people come; at most the `capacity` of the space."""
    walk_in: bool
    """Whether the guest came without a booking and took the running hour."""
    idempotency_key: Optional[str]
    """The key that the booking was made with."""
    cancellation_reason: Optional[str]
    """The reason given when it was cancelled."""
    cancelled_at: Optional[str]
    """When it was cancelled (RFC 3339, UTC)."""
    replaces: Optional[str]
    """The id of the booking that was moved here; null if none was."""
    replaced_by: Optional[str]
    """The id of the booking that this one was moved to; null if it was not moved."""
    created_at: str
    """When it was made (RFC 3339, UTC)."""
    updated_at: str
    """When it last changed (RFC 3339, UTC)."""


class BookingCancelledEventData(TypedDict):
    """The booking, as it was right after the event."""

    booking: Booking


class BookingCancelledEvent(TypedDict):
    """A booking was cancelled; its hours are free again."""

    id: str
    """The id of the event: equal to `webhook-id`, and the same on every retry."""
    type: Literal["booking.cancelled"]
    """The kind of event."""
    timestamp: str
    """When it happened (RFC 3339, UTC)."""
    api_version: Literal["v1"]
    """Version of this API."""
    environment: Literal["production", "sandbox"]
    """Where it happened."""
    request_id: Optional[str]
    """The `X-Request-Id` of the API request that made it happen; null where that was no request, as with a payment or the clock."""
    data: BookingCancelledEventData
    """The booking, as it was right after the event."""


class BookingCompletedEventData(TypedDict):
    """The booking, as it was right after the event."""

    booking: Booking


class BookingCompletedEvent(TypedDict):
    """The end of a confirmed booking has passed."""

    id: str
    """The id of the event: equal to `webhook-id`, and the same on every retry."""
    type: Literal["booking.completed"]
    """The kind of event."""
    timestamp: str
    """When it happened (RFC 3339, UTC)."""
    api_version: Literal["v1"]
    """Version of this API."""
    environment: Literal["production", "sandbox"]
    """Where it happened."""
    request_id: Optional[str]
    """The `X-Request-Id` of the API request that made it happen; null where that was no request, as with a payment or the clock."""
    data: BookingCompletedEventData
    """The booking, as it was right after the event."""


class BookingCreatedEventData(TypedDict):
    """The booking, as it was right after the event."""

    booking: Booking


class BookingCreatedEvent(TypedDict):
    """A booking was made, through this API or on the platform’s own site."""

    id: str
    """The id of the event: equal to `webhook-id`, and the same on every retry."""
    type: Literal["booking.created"]
    """The kind of event."""
    timestamp: str
    """When it happened (RFC 3339, UTC)."""
    api_version: Literal["v1"]
    """Version of this API."""
    environment: Literal["production", "sandbox"]
    """Where it happened."""
    request_id: Optional[str]
    """The `X-Request-Id` of the API request that made it happen; null where that was no request, as with a payment or the clock."""
    data: BookingCreatedEventData
    """The booking, as it was right after the event."""


class BookingPage(TypedDict):
    bookings: List[Booking]
    """Ordered by date, start hour and id; with `updated_since` by `updated_at` and id."""
    pagination: Pagination


class BookingQuery(TypedDict, total=False):
    space_id: str
    """Only bookings of this space."""
    status: Literal["confirmed", "cancelled", "completed"]
    """Only bookings of this status."""
    from_: str
    """First local date, inclusive (YYYY-MM-DD)."""
    to: str
    """Last local date, inclusive (YYYY-MM-DD)."""
    limit: int
    """Most bookings in one answer. Default: 50."""
    offset: int
    """Number of bookings to leave out at the start. Far into a long list `cursor` is faster. Default: 0."""
    guest: str
    """Only bookings whose guest’s name or email contains this, whatever the case and accents. Without `from` and `to`: from a year back on; must not be blank."""
    updated_since: str
    """Only bookings that have changed since this time, inclusive (RFC 3339 with a zone), ordered by `updated_at` and id. Not with `from`, `to`, `guest` or `offset`. The answer’s `synced_to` is the time to ask with next, so that no change is missed; begin with 1970-01-01T00:00:00Z."""
    cursor: str
    """The `next_cursor` of the page before, with the same filters and without `offset`: the list goes on behind the last booking shown, whatever was made or cancelled meanwhile."""


class CancelBooking(TypedDict):
    """A cancellation."""

    reason: str
    """Why the booking is cancelled; kept with it; must not be blank."""


class _CreateBlocks(TypedDict):
    date: str
    """Date on the space’s wall clock (YYYY-MM-DD)."""
    start_hour: int
    """First hour, on the space’s wall clock."""
    end_hour: int
    """Hour at which it ends; not part of it: 12 ends at 12:00."""


class CreateBlocks(_CreateBlocks, total=False):
    """The hours to block."""

    reason: str
    """A note for yourself; guests and calendars do not see it."""


class _CreateBooking(TypedDict):
    space_id: str
    """The id of the space."""
    date: str
    """Date on the space’s wall clock (YYYY-MM-DD)."""
    start_hour: int
    """First hour, on the space’s wall clock."""
    end_hour: int
    """Hour at which it ends; not part of it: 12 ends at 12:00."""
    guest_name: str
    """Name of the guest; must not be blank."""


class CreateBooking(_CreateBooking, total=False):
    """The hours wanted, and for whom."""

    guest_email: str
    """Email address of the guest; required but for a `walk_in`."""
    guest_phone: str
    """Phone number of the guest, in any form; must not be blank."""
    settlement_mode: str
    """`host_settled` (the guest pays the host) or `platform_settled` (the guest pays the platform). Without it: `host_settled`."""
    reference: Optional[str]
    """The id of the booking in your own system; need not be unique."""
    notes: Optional[str]
    """What to know about the booking; may have several lines."""
    guest_count: Optional[int]
    """How many people come; at most the `capacity` of the space."""
    walk_in: bool
    """Whether the guest came without a booking and took the running hour."""
    idempotency_key: str
    """Makes the request safe to retry: the same key with the same request returns the first booking. Printable ASCII."""
    replaces: Optional[str]
    """Moves this confirmed booking: it is cancelled and the new one made, both or neither, and nobody can take an hour of either meanwhile."""


class BookingChanges(TypedDict, total=False):
    """What a move changes."""

    space_id: str
    """The id of the space."""
    date: str
    """Date on the space’s wall clock (YYYY-MM-DD)."""
    start_hour: int
    """First hour, on the space’s wall clock."""
    end_hour: int
    """Hour at which it ends; not part of it: 12 ends at 12:00."""
    guest_name: str
    """Name of the guest; must not be blank."""
    guest_email: str
    """Email address of the guest; required but for a `walk_in`."""
    guest_phone: str
    """Phone number of the guest, in any form; must not be blank."""
    settlement_mode: str
    """`host_settled` (the guest pays the host) or `platform_settled` (the guest pays the platform). Without it: `host_settled`."""
    reference: Optional[str]
    """The id of the booking in your own system; need not be unique."""
    notes: Optional[str]
    """What to know about the booking; may have several lines."""
    guest_count: Optional[int]
    """How many people come; at most the `capacity` of the space."""
    walk_in: bool
    """Whether the guest came without a booking and took the running hour."""
    idempotency_key: str
    """Makes the request safe to retry: the same key with the same request returns the first booking. Printable ASCII."""


class _CreateWebhook(TypedDict):
    url: str
    """Where to send events: an https URL on the public internet, without credentials or white space; any port."""
    events: List[Literal["booking.created", "booking.cancelled", "booking.completed", "availability.changed", "listing.updated", "payment.confirmed"]]
    """Which events are sent."""


class CreateWebhook(_CreateWebhook, total=False):
    """What to send, and where."""

    description: Optional[str]
    """A note for yourself: what it is for."""


class DayAvailabilityBlocks(TypedDict):
    start_hour: int
    """First hour, on the space’s wall clock."""
    end_hour: int
    """Hour at which it ends; not part of it: 12 ends at 12:00."""
    reason: Optional[str]
    """A note for yourself; guests and calendars do not see it."""


class DayAvailability(TypedDict):
    """One date: exactly what a request for this date alone answers."""

    date: str
    """Date on the space’s wall clock (YYYY-MM-DD)."""
    slots: List[AvailabilitySlot]
    """Hours 0 to 23, in order."""
    blocks: List[DayAvailabilityBlocks]
    """The host blocks of the day, as runs of hours with one reason."""


class DeleteBlocks(TypedDict):
    """The hours to free."""

    date: str
    """Date on the space’s wall clock (YYYY-MM-DD)."""
    start_hour: int
    """First hour, on the space’s wall clock."""
    end_hour: int
    """Hour at which it ends; not part of it: 12 ends at 12:00."""


class DeletedWebhook(TypedDict):
    id: str
    """The id of the subscription."""
    deleted: Literal[True]
    """Always true."""


class EarningsByMonth(TypedDict):
    month: str
    """The month (YYYY-MM)."""
    bookings: int
    """Number of bookings, without cancelled ones."""
    hours: int
    """Number of hours booked."""
    gross: float
    """What guests pay, in major units of `currency`."""
    commission: float
    """The platform’s share, rounded half up for each booking."""
    net: float
    """`gross` less `commission`."""


class EarningsBySpace(TypedDict):
    space_id: str
    """The id of the space."""
    title: str
    """Title of the space."""
    bookings: int
    """Number of bookings, without cancelled ones."""
    hours: int
    """Number of hours booked."""
    gross: float
    """What guests pay, in major units of `currency`."""
    commission: float
    """The platform’s share, rounded half up for each booking."""
    net: float
    """`gross` less `commission`."""


class Earnings(TypedDict):
    """What a host has earned, and will."""

    currency: str
    """ISO 4217; amounts are in its major units."""
    lifetime: EarningsSums
    """All completed bookings."""
    this_month: EarningsSums
    """Completed bookings of the present month."""
    last_month: EarningsSums
    """Completed bookings of the month before."""
    upcoming: EarningsSums
    """Confirmed bookings, which are still to come."""
    by_month: List[EarningsByMonth]
    """Completed bookings by month, oldest first; the last one is the present month."""
    by_space: List[EarningsBySpace]
    """All completed bookings by space; every space, oldest first."""


class EarningsSums(TypedDict):
    """What some bookings add up to."""

    bookings: int
    """Number of bookings, without cancelled ones."""
    hours: int
    """Number of hours booked."""
    gross: float
    """What guests pay, in major units of `currency`."""
    commission: float
    """The platform’s share, rounded half up for each booking."""
    net: float
    """`gross` less `commission`."""


class ExternalCalendar(TypedDict):
    """A calendar whose events block hours of a space."""

    id: str
    """The id of the connection."""
    address: str
    """Its server and its last four characters. The rest is not shown: it often holds a password."""
    status: Literal["waiting", "ok", "warning", "failing"]
    """`waiting` to be read for the first time; `warning`: read, but not all of it was understood; `failing`: could not be read, the hours of the last time stay."""
    last_synced_at: Optional[str]
    """When it was last read (RFC 3339, UTC)."""
    error: Optional[str]
    """What is wrong with it, in words."""


class ListingUpdatedEventData(TypedDict):
    """The space, as it was right after the event."""

    space: Space
    changed: List[Literal["title", "category_slug", "description", "address", "area", "price_per_hour", "capacity", "operating_hours", "weekly_hours", "booking_rules", "is_active", "amenities", "photo_urls", "timezone", "currency"]]
    """The fields that have a new value."""


class ListingUpdatedEvent(TypedDict):
    """Fields of a space were changed; `changed` names them."""

    id: str
    """The id of the event: equal to `webhook-id`, and the same on every retry."""
    type: Literal["listing.updated"]
    """The kind of event."""
    timestamp: str
    """When it happened (RFC 3339, UTC)."""
    api_version: Literal["v1"]
    """Version of this API."""
    environment: Literal["production", "sandbox"]
    """Where it happened."""
    request_id: Optional[str]
    """The `X-Request-Id` of the API request that made it happen; null where that was no request, as with a payment or the clock."""
    data: ListingUpdatedEventData
    """The space, as it was right after the event."""


class _Pagination(TypedDict):
    limit: int
    """Most bookings in one answer."""
    offset: int
    """Number of bookings to leave out at the start. Far into a long list `cursor` is faster."""
    total: int
    """Number of bookings that match the filter, counted up to 10,000."""
    total_is_exact: bool
    """False when there are more than `total`."""
    has_more: bool
    """Whether there is a page after this one."""
    next_cursor: Optional[str]
    """Goes into `cursor` for the page after this one; null on the last page."""


class Pagination(_Pagination, total=False):
    """Which part of the list this is."""

    synced_to: str
    """Only with `updated_since`, and the same on all pages of one walk: the `updated_since` of the next walk. Whoever goes through all pages each time sees every change at least once (RFC 3339, UTC)."""


class PaymentConfirmedEventData(TypedDict):
    """The booking, as it was right after the event."""

    booking: Booking


class PaymentConfirmedEvent(TypedDict):
    """The platform has received the guest’s payment for a platform-settled booking."""

    id: str
    """The id of the event: equal to `webhook-id`, and the same on every retry."""
    type: Literal["payment.confirmed"]
    """The kind of event."""
    timestamp: str
    """When it happened (RFC 3339, UTC)."""
    api_version: Literal["v1"]
    """Version of this API."""
    environment: Literal["production", "sandbox"]
    """Where it happened."""
    request_id: Optional[str]
    """The `X-Request-Id` of the API request that made it happen; null where that was no request, as with a payment or the clock."""
    data: PaymentConfirmedEventData
    """The booking, as it was right after the event."""


class SettlementLine(TypedDict):
    """One booking of a settlement report."""

    booking_id: str
    """The id of the booking."""
    space_id: str
    """The id of the space."""
    space_title: str
    """Title that the space has now."""
    date: str
    """Date on the space’s wall clock (YYYY-MM-DD)."""
    start_hour: int
    """First hour, on the space’s wall clock."""
    end_hour: int
    """Hour at which it ends; not part of it: 12 ends at 12:00."""
    hours: int
    """Number of hours; 0 when the booking is cancelled."""
    status: Literal["confirmed", "cancelled", "completed"]
    """`cancelled` only where the guest has paid the platform and is to get the money back."""
    settlement_mode: Literal["host_settled", "platform_settled"]
    """Whom the guest pays: the host (`host_settled`) or the platform (`platform_settled`)."""
    payment_status: Literal["host_collected", "pending", "confirmed", "refunded"]
    """`host_collected`: the guest pays the host. `pending`, then `confirmed`: the guest pays the platform. `refunded`: the booking was cancelled, and the guest has the money back."""
    gross: float
    """Price of the booking, as it was when it was made; 0 when cancelled."""
    commission_rate: float
    """Share of the platform, as it was when the booking was made."""
    commission: float
    """`gross` times `commission_rate`, rounded half up to the currency’s smallest unit."""
    net: float
    """`gross` less `commission`."""


class SettlementReportBySettlementMode(TypedDict):
    settlement_mode: Literal["host_settled", "platform_settled"]
    """Whom the guest pays: the host (`host_settled`) or the platform (`platform_settled`)."""
    bookings: int
    """Number of bookings, without cancelled ones."""
    hours: int
    """Number of hours booked."""
    gross: float
    """What guests pay, in major units of `currency`."""
    commission: float
    """The platform’s share, rounded half up for each booking."""
    net: float
    """`gross` less `commission`."""


class SettlementReportRefundsPending(TypedDict):
    """Bookings that were paid to the platform, then cancelled, and not refunded yet."""

    bookings: int
    """Number of bookings."""
    amount: float
    """What guests are to get back."""


class SettlementReport(TypedDict):
    """What host and platform owe each other for one month."""

    month: str
    """The month (YYYY-MM)."""
    currency: str
    """ISO 4217; amounts are in its major units."""
    status: Literal["open", "closed"]
    """`closed` once the month has ended in every timezone in which the host has spaces."""
    totals: SettlementTotals
    by_settlement_mode: List[SettlementReportBySettlementMode]
    """The same sums for each settlement mode."""
    refunds_pending: SettlementReportRefundsPending
    """Bookings that were paid to the platform, then cancelled, and not refunded yet."""
    lines: List[SettlementLine]
    """Ordered by date, start hour and booking id."""


class SettlementTotals(TypedDict):
    """What the lines add up to."""

    bookings: int
    """Number of bookings, without cancelled ones."""
    hours: int
    """Number of hours booked."""
    gross: float
    """What guests pay, in major units of `currency`."""
    commission: float
    """The platform’s share, rounded half up for each booking."""
    net: float
    """`gross` less `commission`."""
    cancelled: int
    """Number of bookings that were cancelled."""
    host_collected: float
    """`gross` of host_settled bookings."""
    platform_collected: float
    """`gross` of platform_settled bookings whose payment is confirmed."""
    commission_due: float
    """What the host owes the platform: the commission on host_settled bookings."""
    payout_due: float
    """What the platform owes the host: `net` of platform_settled bookings whose payment is confirmed."""
    balance: float
    """`payout_due` less `commission_due`; negative when the host owes the platform."""


class SpaceOperatingHours(TypedDict):
    """Local hours; 0 to 24 is always open. With `weekly_hours`: the smallest range that covers all open days."""

    start_hour: int
    """First hour of the day that is open."""
    end_hour: int
    """Closing hour: 22 closes at 22:00."""


class SpaceWeeklyHoursMonday(TypedDict):
    start_hour: int
    end_hour: int


class SpaceWeeklyHoursTuesday(TypedDict):
    start_hour: int
    end_hour: int


class SpaceWeeklyHoursWednesday(TypedDict):
    start_hour: int
    end_hour: int


class SpaceWeeklyHoursThursday(TypedDict):
    start_hour: int
    end_hour: int


class SpaceWeeklyHoursFriday(TypedDict):
    start_hour: int
    end_hour: int


class SpaceWeeklyHoursSaturday(TypedDict):
    start_hour: int
    end_hour: int


class SpaceWeeklyHoursSunday(TypedDict):
    start_hour: int
    end_hour: int


class SpaceWeeklyHours(TypedDict):
    """Local hours by weekday, each day’s or null for a day that is closed; null: the same `operating_hours` every day."""

    monday: Optional[SpaceWeeklyHoursMonday]
    tuesday: Optional[SpaceWeeklyHoursTuesday]
    wednesday: Optional[SpaceWeeklyHoursWednesday]
    thursday: Optional[SpaceWeeklyHoursThursday]
    friday: Optional[SpaceWeeklyHoursFriday]
    saturday: Optional[SpaceWeeklyHoursSaturday]
    sunday: Optional[SpaceWeeklyHoursSunday]


class SpaceBookingRules(TypedDict):
    """What the space asks of new bookings."""

    min_hours: Optional[int]
    """Least hours of a booking; null: no such rule."""
    max_hours: Optional[int]
    """Most hours of a booking, not below `min_hours`; null: no such rule."""
    lead_hours: Optional[int]
    """Least hours from now to the start of a booking; null: no such rule."""
    horizon_days: Optional[int]
    """Most days from today, in the time zone of the space, to the date of a booking; null: no such rule."""


class Space(TypedDict):
    """A space that a host rents out by the hour."""

    id: str
    """The id of the space."""
    title: str
    """Name of the space."""
    category_slug: str
    """Kind of space, such as `studio`."""
    description: Optional[str]
    """Words about the space."""
    address: str
    """Postal address."""
    area: str
    """Part of town."""
    price_per_hour: float
    """Price of one hour, in major units of `currency`."""
    capacity: Optional[int]
    """How many people fit in, if known."""
    operating_hours: SpaceOperatingHours
    """Local hours; 0 to 24 is always open. With `weekly_hours`: the smallest range that covers all open days."""
    weekly_hours: Optional[SpaceWeeklyHours]
    """Local hours by weekday, each day’s or null for a day that is closed; null: the same `operating_hours` every day."""
    booking_rules: SpaceBookingRules
    """What the space asks of new bookings."""
    rating: float
    """Average rating by guests, 0 to 5."""
    review_count: int
    """Number of reviews."""
    is_active: bool
    """Whether the space takes bookings."""
    amenities: List[str]
    """What the space offers, such as `wifi`."""
    photo_urls: List[str]
    """URLs of pictures."""
    timezone: str
    """IANA timezone, such as Europe/Vienna: the wall clock of dates and hours."""
    currency: str
    """ISO 4217; amounts are in its major units."""
    external_calendars: List[ExternalCalendar]
    """Calendars whose events block hours of this space, oldest first."""


class UnblockedHours(TypedDict):
    space_id: str
    """The id of the space."""
    date: str
    """Date on the space’s wall clock (YYYY-MM-DD)."""
    unblocked_hours: List[int]
    """The hours that were blocked and are free now."""


class UpdateListingOperatingHours(TypedDict):
    """Local hours; 0 to 24 is always open. With `weekly_hours`: the smallest range that covers all open days."""

    start_hour: int
    """First hour of the day that is open."""
    end_hour: int
    """Closing hour: 22 closes at 22:00."""


class UpdateListingWeeklyHoursMonday(TypedDict):
    start_hour: int
    end_hour: int


class UpdateListingWeeklyHoursTuesday(TypedDict):
    start_hour: int
    end_hour: int


class UpdateListingWeeklyHoursWednesday(TypedDict):
    start_hour: int
    end_hour: int


class UpdateListingWeeklyHoursThursday(TypedDict):
    start_hour: int
    end_hour: int


class UpdateListingWeeklyHoursFriday(TypedDict):
    start_hour: int
    end_hour: int


class UpdateListingWeeklyHoursSaturday(TypedDict):
    start_hour: int
    end_hour: int


class UpdateListingWeeklyHoursSunday(TypedDict):
    start_hour: int
    end_hour: int


class UpdateListingWeeklyHours(TypedDict):
    """Local hours by weekday, each day’s or null for a day that is closed; null: the same `operating_hours` every day."""

    monday: Optional[UpdateListingWeeklyHoursMonday]
    tuesday: Optional[UpdateListingWeeklyHoursTuesday]
    wednesday: Optional[UpdateListingWeeklyHoursWednesday]
    thursday: Optional[UpdateListingWeeklyHoursThursday]
    friday: Optional[UpdateListingWeeklyHoursFriday]
    saturday: Optional[UpdateListingWeeklyHoursSaturday]
    sunday: Optional[UpdateListingWeeklyHoursSunday]


class UpdateListingBookingRules(TypedDict, total=False):
    """What the space asks of new bookings."""

    min_hours: Optional[int]
    """Least hours of a booking; null: no such rule."""
    max_hours: Optional[int]
    """Most hours of a booking, not below `min_hours`; null: no such rule."""
    lead_hours: Optional[int]
    """Least hours from now to the start of a booking; null: no such rule."""
    horizon_days: Optional[int]
    """Most days from today, in the time zone of the space, to the date of a booking; null: no such rule."""


class UpdateListing(TypedDict, total=False):
    """At least one of these fields beside `space_id`. Several are changed all together or not at all, and a calendar is disconnected before another is connected."""

    title: str
    """Name of the space; must not be blank."""
    description: Optional[str]
    """Words about the space; must not be blank."""
    price: float
    """Price of one hour, in major units of `currency`."""
    capacity: Optional[int]
    """How many people fit in, if known."""
    operating_hours: UpdateListingOperatingHours
    """Local hours; 0 to 24 is always open. With `weekly_hours`: the smallest range that covers all open days."""
    weekly_hours: Optional[UpdateListingWeeklyHours]
    """Local hours by weekday, each day’s or null for a day that is closed; null: the same `operating_hours` every day."""
    booking_rules: Optional[UpdateListingBookingRules]
    """What the space asks of new bookings."""
    is_active: bool
    """Whether the space takes bookings."""
    amenities: List[str]
    """What the space offers, such as `wifi`."""
    photo_urls: List[str]
    """URLs of pictures."""
    rotate_ical_token: Literal[True]
    """Make a new address of the calendar feed, answered once as `ical_feed_url`; the old one is refused from then on."""
    connect_calendar: str
    """The iCal address of a calendar whose events are to block hours: https or webcal, on the public internet. Read within seconds, then every 15 minutes. At most five a space; one that is connected stays as it is."""
    disconnect_calendar: str
    """The id of a connection in `external_calendars` to end; its hours are free at once."""


class UpdateWebhook(TypedDict, total=False):
    """At least one of these fields."""

    url: str
    """Where to send events: an https URL on the public internet, without credentials or white space; any port."""
    events: List[Literal["booking.created", "booking.cancelled", "booking.completed", "availability.changed", "listing.updated", "payment.confirmed"]]
    """Which events are sent."""
    description: Optional[str]
    """A note for yourself: what it is for."""
    is_active: bool
    """While false nothing new is gathered; what is pending is kept, and due at once when true again."""
    rotate_secret: Literal[True]
    """Make a new secret, returned once; the old one signs along for 24 hours."""


class _Webhook(TypedDict):
    id: str
    """The id of the subscription."""
    url: str
    """Where to send events: an https URL on the public internet, without credentials or white space; any port."""
    events: List[Literal["booking.created", "booking.cancelled", "booking.completed", "availability.changed", "listing.updated", "payment.confirmed"]]
    """Which events are sent."""
    description: Optional[str]
    """A note for yourself: what it is for."""
    is_active: bool
    """While false nothing new is gathered; what is pending is kept, and due at once when true again."""
    disabled_reason: Optional[Literal["receiver_gone", "five_days_of_failures", "operator"]]
    """Why it was switched off: the receiver answered 410, nothing but failures for five days, or the operator did it, and only they can switch it on again. Null while active and when you switched it off."""
    created_at: str
    """When it was made (RFC 3339, UTC)."""
    updated_at: str
    """When it last changed (RFC 3339, UTC)."""
    recent_deliveries: List[WebhookDelivery]
    """The ten newest, newest first."""


class Webhook(_Webhook, total=False):
    """A subscription to events."""

    secret: str
    """Verifies deliveries. Shown when it is made and never again."""


class WebhookDelivery(TypedDict):
    """One event on its way to one subscription."""

    event_id: str
    """The `webhook-id` of every attempt."""
    type: Literal["booking.created", "booking.cancelled", "booking.completed", "availability.changed", "listing.updated", "payment.confirmed"]
    """The kind of event."""
    status: Literal["pending", "delivered", "failed"]
    """`failed`: given up after the last retry."""
    attempts: int
    """Number of attempts so far, with those before the operator sent it again."""
    response_status: Optional[int]
    """What the receiver last answered."""
    error: Optional[str]
    """Why the last attempt failed: `unsuccessful_status`, `redirect`, `timeout`, `connect_timeout`, `connection_refused`, `connection_reset`, `dns_failure`, `blocked_address`, `tls_error`, `invalid_response`, `too_large`, `unreachable`, `network_error` or `internal_error` (ours)."""
    last_attempt_at: Optional[str]
    """When the last attempt was made (RFC 3339, UTC)."""
    next_attempt_at: Optional[str]
    """When the next attempt is due. Null when there will be none, and while one is under way (RFC 3339, UTC)."""



WebhookEvent = Union[BookingCreatedEvent, BookingCancelledEvent, BookingCompletedEvent, AvailabilityChangedEvent, ListingUpdatedEvent, PaymentConfirmedEvent]
"""What a webhook delivers; `type` tells which."""

EventType = Literal["booking.created", "booking.cancelled", "booking.completed", "availability.changed", "listing.updated", "payment.confirmed"]
"""The events that a webhook can subscribe to."""

ApiErrorCode = Literal["API_KEY_REVOKED", "BLOCK_SLOT_OCCUPIED", "BOOKING_CANCELLATION_BLOCKED", "BOOKING_CONFLICT", "BOOKING_INVALID_SETTLEMENT_MODE", "BOOKING_VALUE_EXCEEDED", "GUEST_BOOKING_VELOCITY", "INSUFFICIENT_SCOPE", "INTERNAL_ERROR", "INVALID_API_KEY", "INVALID_TOKEN", "NOT_FOUND", "PAYLOAD_TOO_LARGE", "RATE_LIMIT_EXCEEDED", "SELF_BOOKING_BLOCKED", "SERVICE_UNAVAILABLE", "UNSUPPORTED_MEDIA_TYPE", "VALIDATION_ERROR"]
"""Every code that the API refuses with."""
