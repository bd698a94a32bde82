<?php

declare(strict_types=1);

namespace Hourkeep;

/**
 * @phpstan-import-type Booking from Document
 * @phpstan-import-type BookingChanges from Document
 * @phpstan-import-type BookingPage from Document
 * @phpstan-import-type BookingQuery from Document
 * @phpstan-import-type CancelBooking from Document
 * @phpstan-import-type CreateBooking from Document
 */
final class Bookings
{
    /** A create demands these or has defaults for them. What else a booking has is the service's to keep. */
    private const KEPT_BY_MOVE = [
        'space_id', 'date', 'start_hour', 'end_hour', 'guest_email', 'guest_name', 'guest_phone', 'settlement_mode',
    ];

    /** @internal */
    public function __construct(private readonly Transport $transport)
    {
    }

    /**
     * One page, ordered by date, start hour and id.
     *
     * @param BookingQuery $query
     * @return BookingPage
     */
    public function list(array $query = []): array
    {
        return $this->transport->read('/api-bookings/api/v1/bookings', $query);
    }

    /**
     * Every booking that matches, page after page.
     *
     * @param BookingQuery $query
     * @return \Generator<int, Booking, mixed, void>
     */
    public function iterate(array $query = []): \Generator
    {
        // The largest pages: fewest requests of those that the key has in a minute.
        $query += ['limit' => 200];
        for (;;) {
            ['bookings' => $bookings, 'pagination' => $pagination] = $this->list($query);
            foreach ($bookings as $booking) {
                yield $booking;
            }
            if ($pagination['next_cursor'] === null) {
                return;
            }
            unset($query['offset']);
            $query['cursor'] = $pagination['next_cursor'];
        }
    }

    /**
     * Books every hour from `start_hour` up to `end_hour`, or none. Without an `idempotency_key` it makes one, so that a lost
     * connection can be tried again without booking twice.
     *
     * @param CreateBooking $fields
     * @return Booking
     */
    public function create(array $fields): array
    {
        $fields['idempotency_key'] ??= bin2hex(random_bytes(16));
        $path = '/api-create-booking/api/v1/bookings';
        return $this->transport->send('POST', $path, body: $fields, repeatable: true)['booking'];
    }

    /** @return Booking */
    public function get(string $id): array
    {
        return $this->transport->read('/api-booking-detail/api/v1/bookings/' . Transport::segment($id))['booking'];
    }

    /**
     * Moves a booking to another hour, day, length or space: the old one is cancelled and the new one made in one step, and an hour
     * that both have is never free. What `$changes` lacks is the old booking's. Answers with the new one.
     *
     * @param BookingChanges $changes
     * @return Booking
     */
    public function move(string $id, array $changes): array
    {
        $old = $this->get($id);
        $kept = array_filter(
            array_intersect_key($old, array_flip(self::KEPT_BY_MOVE)),
            static fn (mixed $value): bool => $value !== null,
        );
        return $this->create([...$kept, ...$changes, 'replaces' => $old['id']]);
    }

    /**
     * Hands every page of what has changed since then to `$save`, and answers with the `$since` of the next time. Keep it where you
     * keep the bookings. Without one (null) it begins with everything. No change is missed; one may come twice.
     *
     * @param callable(list<Booking>): mixed $save
     */
    public function changes(?string $since, callable $save): string
    {
        $query = ['limit' => 200, 'updated_since' => $since ?? '1970-01-01T00:00:00Z'];
        for (;;) {
            ['bookings' => $bookings, 'pagination' => $pagination] = $this->list($query);
            if ($bookings !== []) {
                $save($bookings);
            }
            if ($pagination['next_cursor'] === null) {
                return $pagination['synced_to'];
            }
            $query['cursor'] = $pagination['next_cursor'];
        }
    }

    /**
     * Its hours are free again at once. After a lost connection, `get` tells whether it was cancelled.
     *
     * @param CancelBooking $fields
     * @return Booking
     */
    public function cancel(string $id, array $fields): array
    {
        $path = '/api-cancel-booking/api/v1/bookings/' . Transport::segment($id) . '/cancel';
        return $this->transport->send('POST', $path, body: $fields)['booking'];
    }
}
