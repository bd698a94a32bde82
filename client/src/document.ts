// Made from the OpenAPI document by "npm run client:types"; changes made by hand are lost.

export interface Availability {
  space_id: string;
  /** YYYY-MM-DD. */
  date: string;
  /** The wall clock of the hours. */
  timezone: string;
  slots: AvailabilitySlot[];
  /** The host blocks of the day, as runs of hours with one reason. */
  blocks: {
    /** First hour, on the space’s wall clock. */
    start_hour: number;
    /** Exclusive: 12 ends at 12:00. */
    end_hour: number;
    /** For yourself; guests and calendars do not see it. */
    reason: string | null;
  }[];
}

export interface AvailabilityChangedEvent {
  /** The event’s; equal to `webhook-id`, the same on every retry. */
  id: string;
  type: 'availability.changed';
  /** When it happened. */
  timestamp: string;
  api_version: 'v1';
  environment: 'production' | 'sandbox';
  data: {
    space_id: string;
    /** YYYY-MM-DD. */
    date: string;
    hours: number[];
    cause: 'booking_created' | 'booking_cancelled' | 'block_created' | 'block_deleted' | 'external_calendar';
  };
}

/** One hour of the day on the space’s wall clock. */
export interface AvailabilitySlot {
  hour: number;
  /** Whether this hour can be booked now. */
  available: boolean;
  /** Who holds the hour. Null on an hour that is free, and on one that nobody holds but that cannot be booked: outside operating hours, already begun, skipped by daylight saving, or of an inactive space. */
  block_reason: 'booked' | 'external_block' | 'host_block' | null;
}

export interface BlockedHours {
  space_id: string;
  /** YYYY-MM-DD. */
  date: string;
  /** First hour, on the space’s wall clock. */
  start_hour: number;
  /** Exclusive: 12 ends at 12:00. */
  end_hour: number;
  /** For yourself; guests and calendars do not see it. */
  reason: string | null;
  blocked_hours: number[];
}

/** A booking. */
export interface Booking {
  id: string;
  space_id: string;
  /** A clock completes a confirmed booking once `ends_at` has passed. */
  status: 'confirmed' | 'cancelled' | 'completed';
  /** Made through this API, or on the platform’s own site. */
  source: 'api' | 'platform';
  /** YYYY-MM-DD. */
  date: string;
  /** First hour, on the space’s wall clock. */
  start_hour: number;
  /** Exclusive: 12 ends at 12:00. */
  end_hour: number;
  /** How many hours are booked and paid. */
  hours: number;
  /** IANA name, such as Europe/Vienna. */
  timezone: string;
  /** UTC. */
  starts_at: string;
  /** UTC. */
  ends_at: string;
  guest_name: string;
  guest_email: string;
  guest_phone: string | null;
  /** Frozen when the booking was made. */
  price_per_hour: number;
  total_price: number;
  /** ISO 4217. */
  currency: string;
  settlement_mode: 'host_settled' | 'platform_settled';
  payment_status: 'host_collected' | 'pending' | 'confirmed';
  /** Makes the request safe to repeat: the same key and request answer with the first booking. Printable ASCII. */
  idempotency_key: string | null;
  /** Kept with the booking. */
  cancellation_reason: string | null;
  /** UTC. */
  cancelled_at: string | null;
  /** UTC. */
  created_at: string;
  /** UTC. */
  updated_at: string;
}

export interface BookingCancelledEvent {
  /** The event’s; equal to `webhook-id`, the same on every retry. */
  id: string;
  type: 'booking.cancelled';
  /** When it happened. */
  timestamp: string;
  api_version: 'v1';
  environment: 'production' | 'sandbox';
  data: {
    booking: Booking;
  };
}

export interface BookingCompletedEvent {
  /** The event’s; equal to `webhook-id`, the same on every retry. */
  id: string;
  type: 'booking.completed';
  /** When it happened. */
  timestamp: string;
  api_version: 'v1';
  environment: 'production' | 'sandbox';
  data: {
    booking: Booking;
  };
}

export interface BookingCreatedEvent {
  /** The event’s; equal to `webhook-id`, the same on every retry. */
  id: string;
  type: 'booking.created';
  /** When it happened. */
  timestamp: string;
  api_version: 'v1';
  environment: 'production' | 'sandbox';
  data: {
    booking: Booking;
  };
}

export interface BookingPage {
  bookings: Booking[];
  pagination: Pagination;
}

export interface BookingQuery {
  space_id?: string | undefined;
  status?: 'confirmed' | 'cancelled' | 'completed' | undefined;
  /** First local date, inclusive. */
  from?: string | undefined;
  /** Last local date, inclusive. */
  to?: string | undefined;
  /** Default: 50. */
  limit?: number | undefined;
  /** How many bookings to pass over. Far into a long list `cursor` is faster. Default: 0. */
  offset?: number | undefined;
  /** The `next_cursor` of the page before, with the same filters and without `offset`: the list goes on behind the last booking shown, whatever was made or cancelled meanwhile. */
  cursor?: string | undefined;
}

export interface CancelBooking {
  /** Kept with the booking. */
  reason: string;
}

