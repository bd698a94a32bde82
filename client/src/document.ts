// Made from the OpenAPI document by "npm run client:types"; changes made by hand are lost.

export interface Availability {
  /** The id of the space. */
  space_id: string;
  /** Date on the space’s wall clock (YYYY-MM-DD). */
  date: string;
  /** IANA timezone, such as Europe/Vienna: the wall clock of dates and hours. */
  timezone: string;
  /** Hours 0 to 23, in order. */
  slots: AvailabilitySlot[];
  /** The host blocks of the day, as runs of hours with one reason. */
  blocks: {
    /** First hour, on the space’s wall clock. */
    start_hour: number;
    /** Hour at which it ends; not part of it: 12 ends at 12:00. */
    end_hour: number;
    /** A note for yourself; guests and calendars do not see it. */
    reason: string | null;
  }[];
  /** Only where `days` was asked for: that many dates from `date` on, which comes first. */
  days?: DayAvailability[] | undefined;
}

/** Hours of one date were taken or freed. Read the availability to learn what they are now: events are not ordered. */
export interface AvailabilityChangedEvent {
  /** The id of the event: equal to `webhook-id`, and the same on every retry. */
  id: string;
  /** The kind of event. */
  type: 'availability.changed';
  /** When it happened (RFC 3339, UTC). */
  timestamp: string;
  /** Version of this API. */
  api_version: 'v1';
  /** Where it happened. */
  environment: 'production' | 'sandbox';
  /** The `X-Request-Id` of the API request that made it happen; null where that was no request, as with a payment or the clock. */
  request_id: string | null;
  /** The hours of one date. */
  data: {
    /** The id of the space. */
    space_id: string;
    /** Date on the space’s wall clock (YYYY-MM-DD). */
    date: string;
    /** The hours that were taken or freed. */
    hours: number[];
    /** What changed the hours. */
    cause: 'booking_created' | 'booking_cancelled' | 'block_created' | 'block_deleted' | 'external_calendar';
  };
}

/** One hour of the day on the space’s wall clock. */
export interface AvailabilitySlot {
  /** The hour: 9 is 9:00 to 10:00. */
  hour: number;
  /** Whether this hour can be booked now. */
  available: boolean;
  /** Who holds the hour. Null on a free hour, and on one that nobody holds but that cannot be booked: outside operating hours, already begun, skipped by daylight saving, or of an inactive space. */
  block_reason: 'booked' | 'external_block' | 'host_block' | null;
}

export interface BlockedHours {
  /** The id of the space. */
  space_id: string;
  /** Date on the space’s wall clock (YYYY-MM-DD). */
  date: string;
  /** First hour, on the space’s wall clock. */
  start_hour: number;
  /** Hour at which it ends; not part of it: 12 ends at 12:00. */
  end_hour: number;
  /** A note for yourself; guests and calendars do not see it. */
  reason: string | null;
  /** The hours that are blocked now. */
  blocked_hours: number[];
}

