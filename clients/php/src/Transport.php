<?php

declare(strict_types=1);

namespace Hourkeep;

/** @internal */
final class Transport
{
    public const VERSION = '0.3.0';

    private readonly string $scheme;
    private readonly string $host;
    private readonly int $port;
    private readonly string $basePath;
    /** @var array<string, string> */
    private readonly array $headers;
    private readonly float $timeout;
    private readonly Pace $pace;
    private readonly ?\Closure $onResponse;

    /** @param (callable(AnswerSeen): mixed)|null $onResponse */
    public function __construct(
        #[\SensitiveParameter] string $apiKey,
        string $baseUrl,
        private readonly int $maxRetries,
        float $timeout,
        private readonly float $maxWait,
        ?callable $onResponse,
    ) {
        if ($apiKey === '' || $baseUrl === '') {
            throw new \InvalidArgumentException('Hourkeep needs an apiKey and a baseUrl');
        }
        // One that cannot stand in a header fails here, not as a connection that is lost again and again.
        if (preg_match('/\A[!-~]+\z/', $apiKey) !== 1) {
            throw new \InvalidArgumentException('apiKey must be printable ASCII without spaces');
        }
        $base = parse_url($baseUrl) ?: [];
        $this->scheme = strtolower($base['scheme'] ?? '');
        $this->host = $base['host'] ?? '';
        if (!in_array($this->scheme, ['http', 'https'], true) || $this->host === '') {
            throw new \InvalidArgumentException("baseUrl must begin with https:// or http://: $baseUrl");
        }
        $this->port = $base['port'] ?? ($this->scheme === 'https' ? 443 : 80);
        $this->basePath = rtrim($base['path'] ?? '', '/');
        $this->headers = [
            'Host' => $this->host . (isset($base['port']) ? ":{$base['port']}" : ''),
            'Authorization' => "Bearer $apiKey",
            'User-Agent' => 'hourkeep-client/' . self::VERSION . ' (php)',
        ];
        // A hundred years: what is longer does not fit into a stream's timeout.
        $this->timeout = $timeout === 0.0 ? 3e9 : min($timeout, 3e9);
        $this->pace = new Pace($maxWait);
        $this->onResponse = $onResponse === null ? null : \Closure::fromCallable($onResponse);
    }

    /**
     * @param array<string, mixed> $query
     * @return mixed
     */
    public function read(string $path, array $query = []): mixed
    {
        return $this->send('GET', $path, $query, repeatable: true);
    }

    /**
     * Answers with `data`.
     *
     * @param array<string, mixed> $query
     * @param array<string, mixed>|null $body
     * @param bool $repeatable Whether it is harmless to do it again, not knowing whether it was done.
     * @param mixed $whenGone Of a deletion: its answer when a repeated attempt finds nothing, because one before has done it.
     */
    public function send(
        string $method,
        string $path,
        array $query = [],
        ?array $body = null,
        bool $repeatable = false,
        mixed $whenGone = null,
    ): mixed {
        $headers = $this->headers;
        $content = null;
        if ($body !== null) {
            $headers['Content-Type'] = 'application/json';
            $flags = JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE;
            $content = json_encode((object) $body, $flags);
        }
        $target = $this->basePath . $path . self::queryOf($query);
        $mayBeDone = false;
        for ($attempt = 1;; $attempt += 1) {
            try {
                $this->pace->wait();
                return $this->ask($method, $path, $target, $headers, $content, $attempt);
            } catch (HourkeepError $error) {
                if ($mayBeDone && $whenGone !== null && $error->errorCode === 'NOT_FOUND') {
                    return $whenGone;
                }
                $mayBeDone = $mayBeDone || !self::wasNotDone($error);
                if ($attempt > $this->maxRetries || !self::mayRepeat($error, $repeatable)) {
                    throw $error;
                }
                $wait = self::waitAfter($error, $attempt);
                if ($wait > $this->maxWait) {
                    throw $error;
                }
                Pace::sleep($wait);
            }
        }
    }

    /**
     * Whether an update may be made twice. A second rotation would end the secret or address that the first one made; a calendar that
     * is gone cannot be disconnected.
     *
     * @param array<string, mixed> $fields
     */
    public static function isHarmless(array $fields): bool
    {
        return preg_grep('/^(?:rotate|connect|disconnect)_/', array_keys($fields)) === [];
    }

