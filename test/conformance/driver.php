<?php

// The PHP client, driven: a JSON object a line in, a JSON object a line out. client-process.ts says what they are.

declare(strict_types=1);

require __DIR__ . '/../../clients/php/autoload.php';

// A warning is a defect of the client.
error_reporting(E_ALL);
set_error_handler(static fn (int $_, string $message) => throw new ErrorException($message));

final class Driver
{
    /** @var array<string, array{Hourkeep\Hourkeep, ArrayObject<int, mixed>}> */
    private array $opened = [];

    /** @return array{Hourkeep\Hourkeep, ArrayObject<int, mixed>} */
    private function open(array $options): array
    {
        return $this->opened[json_encode($options)] ??= (static function () use ($options): array {
            $seen = new ArrayObject();
            $onResponse = static function (Hourkeep\AnswerSeen $answer) use ($seen, $options): void {
                $seen[] = [
                    'method' => $answer->method,
                    'path' => $answer->path,
                    'status' => $answer->status,
                    'attempt' => $answer->attempt,
                    'type' => $answer->headers['content-type'] ?? null,
                    'took' => $answer->duration >= 0,
                ];
                if ($options['throws'] ?? false) {
                    throw new RuntimeException('not my business');
                }
            };
            $known = ['apiKey' => 1, 'baseUrl' => 1, 'maxRetries' => 1, 'timeout' => 1, 'maxWait' => 1];
            return [new Hourkeep\Hourkeep(...array_intersect_key($options, $known), onResponse: $onResponse), $seen];
        })();
    }

    private function value(array $options, string $name, mixed ...$args): mixed
    {
        if ($name === 'verifyWebhook') {
            return Hourkeep\verify_webhook(...$args[0]);
        }
        if ($name === 'signWebhook') {
            return Hourkeep\sign_webhook(...$args[0]);
        }
        [$hk, $seen] = $this->open($options);
        if ($name === 'seen') {
            return $seen->getArrayCopy();
        }
        if ($name === 'bookings.changes') {
            $pages = [];
            $since = $hk->bookings->changes($args[0], static function (array $page) use (&$pages): void {
                $pages[] = $page;
            });
            return ['since' => $since, 'pages' => $pages];
        }
        [$part, $method] = explode('.', $name);
        $value = $hk->$part->$method(...$args);
        return $value instanceof Generator ? iterator_to_array($value, false) : $value;
    }

    public function result(array $options, array $call): array
    {
        try {
            return ['value' => $this->value($options, ...$call)];
        } catch (Hourkeep\HourkeepError $error) {
            return ['error' => [
                'code' => $error->errorCode,
                'status' => $error->status,
                'message' => $error->getMessage(),
                'requestId' => $error->requestId,
                'details' => $error->details,
                'retryAfter' => $error->retryAfter,
                'outcome' => $error->outcome,
            ]];
        } catch (Throwable $error) {
            return ['mistake' => (string) $error];
        }
    }
}

$driver = new Driver();
while (($line = fgets(STDIN)) !== false) {
    ['options' => $options, 'calls' => $calls] = json_decode($line, true, flags: JSON_THROW_ON_ERROR);
    $results = array_map(static fn (array $call) => $driver->result($options, $call), $calls);
    echo json_encode($results, JSON_THROW_ON_ERROR), "\n";
}
