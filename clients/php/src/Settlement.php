<?php

declare(strict_types=1);

namespace Hourkeep;

/**
 * @phpstan-import-type SettlementReport from Document
 */
final class Settlement
{
    /** @internal */
    public function __construct(private readonly Transport $transport)
    {
    }

    /**
     * Who owes whom what for the bookings of one month (YYYY-MM) that were made through the API.
     *
     * @return SettlementReport
     */
    public function report(string $month): array
    {
        return $this->transport->read('/api-settlement-report/api/v1/settlement/report', ['month' => $month]);
    }
}
