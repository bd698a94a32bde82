<?php

declare(strict_types=1);

namespace Hourkeep;

/**
 * @phpstan-import-type Availability from Document as Day
 * @phpstan-import-type DayAvailability from Document
 */
final class Availability
{
    /** @internal */
    public function __construct(private readonly Transport $transport)
    {
    }

    /**
     * The 24 hours of one date (YYYY-MM-DD) on the space's wall clock. What is available here can be booked. With `$days` the answer
     * has as many dates in its field `days`.
     *
     * @return Day
     */
    public function get(string $spaceId, string $date, ?int $days = null): array
    {
        $path = '/api-availability/api/v1/spaces/' . Transport::segment($spaceId) . '/availability';
        return $this->transport->read($path, ['date' => $date, 'days' => $days]);
    }

    /**
     * So many days (1 to 31) from a date on, in one request.
     *
     * @return list<DayAvailability>
     */
    public function days(string $spaceId, string $date, int $days): array
    {
        return $this->get($spaceId, $date, $days)['days'];
    }
}