/** A booking. */
export interface Booking {
  /** The id of the booking. */
  id: string;
  /** The id of the space. */
  space_id: string;
  /** A confirmed booking is completed by the clock, once `ends_at` has passed. */
  status: 'confirmed' | 'cancelled' | 'completed';
  /** Made through this API, or on the platform’s own site. */
  source: 'api' | 'platform';
  /** Date on the space’s wall clock (YYYY-MM-DD). */
  date: string;
  /** First hour, on the space’s wall clock. */
  start_hour: number;
  /** Hour at which it ends; not part of it: 12 ends at 12:00. */
  end_hour: number;
  /** Number of hours booked and paid for. */
  hours: number;
  /** IANA timezone, such as Europe/Vienna: the wall clock of dates and hours. */
  timezone: string;
  /** When it starts (RFC 3339, UTC). */
  starts_at: string;
  /** When it ends (RFC 3339, UTC). */
  ends_at: string;
  /** Name of the guest. */
  guest_name: string;
  /** Email address of the guest; required but for a `walk_in`. */
  guest_email: string;
  /** Phone number of the guest, in any form. */
  guest_phone: string | null;
  /** The space’s price when the booking was made. */
  price_per_hour: number;
  /** `price_per_hour` times `hours`. */
  total_price: number;
  /** ISO 4217; amounts are in its major units. */
  currency: string;
  /** Whom the guest pays: the host (`host_settled`) or the platform (`platform_settled`). */
  settlement_mode: 'host_settled' | 'platform_settled';
  /** `host_collected`: the guest pays the host. `pending`, then `confirmed`: the guest pays the platform. `refunded`: the booking was cancelled, and the guest has the money back. */
  payment_status: 'host_collected' | 'pending' | 'confirmed' | 'refunded';
  /** When the booking is cancelled unless it is paid; null where that does not happen (RFC 3339, UTC). */
  payment_due_at: string | null;
  /** When the platform recorded the payment (RFC 3339, UTC). */
  paid_at: string | null;
  /** When the platform recorded that the guest has the money back (RFC 3339, UTC). */
  refunded_at: string | null;
  /** The id of the booking in your own system. */
  reference: string | null;
  /** What to know about the booking. */
  notes: string | null;
  /** How many people come; at most the `capacity` of the space. */
  guest_count: number | null;
  /** Whether the guest came without a booking and took the running hour. */
  walk_in: boolean;
  /** The key that the booking was made with. */
  idempotency_key: string | null;
  /** The reason given when it was cancelled. */
  cancellation_reason: string | null;
  /** When it was cancelled (RFC 3339, UTC). */
  cancelled_at: string | null;
  /** The id of the booking that was moved here; null if none was. */
  replaces: string | null;
  /** The id of the booking that this one was moved to; null if it was not moved. */
  replaced_by: string | null;
  /** When it was made (RFC 3339, UTC). */
  created_at: string;
  /** When it last changed (RFC 3339, UTC). */
  updated_at: string;
}

/** A booking was cancelled; its hours are free again. */
export interface BookingCancelledEvent {
  /** The id of the event: equal to `webhook-id`, and the same on every retry. */
  id: string;
  /** The kind of event. */
  type: 'booking.cancelled';
  /** When it happened (RFC 3339, UTC). */
  timestamp: string;
  /** Version of this API. */
  api_version: 'v1';
  /** Where it happened. */
  environment: 'production' | 'sandbox';
  /** The `X-Request-Id` of the API request that made it happen; null where that was no request, as with a payment or the clock. */
  request_id: string | null;
  /** The booking, as it was right after the event. */
  data: {
    booking: Booking;
  };
}

/** The end of a confirmed booking has passed. */
export interface BookingCompletedEvent {
  /** The id of the event: equal to `webhook-id`, and the same on every retry. */
  id: string;
  /** The kind of event. */
  type: 'booking.completed';
  /** When it happened (RFC 3339, UTC). */
  timestamp: string;
  /** Version of this API. */
  api_version: 'v1';
  /** Where it happened. */
  environment: 'production' | 'sandbox';
  /** The `X-Request-Id` of the API request that made it happen; null where that was no request, as with a payment or the clock. */
  request_id: string | null;
  /** The booking, as it was right after the event. */
  data: {
    booking: Booking;
  };
}

/** A booking was made, through this API or on the platform’s own site. */
export interface BookingCreatedEvent {
  /** The id of the event: equal to `webhook-id`, and the same on every retry. */
  id: string;
  /** The kind of event. */
  type: 'booking.created';
  /** When it happened (RFC 3339, UTC). */
  timestamp: string;
  /** Version of this API. */
  api_version: 'v1';
  /** Where it happened. */
  environment: 'production' | 'sandbox';
  /** The `X-Request-Id` of the API request that made it happen; null where that was no request, as with a payment or the clock. */
  request_id: string | null;
  /** The booking, as it was right after the event. */
  data: {
    booking: Booking;
  };
}

export interface BookingPage {
  /** Ordered by date, start hour and id; with `updated_since` by `updated_at` and id. */
  bookings: Booking[];
  pagination: Pagination;
}

