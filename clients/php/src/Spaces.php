<?php

declare(strict_types=1);

namespace Hourkeep;

/**
 * @phpstan-import-type Space from Document
 * @phpstan-import-type UpdateListing from Document
 */
final class Spaces
{
    /** @internal */
    public function __construct(private readonly Transport $transport)
    {
    }

    /**
     * Every space of the host.
     *
     * @return list<Space>
     */
    public function list(): array
    {
        return $this->transport->read('/api-listings/api/v1/spaces')['spaces'];
    }

    /** @return Space */
    public function get(string $id): array
    {
        return $this->transport->read('/api-listings/api/v1/spaces/' . Transport::segment($id))['space'];
    }

    /**
     * Changes what is given, at least one field. With `rotate_ical_token` the answer has the new `ical_feed_url`, this once. After a
     * lost connection with a calendar connected or disconnected, `get` tells whether it was done.
     *
     * @param UpdateListing $fields
     * @return Space&array{ical_feed_url?: string}
     */
    public function update(string $id, array $fields): array
    {
        $path = '/api-listing-update/api/v1/spaces/' . Transport::segment($id);
        $data = $this->transport->send('PATCH', $path, body: $fields, repeatable: Transport::isHarmless($fields));
        $space = $data['space'];
        unset($data['space']);
        return $space + $data;
    }
}