    /** An id in a path. Without one, or with dots that a URL resolves, the path would be another one. */
    public static function segment(string $id): string
    {
        if (in_array($id, ['', '.', '..'], true)) {
            throw new HourkeepError('INVALID_ARGUMENT', "an id is required, not \"$id\"");
        }
        return rawurlencode($id);
    }

    /** @param array<string, string> $headers */
    private function ask(string $method, string $path, string $target, array $headers, ?string $body, int $attempt): mixed
    {
        $sentAt = Pace::now();
        $connection = new Connection($this->scheme, $this->host, $this->port, $this->timeout);
        $connection->send($method, $target, $headers, $body);
        [$status, $answered] = $connection->head();
        $this->pace->learn($answered['ratelimit'] ?? null);
        $seen = new AnswerSeen($method, $path, $status, $answered, $attempt, Pace::now() - $sentAt);
        try {
            ($this->onResponse)?->__invoke($seen);
        } catch (\Throwable) {
            // Whoever looks on does not decide how a call ends.
        }
        return self::dataOf($status, $answered, $connection->body());
    }

    /** @param array<string, mixed> $query */
    private static function queryOf(array $query): string
    {
        $given = array_filter($query, static fn ($value) => $value !== null);
        $texts = array_map(static fn ($value) => match (true) {
            is_bool($value) => $value ? 'true' : 'false',
            is_array($value) => implode(',', $value),
            default => $value,
        }, $given);
        return $texts === [] ? '' : '?' . http_build_query($texts);
    }

    /** @param array<string, string> $headers */
    private static function dataOf(int $status, array $headers, string $text): mixed
    {
        $answer = json_decode($text, true);
        $success = is_array($answer) ? $answer['success'] ?? null : null;
        if ($status >= 200 && $status < 300 && $success === true) {
            return $answer['data'] ?? null;
        }
        $error = $success === false && is_array($answer['error'] ?? null) ? $answer['error'] : [];
        throw new HourkeepError(
            $error['code'] ?? 'UNEXPECTED_ANSWER',
            $error['message'] ?? "Not an answer of the Hourkeep API (status $status): is baseUrl right?",
            $status,
            $error['request_id'] ?? $headers['x-request-id'] ?? null,
            $error['details'] ?? null,
            self::secondsOf($headers['retry-after'] ?? null),
            $error['outcome'] ?? null,
        );
    }

    /** Seconds, or a date as HTTP also allows. */
    private static function secondsOf(?string $retryAfter): int|float|null
    {
        if ($retryAfter === null) {
            return null;
        }
        if (preg_match('/\A\d+\z/', $retryAfter) === 1) {
            return (int) $retryAfter;
        }
        $at = strtotime($retryAfter);
        return $at === false ? null : max(0.0, $at - microtime(true));
    }

    private static function wasNotDone(HourkeepError $error): bool
    {
        return $error->status === 429 || $error->outcome === 'not_done';
    }

    /** What was certainly not done may always be repeated; what may have been done, where repeating is harmless. */
    private static function mayRepeat(HourkeepError $error, bool $repeatable): bool
    {
        // Velocity is a rule about one guest: waiting in line for it would only hide the refusal.
        if ($error->errorCode === 'GUEST_BOOKING_VELOCITY') {
            return false;
        }
        if (self::wasNotDone($error)) {
            return true;
        }
        $isUnknown = in_array($error->errorCode, ['TIMEOUT', 'CONNECTION_LOST'], true)
            || in_array($error->status, [500, 502, 503, 504], true);
        return $isUnknown && $repeatable;
    }

    /**
     * In seconds: what the service asks for, or from a quarter of a second on, doubled each time; by chance more, so that many do not
     * come back at once.
     */
    private static function waitAfter(HourkeepError $error, int $attempt): float
    {
        $chance = random_int(0, 1_000_000) / 1e6;
        return $error->retryAfter === null ? 0.25 * 2 ** ($attempt - 1) * (1 + $chance) : $error->retryAfter + 0.25 * $chance;
    }
}