export interface BookingQuery {
  /** Only bookings of this space. */
  space_id?: string | undefined;
  /** Only bookings of this status. */
  status?: 'confirmed' | 'cancelled' | 'completed' | undefined;
  /** First local date, inclusive (YYYY-MM-DD). */
  from?: string | undefined;
  /** Last local date, inclusive (YYYY-MM-DD). */
  to?: string | undefined;
  /** Most bookings in one answer. Default: 50. */
  limit?: number | undefined;
  /** Number of bookings to leave out at the start. Far into a long list `cursor` is faster. Default: 0. */
  offset?: number | undefined;
  /** Only bookings whose guest’s name or email contains this, whatever the case and accents. Without `from` and `to`: from a year back on; must not be blank. */
  guest?: string | undefined;
  /** Only bookings that have changed since this time, inclusive (RFC 3339 with a zone), ordered by `updated_at` and id. Not with `from`, `to`, `guest` or `offset`. The answer’s `synced_to` is the time to ask with next, so that no change is missed; begin with 1970-01-01T00:00:00Z. */
  updated_since?: string | undefined;
  /** The `next_cursor` of the page before, with the same filters and without `offset`: the list goes on behind the last booking shown, whatever was made or cancelled meanwhile. */
  cursor?: string | undefined;
}

/** A cancellation. */
export interface CancelBooking {
  /** Why the booking is cancelled; kept with it; must not be blank. */
  reason: string;
}

/** The hours to block. */
export interface CreateBlocks {
  /** May be left out; if given, it must equal the id in the path. */
  space_id?: string | undefined;
  /** Date on the space’s wall clock (YYYY-MM-DD). */
  date: string;
  /** First hour, on the space’s wall clock. */
  start_hour: number;
  /** Hour at which it ends; not part of it: 12 ends at 12:00. */
  end_hour: number;
  /** A note for yourself; guests and calendars do not see it. */
  reason?: string | undefined;
}

/** The hours wanted, and for whom. */
export interface CreateBooking {
  /** The id of the space. */
  space_id: string;
  /** Date on the space’s wall clock (YYYY-MM-DD). */
  date: string;
  /** First hour, on the space’s wall clock. */
  start_hour: number;
  /** Hour at which it ends; not part of it: 12 ends at 12:00. */
  end_hour: number;
  /** Name of the guest; must not be blank. */
  guest_name: string;
  /** Email address of the guest; required but for a `walk_in`. */
  guest_email?: string | undefined;
  /** Phone number of the guest, in any form; must not be blank. */
  guest_phone?: string | undefined;
  /** `host_settled` (the guest pays the host) or `platform_settled` (the guest pays the platform). Without it: `host_settled`. */
  settlement_mode?: string | undefined;
  /** The id of the booking in your own system; need not be unique. */
  reference?: string | null | undefined;
  /** What to know about the booking; may have several lines. */
  notes?: string | null | undefined;
  /** How many people come; at most the `capacity` of the space. */
  guest_count?: number | null | undefined;
  /** Whether the guest came without a booking and took the running hour. */
  walk_in?: boolean | undefined;
  /** Makes the request safe to retry: the same key with the same request returns the first booking. Printable ASCII. */
  idempotency_key?: string | undefined;
  /** Moves this confirmed booking: it is cancelled and the new one made, both or neither, and nobody can take an hour of either meanwhile. */
  replaces?: string | null | undefined;
}

/** What to send, and where. */
export interface CreateWebhook {
  /** Where to send events: an https URL on the public internet, without credentials or white space; any port. */
  url: string;
  /** Which events are sent. */
  events: ('booking.created' | 'booking.cancelled' | 'booking.completed' | 'availability.changed' | 'listing.updated' | 'payment.confirmed')[];
  /** A note for yourself: what it is for. */
  description?: string | null | undefined;
}

