<?php

declare(strict_types=1);

namespace Hourkeep;

/**
 * The Host Integration API with one API key: what that key sees is one host's production or sandbox.
 */
final class Hourkeep
{
    public readonly Spaces $spaces;
    public readonly Availability $availability;
    public readonly Bookings $bookings;
    public readonly Blocks $blocks;
    public readonly Settlement $settlement;
    public readonly Earnings $earnings;
    public readonly Webhooks $webhooks;

    /**
     * @param string $apiKey `hk_live_…` sees the host's production spaces, `hk_test_…` the sandbox.
     * @param string $baseUrl Where the service is, such as `https://api.example.com`.
     * @param int $maxRetries How often a call may be repeated when that is safe.
     * @param float $timeout Seconds that one attempt may take until its whole answer is there; 0 is for ever.
     * @param float $maxWait Seconds that a call may wait when the key's requests are used up; beyond, it is refused with
     *     RATE_LIMIT_EXCEEDED.
     * @param (callable(AnswerSeen): mixed)|null $onResponse Is called with every response, for logs. What it throws is ignored.
     */
    public function __construct(
        #[\SensitiveParameter] string $apiKey,
        string $baseUrl,
        int $maxRetries = 2,
        float $timeout = 30,
        float $maxWait = 90,
        ?callable $onResponse = null,
    ) {
        $transport = new Transport($apiKey, $baseUrl, $maxRetries, $timeout, $maxWait, $onResponse);
        $this->spaces = new Spaces($transport);
        $this->availability = new Availability($transport);
        $this->bookings = new Bookings($transport);
        $this->blocks = new Blocks($transport);
        $this->settlement = new Settlement($transport);
        $this->earnings = new Earnings($transport);
        $this->webhooks = new Webhooks($transport);
    }
}
