<?php

declare(strict_types=1);

namespace Hourkeep;

/**
 * The event of a delivery whose signature is right (Standard Webhooks: HMAC-SHA256 of `id.timestamp.body`).
 *
 * @param string $payload The body exactly as it came: `file_get_contents('php://input')`.
 * @param iterable<string, string|list<string>> $headers Names in any case: `getallheaders()`.
 * @param string $secret `whsec_…`, from the answer that made the subscription or rotated its secret.
 * @param float $toleranceSeconds How far the delivery's time may lie from now.
 * @return array{
 *   id: string,
 *   type: string,
 *   timestamp: string,
 *   api_version: string,
 *   environment: string,
 *   request_id: string|null,
 *   data: array<string, mixed>,
 * } The `WebhookEvent` of Document tells by `type` what `data` has.
 * @throws HourkeepError with INVALID_SIGNATURE when the delivery cannot be trusted
 */
function verify_webhook(
    string $payload,
    iterable $headers,
    #[\SensitiveParameter] string $secret,
    float $toleranceSeconds = 300,
): array {
    $distrust = static fn (string $why) => new HourkeepError('INVALID_SIGNATURE', "This delivery cannot be trusted: $why");
    $key = webhook_key($secret);
    $given = [];
    foreach ($headers as $name => $value) {
        $given[strtolower((string) $name)] = is_array($value) ? implode(' ', $value) : (string) $value;
    }
    foreach (['webhook-id', 'webhook-timestamp', 'webhook-signature'] as $name) {
        if (($given[$name] ?? '') === '') {
            throw $distrust("the header $name is missing");
        }
    }
    ['webhook-id' => $id, 'webhook-timestamp' => $timestamp, 'webhook-signature' => $signatures] = $given;
    if (!is_numeric($timestamp) || !(abs(microtime(true) - (float) $timestamp) <= $toleranceSeconds)) {
        throw $distrust('it is too old, or from the future');
    }
    $right = hash_hmac('sha256', "$id.$timestamp.$payload", $key, true);
    foreach (explode(' ', $signatures) as $signature) {
        $mac = str_starts_with($signature, 'v1,') ? base64_decode(substr($signature, 3), true) : false;
        // After a rotation there are two: one that fits is enough.
        if ($mac !== false && hash_equals($right, $mac)) {
            return json_decode($payload, true, flags: JSON_THROW_ON_ERROR);
        }
    }
    throw $distrust('its signature does not match');
}

/**
 * The headers that the service would send with a delivery: for tests of your own receiver.
 *
 * @return array{'webhook-id': string, 'webhook-timestamp': string, 'webhook-signature': string}
 */
function sign_webhook(
    string $payload,
    #[\SensitiveParameter] string $secret,
    ?string $id = null,
    int|float|\DateTimeInterface|null $timestamp = null,
): array {
    $at = $timestamp instanceof \DateTimeInterface ? $timestamp->getTimestamp() : (int) floor($timestamp ?? time());
    $id ??= 'test_' . bin2hex(random_bytes(8));
    $mac = hash_hmac('sha256', "$id.$at.$payload", webhook_key($secret), true);
    return [
        'webhook-id' => $id,
        'webhook-timestamp' => (string) $at,
        'webhook-signature' => 'v1,' . base64_encode($mac),
    ];
}

/** @internal */
function webhook_key(#[\SensitiveParameter] string $secret): string
{
    $key = base64_decode(str_starts_with($secret, 'whsec_') ? substr($secret, 6) : $secret, true);
    if ($key === false || $key === '') {
        throw new \InvalidArgumentException('secret must be the whsec_… of the subscription');
    }
    return $key;
}