/** One date: exactly what a request for this date alone answers. */
export interface DayAvailability {
  /** Date on the space’s wall clock (YYYY-MM-DD). */
  date: string;
  /** Hours 0 to 23, in order. */
  slots: AvailabilitySlot[];
  /** The host blocks of the day, as runs of hours with one reason. */
  blocks: {
    /** First hour, on the space’s wall clock. */
    start_hour: number;
    /** Hour at which it ends; not part of it: 12 ends at 12:00. */
    end_hour: number;
    /** A note for yourself; guests and calendars do not see it. */
    reason: string | null;
  }[];
}

/** The hours to free. */
export interface DeleteBlocks {
  /** May be left out; if given, it must equal the id in the path. */
  space_id?: string | undefined;
  /** Date on the space’s wall clock (YYYY-MM-DD). */
  date: string;
  /** First hour, on the space’s wall clock. */
  start_hour: number;
  /** Hour at which it ends; not part of it: 12 ends at 12:00. */
  end_hour: number;
}

export interface DeletedWebhook {
  /** The id of the subscription. */
  id: string;
  /** Always true. */
  deleted: true;
}

/** What a host has earned, and will. */
export interface Earnings {
  /** ISO 4217; amounts are in its major units. */
  currency: string;
  /** All completed bookings. */
  lifetime: EarningsSums;
  /** Completed bookings of the present month. */
  this_month: EarningsSums;
  /** Completed bookings of the month before. */
  last_month: EarningsSums;
  /** Confirmed bookings, which are still to come. */
  upcoming: EarningsSums;
  /** Completed bookings by month, oldest first; the last one is the present month. */
  by_month: {
    /** The month (YYYY-MM). */
    month: string;
    /** Number of bookings, without cancelled ones. */
    bookings: number;
    /** Number of hours booked. */
    hours: number;
    /** What guests pay, in major units of `currency`. */
    gross: number;
    /** The platform’s share, rounded half up for each booking. */
    commission: number;
    /** `gross` less `commission`. */
    net: number;
  }[];
  /** All completed bookings by space; every space, oldest first. */
  by_space: {
    /** The id of the space. */
    space_id: string;
    /** Title of the space. */
    title: string;
    /** Number of bookings, without cancelled ones. */
    bookings: number;
    /** Number of hours booked. */
    hours: number;
    /** What guests pay, in major units of `currency`. */
    gross: number;
    /** The platform’s share, rounded half up for each booking. */
    commission: number;
    /** `gross` less `commission`. */
    net: number;
  }[];
}

/** What some bookings add up to. */
export interface EarningsSums {
  /** Number of bookings, without cancelled ones. */
  bookings: number;
  /** Number of hours booked. */
  hours: number;
  /** What guests pay, in major units of `currency`. */
  gross: number;
  /** The platform’s share, rounded half up for each booking. */
  commission: number;
  /** `gross` less `commission`. */
  net: number;
}

/** Every failure. */
export interface ErrorAnswer {
  /** Always false on a failure. */
  success: false;
  /** What went wrong. */
  error: {
    /** What went wrong. It stays the same: let your program decide by this. */
    code: string;
    /** The same in words, for people; may change. */
    message: string;
    /** The HTTP status. */
    http_status: number;
    /** Equal to `X-Request-Id`; name it when you ask for help. */
    request_id: string;
    /** On `VALIDATION_ERROR` the fields that are wrong; on others the facts, such as the hours that clash. */
    details?: {
      /** The field, or `body` or `query` as a whole. */
      field: string;
      /** What is wrong with it. */
      message: string;
    }[] | Record<string, unknown> | undefined;
    /** On every 503. `not_done`: nothing has happened, repeat it. `unknown`: the connection to the database broke while it was being committed, so it may have been done: repeat what is safe to repeat, look before you repeat anything else. */
    outcome?: 'not_done' | 'unknown' | undefined;
  };
}

/** A calendar whose events block hours of a space. */
export interface ExternalCalendar {
  /** The id of the connection. */
  id: string;
  /** Its server and its last four characters. The rest is not shown: it often holds a password. */
  address: string;
  /** `waiting` to be read for the first time; `warning`: read, but not all of it was understood; `failing`: could not be read, the hours of the last time stay. */
  status: 'waiting' | 'ok' | 'warning' | 'failing';
  /** When it was last read (RFC 3339, UTC). */
  last_synced_at: string | null;
  /** What is wrong with it, in words. */
  error: string | null;
}

