<?php

declare(strict_types=1);

namespace Hourkeep;

/**
 * @phpstan-import-type CreateWebhook from Document
 * @phpstan-import-type DeletedWebhook from Document
 * @phpstan-import-type UpdateWebhook from Document
 * @phpstan-import-type Webhook from Document
 */
final class Webhooks
{
    private const PATH = '/api-webhooks/api/v1/webhooks';

    /** @internal */
    public function __construct(private readonly Transport $transport)
    {
    }

    /**
     * Every subscription, each with its ten newest deliveries.
     *
     * @return list<Webhook>
     */
    public function list(): array
    {
        return $this->transport->read(self::PATH)['webhooks'];
    }

    /**
     * The answer has the `secret` that verifies deliveries, this once: keep it.
     *
     * @param CreateWebhook $fields
     * @return Webhook&array{secret: string}
     */
    public function create(array $fields): array
    {
        return $this->transport->send('POST', self::PATH, body: $fields)['webhook'];
    }

    /**
     * Changes what is given. With `rotate_secret` the answer has the new `secret`, this once.
     *
     * @param UpdateWebhook $fields
     * @return Webhook
     */
    public function update(string $id, array $fields): array
    {
        $path = self::PATH . '/' . Transport::segment($id);
        return $this->transport->send('PATCH', $path, body: $fields, repeatable: Transport::isHarmless($fields))['webhook'];
    }

    /** @return DeletedWebhook */
    public function delete(string $id): array
    {
        $gone = ['id' => $id, 'deleted' => true];
        $path = self::PATH . '/' . Transport::segment($id);
        return $this->transport->send('DELETE', $path, repeatable: true, whenGone: $gone);
    }
}
