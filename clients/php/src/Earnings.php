<?php

declare(strict_types=1);

namespace Hourkeep;

/**
 * @phpstan-import-type Earnings from Document as Sums
 */
final class Earnings
{
    /** @internal */
    public function __construct(private readonly Transport $transport)
    {
    }

    /** @return Sums */
    public function get(): array
    {
        return $this->transport->read('/api-earnings/api/v1/earnings');
    }
}