/** Fields of a space were changed; `changed` names them. */
export interface ListingUpdatedEvent {
  /** The id of the event: equal to `webhook-id`, and the same on every retry. */
  id: string;
  /** The kind of event. */
  type: 'listing.updated';
  /** When it happened (RFC 3339, UTC). */
  timestamp: string;
  /** Version of this API. */
  api_version: 'v1';
  /** Where it happened. */
  environment: 'production' | 'sandbox';
  /** The `X-Request-Id` of the API request that made it happen; null where that was no request, as with a payment or the clock. */
  request_id: string | null;
  /** The space, as it was right after the event. */
  data: {
    space: Space;
    /** The fields that have a new value. */
    changed: ('title' | 'category_slug' | 'description' | 'address' | 'area' | 'price_per_hour' | 'capacity' | 'operating_hours' | 'weekly_hours' | 'booking_rules' | 'is_active' | 'amenities' | 'photo_urls' | 'timezone' | 'currency')[];
  };
}

/** Which part of the list this is. */
export interface Pagination {
  /** Most bookings in one answer. */
  limit: number;
  /** Number of bookings to leave out at the start. Far into a long list `cursor` is faster. */
  offset: number;
  /** Number of bookings that match the filter, counted up to 10,000. */
  total: number;
  /** False when there are more than `total`. */
  total_is_exact: boolean;
  /** Whether there is a page after this one. */
  has_more: boolean;
  /** Goes into `cursor` for the page after this one; null on the last page. */
  next_cursor: string | null;
  /** Only with `updated_since`, and the same on all pages of one walk: the `updated_since` of the next walk. Whoever goes through all pages each time sees every change at least once (RFC 3339, UTC). */
  synced_to?: string | undefined;
}

/** The platform has received the guest’s payment for a platform-settled booking. */
export interface PaymentConfirmedEvent {
  /** The id of the event: equal to `webhook-id`, and the same on every retry. */
  id: string;
  /** The kind of event. */
  type: 'payment.confirmed';
  /** When it happened (RFC 3339, UTC). */
  timestamp: string;
  /** Version of this API. */
  api_version: 'v1';
  /** Where it happened. */
  environment: 'production' | 'sandbox';
  /** The `X-Request-Id` of the API request that made it happen; null where that was no request, as with a payment or the clock. */
  request_id: string | null;
  /** The booking, as it was right after the event. */
  data: {
    booking: Booking;
  };
}

/** One booking of a settlement report. */
export interface SettlementLine {
  /** The id of the booking. */
  booking_id: string;
  /** The id of the space. */
  space_id: string;
  /** Title that the space has now. */
  space_title: string;
  /** Date on the space’s wall clock (YYYY-MM-DD). */
  date: string;
  /** First hour, on the space’s wall clock. */
  start_hour: number;
  /** Hour at which it ends; not part of it: 12 ends at 12:00. */
  end_hour: number;
  /** Number of hours; 0 when the booking is cancelled. */
  hours: number;
  /** `cancelled` only where the guest has paid the platform and is to get the money back. */
  status: 'confirmed' | 'cancelled' | 'completed';
  /** Whom the guest pays: the host (`host_settled`) or the platform (`platform_settled`). */
  settlement_mode: 'host_settled' | 'platform_settled';
  /** `host_collected`: the guest pays the host. `pending`, then `confirmed`: the guest pays the platform. `refunded`: the booking was cancelled, and the guest has the money back. */
  payment_status: 'host_collected' | 'pending' | 'confirmed' | 'refunded';
  /** Price of the booking, as it was when it was made; 0 when cancelled. */
  gross: number;
  /** Share of the platform, as it was when the booking was made. */
  commission_rate: number;
  /** `gross` times `commission_rate`, rounded half up to the currency’s smallest unit. */
  commission: number;
  /** `gross` less `commission`. */
  net: number;
}

