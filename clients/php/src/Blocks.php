<?php

declare(strict_types=1);

namespace Hourkeep;

/**
 * @phpstan-import-type BlockedDays from Document
 * @phpstan-import-type BlockedHours from Document
 * @phpstan-import-type CreateBlocks from Document
 * @phpstan-import-type CreateBlocksOnDays from Document
 * @phpstan-import-type DeleteBlocks from Document
 * @phpstan-import-type DeleteBlocksOnDays from Document
 * @phpstan-import-type UnblockedDays from Document
 * @phpstan-import-type UnblockedHours from Document
 */
final class Blocks
{
    /** @internal */
    public function __construct(private readonly Transport $transport)
    {
    }

    /**
     * Keeps every hour from `start_hour` up to `end_hour` for the host, or none.
     *
     * With `end_date`, the same hours of many days, perhaps only of some `weekdays`; with `skip_occupied` those that are free.
     *
     * @param CreateBlocks|CreateBlocksOnDays $range
     * @return ($range is CreateBlocksOnDays ? BlockedDays : BlockedHours)
     */
    public function create(string $spaceId, array $range): array
    {
        return $this->transport->send('POST', self::path($spaceId), body: $range);
    }

    /**
     * Frees those hours of the range that the host had blocked; with `end_date`, of many days.
     *
     * @param DeleteBlocks|DeleteBlocksOnDays $range
     * @return ($range is DeleteBlocksOnDays ? UnblockedDays : UnblockedHours)
     */
    public function delete(string $spaceId, array $range): array
    {
        return $this->transport->send('DELETE', self::path($spaceId), body: $range, repeatable: true);
    }

    private static function path(string $spaceId): string
    {
        return '/api-blocks/api/v1/spaces/' . Transport::segment($spaceId) . '/blocks';
    }
}