export interface CreateBlocks {
  /** May repeat the one in the path. */
  space_id?: string | undefined;
  /** YYYY-MM-DD. */
  date: string;
  /** First hour, on the space’s wall clock. */
  start_hour: number;
  /** Exclusive: 12 ends at 12:00. */
  end_hour: number;
  /** For yourself; guests and calendars do not see it. */
  reason?: string | undefined;
}

export interface CreateBooking {
  space_id: string;
  /** YYYY-MM-DD. */
  date: string;
  /** First hour, on the space’s wall clock. */
  start_hour: number;
  /** Exclusive: 12 ends at 12:00. */
  end_hour: number;
  guest_email: string;
  guest_name: string;
  guest_phone?: string | undefined;
  /** `host_settled`: the guest pays the host. `platform_settled`: the guest pays the platform. Default: `host_settled`. */
  settlement_mode?: string | undefined;
  /** Makes the request safe to repeat: the same key and request answer with the first booking. Printable ASCII. */
  idempotency_key?: string | undefined;
}

export interface CreateWebhook {
  /** An https address on the public internet, without credentials; any port. */
  url: string;
  /** Which events to send. */
  events: ('booking.created' | 'booking.cancelled' | 'booking.completed' | 'availability.changed' | 'listing.updated' | 'payment.confirmed')[];
  /** For you: what it is for. */
  description?: string | null | undefined;
}

export interface DeleteBlocks {
  /** May repeat the one in the path. */
  space_id?: string | undefined;
  /** YYYY-MM-DD. */
  date: string;
  /** First hour, on the space’s wall clock. */
  start_hour: number;
  /** Exclusive: 12 ends at 12:00. */
  end_hour: number;
}

export interface DeletedWebhook {
  id: string;
  deleted: true;
}

export interface Earnings {
  /** ISO 4217; all amounts are in its major units. */
  currency: string;
  lifetime: EarningsSums;
  this_month: EarningsSums;
  last_month: EarningsSums;
  upcoming: EarningsSums;
  /** Oldest first; the last one is the present month. */
  by_month: {
    month: string;
    /** How many bookings; cancelled ones are not among them. */
    bookings: number;
    /** How many hours they have. */
    hours: number;
    /** What guests pay, in major units of `currency`. */
    gross: number;
    /** The platform’s share, rounded half up per booking. */
    commission: number;
    /** `gross` less `commission`. */
    net: number;
  }[];
  /** Every space, oldest first; over its lifetime. */
  by_space: {
    space_id: string;
    title: string;
    /** How many bookings; cancelled ones are not among them. */
    bookings: number;
    /** How many hours they have. */
    hours: number;
    /** What guests pay, in major units of `currency`. */
    gross: number;
    /** The platform’s share, rounded half up per booking. */
    commission: number;
    /** `gross` less `commission`. */
    net: number;
  }[];
}

export interface EarningsSums {
  /** How many bookings; cancelled ones are not among them. */
  bookings: number;
  /** How many hours they have. */
  hours: number;
  /** What guests pay, in major units of `currency`. */
  gross: number;
  /** The platform’s share, rounded half up per booking. */
  commission: number;
  /** `gross` less `commission`. */
  net: number;
}

/** Every failure. */
export interface ErrorAnswer {
  success: false;
  error: {
    /** Stable; decide by this. */
    code: string;
    /** For people; may change. */
    message: string;
    http_status: number;
    request_id: string;
    /** Field errors on a VALIDATION_ERROR; the facts of the refusal on others. */
    details?: {
      field: string;
      message: string;
    }[] | Record<string, unknown> | undefined;
  };
}

export interface ListingUpdatedEvent {
  /** The event’s; equal to `webhook-id`, the same on every retry. */
  id: string;
  type: 'listing.updated';
  /** When it happened. */
  timestamp: string;
  api_version: 'v1';
  environment: 'production' | 'sandbox';
  data: {
    space: Space;
    changed: ('title' | 'price_per_hour' | 'is_active')[];
  };
}

export interface Pagination {
  limit: number;
  offset: number;
  /** How many match the filter in all, counted up to 10,000. */
  total: number;
  /** False when there are more than `total`. */
  total_is_exact: boolean;
  /** Whether there is a page after this one. */
  has_more: boolean;
  /** Goes into `cursor` for the page after this one; null on the last page. */
  next_cursor: string | null;
}

export interface PaymentConfirmedEvent {
  /** The event’s; equal to `webhook-id`, the same on every retry. */
  id: string;
  type: 'payment.confirmed';
  /** When it happened. */
  timestamp: string;
  api_version: 'v1';
  environment: 'production' | 'sandbox';
  data: {
    booking: Booking;
  };
}

