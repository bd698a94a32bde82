<?php

declare(strict_types=1);

namespace Hourkeep;

/**
 * Everything that a call can fail with.
 *
 * @phpstan-import-type ApiErrorCode from Document
 */
final class HourkeepError extends \RuntimeException
{
    /**
     * @param ApiErrorCode|'TIMEOUT'|'CONNECTION_LOST'|'UNEXPECTED_ANSWER'|'INVALID_SIGNATURE'|'INVALID_ARGUMENT' $errorCode Stable; decide by this.
     * @param int $status The HTTP status; 0 where there was no answer.
     * @param string|null $requestId Names the request in the service's log: keep it when you ask for help.
     * @param array<mixed>|null $details Field by field on a VALIDATION_ERROR; the facts of the refusal on others, such as the hours
     *     that clash.
     * @param int|float|null $retryAfter Seconds to wait before trying again, where the service said so.
     * @param 'not_done'|'unknown'|null $outcome Of a 503: `not_done`, or `unknown` where it may have been done all the same.
     */
    public function __construct(
        public readonly string $errorCode,
        string $message,
        public readonly int $status = 0,
        public readonly ?string $requestId = null,
        public readonly ?array $details = null,
        public readonly int|float|null $retryAfter = null,
        public readonly ?string $outcome = null,
        ?\Throwable $previous = null,
    ) {
        parent::__construct($message, 0, $previous);
    }
}