/** What host and platform owe each other for one month. */
export interface SettlementReport {
  /** The month (YYYY-MM). */
  month: string;
  /** ISO 4217; amounts are in its major units. */
  currency: string;
  /** `closed` once the month has ended in every timezone in which the host has spaces. */
  status: 'open' | 'closed';
  totals: SettlementTotals;
  /** The same sums for each settlement mode. */
  by_settlement_mode: {
    /** Whom the guest pays: the host (`host_settled`) or the platform (`platform_settled`). */
    settlement_mode: 'host_settled' | 'platform_settled';
    /** Number of bookings, without cancelled ones. */
    bookings: number;
    /** Number of hours booked. */
    hours: number;
    /** What guests pay, in major units of `currency`. */
    gross: number;
    /** The platform’s share, rounded half up for each booking. */
    commission: number;
    /** `gross` less `commission`. */
    net: number;
  }[];
  /** Bookings that were paid to the platform, then cancelled, and not refunded yet. */
  refunds_pending: {
    /** Number of bookings. */
    bookings: number;
    /** What guests are to get back. */
    amount: number;
  };
  /** Ordered by date, start hour and booking id. */
  lines: SettlementLine[];
}

/** What the lines add up to. */
export interface SettlementTotals {
  /** Number of bookings, without cancelled ones. */
  bookings: number;
  /** Number of hours booked. */
  hours: number;
  /** What guests pay, in major units of `currency`. */
  gross: number;
  /** The platform’s share, rounded half up for each booking. */
  commission: number;
  /** `gross` less `commission`. */
  net: number;
  /** Number of bookings that were cancelled. */
  cancelled: number;
  /** `gross` of host_settled bookings. */
  host_collected: number;
  /** `gross` of platform_settled bookings whose payment is confirmed. */
  platform_collected: number;
  /** What the host owes the platform: the commission on host_settled bookings. */
  commission_due: number;
  /** What the platform owes the host: `net` of platform_settled bookings whose payment is confirmed. */
  payout_due: number;
  /** `payout_due` less `commission_due`; negative when the host owes the platform. */
  balance: number;
}

/** A space that a host rents out by the hour. */
export interface Space {
  /** The id of the space. */
  id: string;
  /** Name of the space. */
  title: string;
  /** Kind of space, such as `studio`. */
  category_slug: string;
  /** Words about the space. */
  description: string | null;
  /** Postal address. */
  address: string;
  /** Part of town. */
  area: string;
  /** Price of one hour, in major units of `currency`. */
  price_per_hour: number;
  /** How many people fit in, if known. */
  capacity: number | null;
  /** Local hours; 0 to 24 is always open. With `weekly_hours`: the smallest range that covers all open days. */
  operating_hours: {
    /** First hour of the day that is open. */
    start_hour: number;
    /** Closing hour: 22 closes at 22:00. */
    end_hour: number;
  };
  /** Local hours by weekday, each day’s or null for a day that is closed; null: the same `operating_hours` every day. */
  weekly_hours: {
    monday: {
      start_hour: number;
      end_hour: number;
    } | null;
    tuesday: {
      start_hour: number;
      end_hour: number;
    } | null;
    wednesday: {
      start_hour: number;
      end_hour: number;
    } | null;
    thursday: {
      start_hour: number;
      end_hour: number;
    } | null;
    friday: {
      start_hour: number;
      end_hour: number;
    } | null;
    saturday: {
      start_hour: number;
      end_hour: number;
    } | null;
    sunday: {
      start_hour: number;
      end_hour: number;
    } | null;
  } | null;
  /** What the space asks of new bookings. */
  booking_rules: {
    /** Least hours of a booking; null: no such rule. */
    min_hours: number | null;
    /** Most hours of a booking, not below `min_hours`; null: no such rule. */
    max_hours: number | null;
    /** Least hours from now to the start of a booking; null: no such rule. */
    lead_hours: number | null;
    /** Most days from today, in the time zone of the space, to the date of a booking; null: no such rule. */
    horizon_days: number | null;
  };
  /** Average rating by guests, 0 to 5. */
  rating: number;
  /** Number of reviews. */
  review_count: number;
  /** Whether the space takes bookings. */
  is_active: boolean;
  /** What the space offers, such as `wifi`. */
  amenities: string[];
  /** URLs of pictures. */
  photo_urls: string[];
  /** IANA timezone, such as Europe/Vienna: the wall clock of dates and hours. */
  timezone: string;
  /** ISO 4217; amounts are in its major units. */
  currency: string;
  /** Calendars whose events block hours of this space, oldest first. */
  external_calendars: ExternalCalendar[];
}

