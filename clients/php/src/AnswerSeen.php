<?php

declare(strict_types=1);

namespace Hourkeep;

/** What `onResponse` is called with for every response. */
final class AnswerSeen
{
    /**
     * @param array<string, string> $headers By their names in small letters.
     * @param int $attempt From 1 on: which attempt of its call this was.
     * @param float $duration In seconds, until the answer began.
     */
    public function __construct(
        public readonly string $method,
        public readonly string $path,
        public readonly int $status,
        public readonly array $headers,
        public readonly int $attempt,
        public readonly float $duration,
    ) {
    }
}
