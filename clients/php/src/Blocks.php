<?php

declare(strict_types=1);

namespace Hourkeep;

/**
 * @phpstan-import-type BlockedHours from Document
 * @phpstan-import-type CreateBlocks from Document
 * @phpstan-import-type DeleteBlocks from Document
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
     * @param CreateBlocks $range
     * @return BlockedHours
     */
    public function create(string $spaceId, array $range): array
    {
        return $this->transport->send('POST', self::path($spaceId), body: $range);
    }

    /**
     * Frees those hours of the range that the host had blocked.
     *
     * @param DeleteBlocks $range
     * @return UnblockedHours
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