export interface UnblockedHours {
  /** The id of the space. */
  space_id: string;
  /** Date on the space’s wall clock (YYYY-MM-DD). */
  date: string;
  /** The hours that were blocked and are free now. */
  unblocked_hours: number[];
}

/** At least one of these fields beside `space_id`. Several are changed all together or not at all, and a calendar is disconnected before another is connected. */
export interface UpdateListing {
  /** May be left out; if given, it must equal the id in the path. */
  space_id?: string | undefined;
  /** Name of the space; must not be blank. */
  title?: string | undefined;
  /** Words about the space; must not be blank. */
  description?: string | null | undefined;
  /** Price of one hour, in major units of `currency`. */
  price?: number | undefined;
  /** How many people fit in, if known. */
  capacity?: number | null | undefined;
  /** Local hours; 0 to 24 is always open. With `weekly_hours`: the smallest range that covers all open days. */
  operating_hours?: {
    /** First hour of the day that is open. */
    start_hour: number;
    /** Closing hour: 22 closes at 22:00. */
    end_hour: number;
  } | undefined;
  /** Local hours by weekday, each day’s or null for a day that is closed; null: the same `operating_hours` every day. */
  weekly_hours?: {
    monday: {
      start_hour: number;
      end_hour: number;
    } | null;
    tuesday: {
      start_hour: number;
      end_hour: number;
    } | null;
    wednesday: {
      start_hour: number;
      end_hour: number;
    } | null;
    thursday: {
      start_hour: number;
      end_hour: number;
    } | null;
    friday: {
      start_hour: number;
      end_hour: number;
    } | null;
    saturday: {
      start_hour: number;
      end_hour: number;
    } | null;
    sunday: {
      start_hour: number;
      end_hour: number;
    } | null;
  } | null | undefined;
  /** What the space asks of new bookings. */
  booking_rules?: {
    /** Least hours of a booking; null: no such rule. */
    min_hours?: number | null | undefined;
    /** Most hours of a booking, not below `min_hours`; null: no such rule. */
    max_hours?: number | null | undefined;
    /** Least hours from now to the start of a booking; null: no such rule. */
    lead_hours?: number | null | undefined;
    /** Most days from today, in the time zone of the space, to the date of a booking; null: no such rule. */
    horizon_days?: number | null | undefined;
  } | null | undefined;
  /** Whether the space takes bookings. */
  is_active?: boolean | undefined;
  /** What the space offers, such as `wifi`. */
  amenities?: string[] | undefined;
  /** URLs of pictures. */
  photo_urls?: string[] | undefined;
  /** Make a new address of the calendar feed, answered once as `ical_feed_url`; the old one is refused from then on. */
  rotate_ical_token?: true | undefined;
  /** The iCal address of a calendar whose events are to block hours: https or webcal, on the public internet. Read within seconds, then every 15 minutes. At most five a space; one that is connected stays as it is. */
  connect_calendar?: string | undefined;
  /** The id of a connection in `external_calendars` to end; its hours are free at once. */
  disconnect_calendar?: string | undefined;
}

/** At least one of these fields. */
export interface UpdateWebhook {
  /** Where to send events: an https URL on the public internet, without credentials or white space; any port. */
  url?: string | undefined;
  /** Which events are sent. */
  events?: ('booking.created' | 'booking.cancelled' | 'booking.completed' | 'availability.changed' | 'listing.updated' | 'payment.confirmed')[] | undefined;
  /** A note for yourself: what it is for. */
  description?: string | null | undefined;
  /** While false nothing new is gathered; what is pending is kept, and due at once when true again. */
  is_active?: boolean | undefined;
  /** Make a new secret, returned once; the old one signs along for 24 hours. */
  rotate_secret?: true | undefined;
}

