<?php

declare(strict_types=1);

namespace Hourkeep;

/**
 * Keeps the calls of one client within the rate limit of its key. The service says with every answer how many requests are left and
 * when there is one more; when none is left, the next call waits instead of being refused.
 *
 * @internal
 */
final class Pace
{
    /** How many may be sent. Unknown before the first answer, and where there is no limit. */
    private float $left = INF;
    /** When there is one more, in seconds on the monotonic clock. */
    private float $nextAt = 0;

    public function __construct(private readonly float $maxWait)
    {
    }

    /** Returns when the next request may be sent. */
    public function wait(): void
    {
        if ($this->left <= 0) {
            $wait = $this->nextAt - self::now();
            if ($wait > $this->maxWait) {
                $message = "Rate limit exceeded: no request is left within {$this->maxWait} s";
                throw new HourkeepError('RATE_LIMIT_EXCEEDED', $message, retryAfter: (int) ceil($wait));
            }
            self::sleep($wait);
            $this->left = 1;
        }
        $this->left -= 1;
        if ($this->left <= 0) {
            // Without an answer that says how many may follow, the next goes a second later.
            $this->nextAt = max($this->nextAt, self::now() + 1);
        }
    }

    /** `RateLimit: "default";r=58;t=12`: 58 are left, and in 12 seconds there is one more. */
    public function learn(?string $rateLimit): void
    {
        if (preg_match('/;r=(\d+);t=(\d+)/', $rateLimit ?? '', $found) === 1) {
            $this->left = (float) $found[1];
            $this->nextAt = self::now() + (float) $found[2];
        }
    }

    public static function now(): float
    {
        return hrtime(true) / 1e9;
    }

    /** Signals end a sleep before its time. */
    public static function sleep(float $seconds): void
    {
        $until = self::now() + $seconds;
        while (($left = $until - self::now()) > 0) {
            usleep((int) ceil(min($left, 1000) * 1e6));
        }
    }
}
