<?php

declare(strict_types=1);

namespace Hourkeep;

/**
 * Made from the OpenAPI document by "npm run client:types"; changes made by hand are lost.
 *
 * @phpstan-type Availability array{
 *   space_id: string,
 *   date: string,
 *   timezone: string,
 *   slots: list<AvailabilitySlot>,
 *   blocks: list<array{
 *     start_hour: int,
 *     end_hour: int,
 *     reason: string|null,
 *   }>,
 *   days?: list<DayAvailability>,
 * }
 *
 * Hours of one date were taken or freed. Read the availability to learn what they are now: events are not ordered.
 * @phpstan-type AvailabilityChangedEvent array{
 *   id: string,
 *   type: 'availability.changed',
 *   timestamp: string,
 *   api_version: 'v1',
 *   environment: 'production'|'sandbox',
 *   request_id: string|null,
 *   data: array{
 *     space_id: string,
 *     date: string,
 *     hours: list<int>,
 *     cause: 'booking_created'|'booking_cancelled'|'block_created'|'block_deleted'|'external_calendar',
 *   },
 * }
 *
 * One hour of the day on the space’s wall clock.
 * @phpstan-type AvailabilitySlot array{
 *   hour: int,
 *   available: bool,
 *   block_reason: 'booked'|'external_block'|'host_block'|null,
 * }
 *
 * @phpstan-type BlockedHours array{
 *   space_id: string,
 *   date: string,
 *   start_hour: int,
 *   end_hour: int,
 *   reason: string|null,
 *   blocked_hours: list<int>,
 * }
 *
 * A booking.
 * @phpstan-type Booking array{
 *   id: string,
 *   space_id: string,
 *   status: 'confirmed'|'cancelled'|'completed',
 *   source: 'api'|'platform',
 *   date: string,
 *   start_hour: int,
 *   end_hour: int,
 *   hours: int,
 *   timezone: string,
 *   starts_at: string,
 *   ends_at: string,
 *   guest_name: string,
 *   guest_email: string,
 *   guest_phone: string|null,
 *   price_per_hour: int|float,
 *   total_price: int|float,
 *   currency: string,
 *   settlement_mode: 'host_settled'|'platform_settled',
 *   payment_status: 'host_collected'|'pending'|'confirmed'|'refunded',
 *   payment_due_at: string|null,
 *   paid_at: string|null,
 *   refunded_at: string|null,
 *   reference: string|null,
 *   notes: string|null,
 *   guest_count: int|null,
 *   walk_in: bool,
 *   idempotency_key: string|null,
 *   cancellation_reason: string|null,
 *   cancelled_at: string|null,
 *   replaces: string|null,
 *   replaced_by: string|null,
 *   created_at: string,
 *   updated_at: string,
 * }
 *
 * A booking was cancelled; its hours are free again.
 * @phpstan-type BookingCancelledEvent array{
 *   id: string,
 *   type: 'booking.cancelled',
 *   timestamp: string,
 *   api_version: 'v1',
 *   environment: 'production'|'sandbox',
 *   request_id: string|null,
 *   data: array{
 *     booking: Booking,
 *   },
 * }
 *
 * The end of a confirmed booking has passed.
 * @phpstan-type BookingCompletedEvent array{
 *   id: string,
 *   type: 'booking.completed',
 *   timestamp: string,
 *   api_version: 'v1',
 *   environment: 'production'|'sandbox',
 *   request_id: string|null,
 *   data: array{
 *     booking: Booking,
 *   },
 * }
 *
 * A booking was made, through this API or on the platform’s own site.
 * @phpstan-type BookingCreatedEvent array{
 *   id: string,
 *   type: 'booking.created',
 *   timestamp: string,
 *   api_version: 'v1',
 *   environment: 'production'|'sandbox',
 *   request_id: string|null,
 *   data: array{
 *     booking: Booking,
 *   },
 * }
 *
 * @phpstan-type BookingPage array{
 *   bookings: list<Booking>,
 *   pagination: Pagination,
 * }
 *
 * @phpstan-type BookingQuery array{
 *   space_id?: string,
 *   status?: 'confirmed'|'cancelled'|'completed',
 *   from?: string,
 *   to?: string,
 *   limit?: int,
 *   offset?: int,
 *   guest?: string,
 *   updated_since?: string,
 *   cursor?: string,
 * }
 *
 * A cancellation.
 * @phpstan-type CancelBooking array{
 *   reason: string,
 * }
 *
 * The hours to block.
 * @phpstan-type CreateBlocks array{
 *   date: string,
 *   start_hour: int,
 *   end_hour: int,
 *   reason?: string,
 * }
 *
 * The hours wanted, and for whom.
 * @phpstan-type CreateBooking array{
 *   space_id: string,
 *   date: string,
 *   start_hour: int,
 *   end_hour: int,
 *   guest_name: string,
 *   guest_email?: string,
 *   guest_phone?: string,
 *   settlement_mode?: string,
 *   reference?: string|null,
 *   notes?: string|null,
 *   guest_count?: int|null,
 *   walk_in?: bool,
 *   idempotency_key?: string,
 *   replaces?: string|null,
 * }
 *
 * What a move changes.
 * @phpstan-type BookingChanges array{
 *   space_id?: string,
 *   date?: string,
 *   start_hour?: int,
 *   end_hour?: int,
 *   guest_name?: string,
 *   guest_email?: string,
 *   guest_phone?: string,
 *   settlement_mode?: string,
 *   reference?: string|null,
 *   notes?: string|null,
 *   guest_count?: int|null,
 *   walk_in?: bool,
 *   idempotency_key?: string,
 * }
 *
 * What to send, and where.
 * @phpstan-type CreateWebhook array{
 *   url: string,
 *   events: list<'booking.created'|'booking.cancelled'|'booking.completed'|'availability.changed'|'listing.updated'|'payment.confirmed'>,
 *   description?: string|null,
 * }
 *
 * One date: exactly what a request for this date alone answers.
 * @phpstan-type DayAvailability array{
 *   date: string,
 *   slots: list<AvailabilitySlot>,
 *   blocks: list<array{
 *     start_hour: int,
 *     end_hour: int,
 *     reason: string|null,
 *   }>,
 * }
 *
 * The hours to free.
 * @phpstan-type DeleteBlocks array{
 *   date: string,
 *   start_hour: int,
 *   end_hour: int,
 * }
 *
 * @phpstan-type DeletedWebhook array{
 *   id: string,
 *   deleted: true,
 * }
 *
 * What a host has earned, and will.
 * @phpstan-type Earnings array{
 *   currency: string,
 *   lifetime: EarningsSums,
 *   this_month: EarningsSums,
 *   last_month: EarningsSums,
 *   upcoming: EarningsSums,
 *   by_month: list<array{
 *     month: string,
 *     bookings: int,
 *     hours: int,
 *     gross: int|float,
 *     commission: int|float,
 *     net: int|float,
 *   }>,
 *   by_space: list<array{
 *     space_id: string,
 *     title: string,
 *     bookings: int,
 *     hours: int,
 *     gross: int|float,
 *     commission: int|float,
 *     net: int|float,
 *   }>,
 * }
 *
 * What some bookings add up to.
 * @phpstan-type EarningsSums array{
 *   bookings: int,
 *   hours: int,
 *   gross: int|float,
 *   commission: int|float,
 *   net: int|float,
 * }
 *
 * A calendar whose events block hours of a space.
 * @phpstan-type ExternalCalendar array{
 *   id: string,
 *   address: string,
 *   status: 'waiting'|'ok'|'warning'|'failing',
 *   last_synced_at: string|null,
 *   error: string|null,
 * }
 *
 * Fields of a space were changed; `changed` names them.
 * @phpstan-type ListingUpdatedEvent array{
 *   id: string,
 *   type: 'listing.updated',
 *   timestamp: string,
 *   api_version: 'v1',
 *   environment: 'production'|'sandbox',
 *   request_id: string|null,
 *   data: array{
 *     space: Space,
 *     changed: list<'title'|'category_slug'|'description'|'address'|'area'|'price_per_hour'|'capacity'|'operating_hours'|'weekly_hours'|'booking_rules'|'is_active'|'amenities'|'photo_urls'|'timezone'|'currency'>,
 *   },
 * }
 *
 * Which part of the list this is.
 * @phpstan-type Pagination array{
 *   limit: int,
 *   offset: int,
 *   total: int,
 *   total_is_exact: bool,
 *   has_more: bool,
 *   next_cursor: string|null,
 *   synced_to?: string,
 * }
 *
 * The platform has received the guest’s payment for a platform-settled booking.
 * @phpstan-type PaymentConfirmedEvent array{
 *   id: string,
 *   type: 'payment.confirmed',
 *   timestamp: string,
 *   api_version: 'v1',
 *   environment: 'production'|'sandbox',
 *   request_id: string|null,
 *   data: array{
 *     booking: Booking,
 *   },
 * }
 *
 * One booking of a settlement report.
 * @phpstan-type SettlementLine array{
 *   booking_id: string,
 *   space_id: string,
 *   space_title: string,
 *   date: string,
 *   start_hour: int,
 *   end_hour: int,
 *   hours: int,
 *   status: 'confirmed'|'cancelled'|'completed',
 *   settlement_mode: 'host_settled'|'platform_settled',
 *   payment_status: 'host_collected'|'pending'|'confirmed'|'refunded',
 *   gross: int|float,
 *   commission_rate: int|float,
 *   commission: int|float,
 *   net: int|float,
 * }
 *
 * What host and platform owe each other for one month.
 * @phpstan-type SettlementReport array{
 *   month: string,
 *   currency: string,
 *   status: 'open'|'closed',
 *   totals: SettlementTotals,
 *   by_settlement_mode: list<array{
 *     settlement_mode: 'host_settled'|'platform_settled',
 *     bookings: int,
 *     hours: int,
 *     gross: int|float,
 *     commission: int|float,
 *     net: int|float,
 *   }>,
 *   refunds_pending: array{
 *     bookings: int,
 *     amount: int|float,
 *   },
 *   lines: list<SettlementLine>,
 * }
 *
 * What the lines add up to.
 * @phpstan-type SettlementTotals array{
 *   bookings: int,
 *   hours: int,
 *   gross: int|float,
 *   commission: int|float,
 *   net: int|float,
 *   cancelled: int,
 *   host_collected: int|float,
 *   platform_collected: int|float,
 *   commission_due: int|float,
 *   payout_due: int|float,
 *   balance: int|float,
 * }
 *
 * A space that a host rents out by the hour.
 * @phpstan-type Space array{
 *   id: string,
 *   title: string,
 *   category_slug: string,
 *   description: string|null,
 *   address: string,
 *   area: string,
 *   price_per_hour: int|float,
 *   capacity: int|null,
 *   operating_hours: array{
 *     start_hour: int,
 *     end_hour: int,
 *   },
 *   weekly_hours: array{
 *     monday: array{
 *       start_hour: int,
 *       end_hour: int,
 *     }|null,
 *     tuesday: array{
 *       start_hour: int,
 *       end_hour: int,
 *     }|null,
 *     wednesday: array{
 *       start_hour: int,
 *       end_hour: int,
 *     }|null,
 *     thursday: array{
 *       start_hour: int,
 *       end_hour: int,
 *     }|null,
 *     friday: array{
 *       start_hour: int,
 *       end_hour: int,
 *     }|null,
 *     saturday: array{
 *       start_hour: int,
 *       end_hour: int,
 *     }|null,
 *     sunday: array{
 *       start_hour: int,
 *       end_hour: int,
 *     }|null,
 *   }|null,
 *   booking_rules: array{
 *     min_hours: int|null,
 *     max_hours: int|null,
 *     lead_hours: int|null,
 *     horizon_days: int|null,
 *   },
 *   rating: int|float,
 *   review_count: int,
 *   is_active: bool,
 *   amenities: list<string>,
 *   photo_urls: list<string>,
 *   timezone: string,
 *   currency: string,
 *   external_calendars: list<ExternalCalendar>,
 * }
 *
 * @phpstan-type UnblockedHours array{
 *   space_id: string,
 *   date: string,
 *   unblocked_hours: list<int>,
 * }
 *
 * At least one of these fields beside `space_id`. Several are changed all together or not at all, and a calendar is disconnected before another is connected.
 * @phpstan-type UpdateListing array{
 *   title?: string,
 *   description?: string|null,
 *   price?: int|float,
 *   capacity?: int|null,
 *   operating_hours?: array{
 *     start_hour: int,
 *     end_hour: int,
 *   },
 *   weekly_hours?: array{
 *     monday: array{
 *       start_hour: int,
 *       end_hour: int,
 *     }|null,
 *     tuesday: array{
 *       start_hour: int,
 *       end_hour: int,
 *     }|null,
 *     wednesday: array{
 *       start_hour: int,
 *       end_hour: int,
 *     }|null,
 *     thursday: array{
 *       start_hour: int,
 *       end_hour: int,
 *     }|null,
 *     friday: array{
 *       start_hour: int,
 *       end_hour: int,
 *     }|null,
 *     saturday: array{
 *       start_hour: int,
 *       end_hour: int,
 *     }|null,
 *     sunday: array{
 *       start_hour: int,
 *       end_hour: int,
 *     }|null,
 *   }|null,
 *   booking_rules?: array{
 *     min_hours?: int|null,
 *     max_hours?: int|null,
 *     lead_hours?: int|null,
 *     horizon_days?: int|null,
 *   }|null,
 *   is_active?: bool,
 *   amenities?: list<string>,
 *   photo_urls?: list<string>,
 *   rotate_ical_token?: true,
 *   connect_calendar?: string,
 *   disconnect_calendar?: string,
 * }
 *
 * At least one of these fields.
 * @phpstan-type UpdateWebhook array{
 *   url?: string,
 *   events?: list<'booking.created'|'booking.cancelled'|'booking.completed'|'availability.changed'|'listing.updated'|'payment.confirmed'>,
 *   description?: string|null,
 *   is_active?: bool,
 *   rotate_secret?: true,
 * }
 *
 * A subscription to events.
 * @phpstan-type Webhook array{
 *   id: string,
 *   url: string,
 *   events: list<'booking.created'|'booking.cancelled'|'booking.completed'|'availability.changed'|'listing.updated'|'payment.confirmed'>,
 *   description: string|null,
 *   is_active: bool,
 *   disabled_reason: 'receiver_gone'|'five_days_of_failures'|'operator'|null,
 *   created_at: string,
 *   updated_at: string,
 *   recent_deliveries: list<WebhookDelivery>,
 *   secret?: string,
 * }
 *
 * One event on its way to one subscription.
 * @phpstan-type WebhookDelivery array{
 *   event_id: string,
 *   type: 'booking.created'|'booking.cancelled'|'booking.completed'|'availability.changed'|'listing.updated'|'payment.confirmed',
 *   status: 'pending'|'delivered'|'failed',
 *   attempts: int,
 *   response_status: int|null,
 *   error: string|null,
 *   last_attempt_at: string|null,
 *   next_attempt_at: string|null,
 * }
 *
 * What a webhook delivers; `type` tells which.
 * @phpstan-type WebhookEvent BookingCreatedEvent|BookingCancelledEvent|BookingCompletedEvent|AvailabilityChangedEvent|ListingUpdatedEvent|PaymentConfirmedEvent
 *
 * The events that a webhook can subscribe to.
 * @phpstan-type EventType 'booking.created'|'booking.cancelled'|'booking.completed'|'availability.changed'|'listing.updated'|'payment.confirmed'
 *
 * Every code that the API refuses with.
 * @phpstan-type ApiErrorCode 'API_KEY_REVOKED'|'BLOCK_SLOT_OCCUPIED'|'BOOKING_CANCELLATION_BLOCKED'|'BOOKING_CONFLICT'|'BOOKING_INVALID_SETTLEMENT_MODE'|'BOOKING_VALUE_EXCEEDED'|'GUEST_BOOKING_VELOCITY'|'INSUFFICIENT_SCOPE'|'INTERNAL_ERROR'|'INVALID_API_KEY'|'INVALID_TOKEN'|'NOT_FOUND'|'PAYLOAD_TOO_LARGE'|'RATE_LIMIT_EXCEEDED'|'SELF_BOOKING_BLOCKED'|'SERVICE_UNAVAILABLE'|'UNSUPPORTED_MEDIA_TYPE'|'VALIDATION_ERROR'
 */
final class Document
{
}