/** A subscription to events. */
export interface Webhook {
  /** The id of the subscription. */
  id: string;
  /** Where to send events: an https URL on the public internet, without credentials or white space; any port. */
  url: string;
  /** Which events are sent. */
  events: ('booking.created' | 'booking.cancelled' | 'booking.completed' | 'availability.changed' | 'listing.updated' | 'payment.confirmed')[];
  /** A note for yourself: what it is for. */
  description: string | null;
  /** While false nothing new is gathered; what is pending is kept, and due at once when true again. */
  is_active: boolean;
  /** Why it was switched off: the receiver answered 410, nothing but failures for five days, or the operator did it, and only they can switch it on again. Null while active and when you switched it off. */
  disabled_reason: 'receiver_gone' | 'five_days_of_failures' | 'operator' | null;
  /** When it was made (RFC 3339, UTC). */
  created_at: string;
  /** When it last changed (RFC 3339, UTC). */
  updated_at: string;
  /** The ten newest, newest first. */
  recent_deliveries: WebhookDelivery[];
  /** Verifies deliveries. Shown when it is made and never again. */
  secret?: string | undefined;
}

/** One event on its way to one subscription. */
export interface WebhookDelivery {
  /** The `webhook-id` of every attempt. */
  event_id: string;
  /** The kind of event. */
  type: 'booking.created' | 'booking.cancelled' | 'booking.completed' | 'availability.changed' | 'listing.updated' | 'payment.confirmed';
  /** `failed`: given up after the last retry. */
  status: 'pending' | 'delivered' | 'failed';
  /** Number of attempts so far, with those before the operator sent it again. */
  attempts: number;
  /** What the receiver last answered. */
  response_status: number | null;
  /** Why the last attempt failed: `unsuccessful_status`, `redirect`, `timeout`, `connect_timeout`, `connection_refused`, `connection_reset`, `dns_failure`, `blocked_address`, `tls_error`, `invalid_response`, `too_large`, `unreachable`, `network_error` or `internal_error` (ours). */
  error: string | null;
  /** When the last attempt was made (RFC 3339, UTC). */
  last_attempt_at: string | null;
  /** When the next attempt is due. Null when there will be none, and while one is under way (RFC 3339, UTC). */
  next_attempt_at: string | null;
}

/** What a webhook delivers; `type` tells which. */
export type WebhookEvent =
  | BookingCreatedEvent
  | BookingCancelledEvent
  | BookingCompletedEvent
  | AvailabilityChangedEvent
  | ListingUpdatedEvent
  | PaymentConfirmedEvent;

/** The events that a webhook can subscribe to. */
export const EVENT_TYPES = ["booking.created","booking.cancelled","booking.completed","availability.changed","listing.updated","payment.confirmed"] as const;

export type EventType = (typeof EVENT_TYPES)[number];

/** Every code that the API refuses with. */
export type ApiErrorCode =
  | 'API_KEY_REVOKED'
  | 'BLOCK_SLOT_OCCUPIED'
  | 'BOOKING_CANCELLATION_BLOCKED'
  | 'BOOKING_CONFLICT'
  | 'BOOKING_INVALID_SETTLEMENT_MODE'
  | 'BOOKING_VALUE_EXCEEDED'
  | 'GUEST_BOOKING_VELOCITY'
  | 'INSUFFICIENT_SCOPE'
  | 'INTERNAL_ERROR'
  | 'INVALID_API_KEY'
  | 'INVALID_TOKEN'
  | 'NOT_FOUND'
  | 'PAYLOAD_TOO_LARGE'
  | 'RATE_LIMIT_EXCEEDED'
  | 'SELF_BOOKING_BLOCKED'
  | 'SERVICE_UNAVAILABLE'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'VALIDATION_ERROR';