/** One booking of a settlement report. */
export interface SettlementLine {
  booking_id: string;
  space_id: string;
  /** As the space is called now. */
  space_title: string;
  /** YYYY-MM-DD. */
  date: string;
  start_hour: number;
  end_hour: number;
  /** 0 for a cancelled booking: it has none any more. */
  hours: number;
  /** `cancelled` only where the guest has paid the platform and has the money to get back. */
  status: 'confirmed' | 'cancelled' | 'completed';
  settlement_mode: 'host_settled' | 'platform_settled';
  payment_status: 'host_collected' | 'pending' | 'confirmed';
  /** The price that was frozen when the booking was made. */
  gross: number;
  /** Frozen likewise. */
  commission_rate: number;
  /** Rounded half up to the currency’s smallest unit. */
  commission: number;
  /** `gross` less `commission`. */
  net: number;
}

export interface SettlementReport {
  month: string;
  /** ISO 4217; all amounts are in its major units. */
  currency: string;
  /** Closed once the month has ended in every timezone in which the host has spaces. */
  status: 'open' | 'closed';
  totals: SettlementTotals;
  /** One entry for each mode. */
  by_settlement_mode: {
    settlement_mode: 'host_settled' | 'platform_settled';
    /** How many bookings; cancelled ones are not among them. */
    bookings: number;
    /** How many hours they have. */
    hours: number;
    /** What guests pay, in major units of `currency`. */
    gross: number;
    /** The platform’s share, rounded half up per booking. */
    commission: number;
    /** `gross` less `commission`. */
    net: number;
  }[];
  /** Bookings that were paid to the platform and cancelled, and what guests get back. */
  refunds_pending: {
    bookings: number;
    amount: number;
  };
  /** Ordered by date, start hour and booking id. */
  lines: SettlementLine[];
}

/** What the lines add up to. */
export interface SettlementTotals {
  /** How many bookings; cancelled ones are not among them. */
  bookings: number;
  /** How many hours they have. */
  hours: number;
  /** What guests pay, in major units of `currency`. */
  gross: number;
  /** The platform’s share, rounded half up per booking. */
  commission: number;
  /** `gross` less `commission`. */
  net: number;
  /** How many bookings were cancelled. */
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
  id: string;
  title: string;
  category_slug: string;
  description: string | null;
  address: string;
  area: string;
  /** In major units of `currency`. */
  price_per_hour: number;
  capacity: number | null;
  /** Local hours; 0 to 24 is always open. */
  operating_hours: {
    /** First hour of the day that opens. */
    start_hour: number;
    /** Exclusive: 22 closes at 22:00. */
    end_hour: number;
  };
  rating: number;
  review_count: number;
  /** An inactive space takes no bookings. */
  is_active: boolean;
  amenities: string[];
  photo_urls: string[];
  /** IANA name; dates and hours of this space are on its wall clock. */
  timezone: string;
  /** ISO 4217. */
  currency: string;
}

export interface UnblockedHours {
  space_id: string;
  /** YYYY-MM-DD. */
  date: string;
  unblocked_hours: number[];
}

/** At least one of `title`, `price`, `is_active`. */
export interface UpdateListing {
  /** May repeat the one in the path. */
  space_id?: string | undefined;
  title?: string | undefined;
  /** The new `price_per_hour`, with no more decimals than the currency has. */
  price?: number | undefined;
  is_active?: boolean | undefined;
}

export interface UpdateWebhook {
  /** An https address on the public internet, without credentials; any port. */
  url?: string | undefined;
  /** Which events to send. */
  events?: ('booking.created' | 'booking.cancelled' | 'booking.completed' | 'availability.changed' | 'listing.updated' | 'payment.confirmed')[] | undefined;
  /** For you: what it is for. */
  description?: string | null | undefined;
  is_active?: boolean | undefined;
  /** Make a new secret, answered once; the old one signs along for 24 hours. */
  rotate_secret?: true | undefined;
}

/** A subscription. */
export interface Webhook {
  id: string;
  /** An https address on the public internet, without credentials; any port. */
  url: string;
  events: ('booking.created' | 'booking.cancelled' | 'booking.completed' | 'availability.changed' | 'listing.updated' | 'payment.confirmed')[];
  /** For you: what it is for. */
  description: string | null;
  /** While false nothing new is gathered; what was due is kept and resumes when true again. */
  is_active: boolean;
  /** Why the service switched it off: the receiver answered 410, or nothing but failures for five days. Null while active and when you switched it off. */
  disabled_reason: 'receiver_gone' | 'five_days_of_failures' | null;
  /** UTC. */
  created_at: string;
  /** UTC. */
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
  type: 'booking.created' | 'booking.cancelled' | 'booking.completed' | 'availability.changed' | 'listing.updated' | 'payment.confirmed';
  /** `failed`: given up after the last retry. */
  status: 'pending' | 'delivered' | 'failed';
  attempts: number;
  /** What the receiver last answered. */
  response_status: number | null;
  /** Why the last attempt failed: `unsuccessful_status`, `redirect`, `timeout`, `connect_timeout`, `connection_refused`, `connection_reset`, `dns_failure`, `blocked_address`, `tls_error`, `invalid_response`, `too_large`, `unreachable`, `network_error` or `internal_error` (ours). */
  error: string | null;
  /** UTC. */
  last_attempt_at: string | null;
  /** Null when there will be none, and while one is under way. */
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
export type EventType = WebhookEvent['type'];

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
