<?php

declare(strict_types=1);

namespace Hourkeep;

/**
 * One request on a connection of its own, under one deadline: a stream's own timeout begins anew with every byte. Redirects are not
 * followed, and no proxy is asked.
 *
 * @internal
 */
final class Connection
{
    /** @var resource */
    private $stream;
    private float $deadline;
    private string $buffer = '';
    private int $status = 0;
    /** @var array<string, string> */
    private array $headers = [];
    /** What PHP said when it failed. */
    private ?string $warning = null;

    /** @param float $timeout Seconds for all of it. */
    public function __construct(string $scheme, string $host, int $port, private readonly float $timeout)
    {
        $this->deadline = Pace::now() + $timeout;
        $transport = $scheme === 'https' ? 'ssl' : 'tcp';
        $context = stream_context_create(['ssl' => ['peer_name' => trim($host, '[]')]]);
        $stream = $this->quietly(static fn () => stream_socket_client(
            "$transport://$host:$port",
            $number,
            $message,
            $timeout,
            STREAM_CLIENT_CONNECT,
            $context,
        ));
        if ($stream === false) {
            throw Pace::now() >= $this->deadline ? $this->late() : $this->lost();
        }
        $this->stream = $stream;
    }

    public function __destruct()
    {
        if (isset($this->stream)) {
            fclose($this->stream);
        }
    }

    /** @param array<string, string> $headers */
    public function send(string $method, string $target, array $headers, ?string $body): void
    {
        $lines = ["$method $target HTTP/1.1"];
        foreach ($headers + ['Connection' => 'close'] as $name => $value) {
            $lines[] = "$name: $value";
        }
        if ($body !== null) {
            $lines[] = 'Content-Length: ' . strlen($body);
        }
        $rest = implode("\r\n", $lines) . "\r\n\r\n" . $body;
        while ($rest !== '') {
            $this->setTimeout();
            $written = $this->quietly(fn () => fwrite($this->stream, $rest));
            if ($written === false || $written === 0) {
                throw Pace::now() >= $this->deadline ? $this->late() : $this->lost();
            }
            $rest = substr($rest, $written);
        }
    }

    /** @return array{int, array<string, string>} The status, and the headers by their names in small letters. */
    public function head(): array
    {
        do {
            if (preg_match('~^HTTP/1\.[01] (\d{3})(?: |$)~', $this->line(), $found) !== 1) {
                throw $this->lost();
            }
            $this->status = (int) $found[1];
            $this->headers = [];
            while (($line = $this->line()) !== '') {
                [$name, $value] = explode(':', $line, 2) + [1 => ''];
                $name = strtolower($name);
                $value = trim($value);
                $this->headers[$name] = isset($this->headers[$name]) ? "{$this->headers[$name]}, $value" : $value;
            }
        } while ($this->status < 200);
        return [$this->status, $this->headers];
    }

    public function body(): string
    {
        if ($this->status === 204 || $this->status === 304) {
            return '';
        }
        if (strtolower($this->headers['transfer-encoding'] ?? '') === 'chunked') {
            return $this->chunks();
        }
        if (isset($this->headers['content-length'])) {
            return $this->take((int) $this->headers['content-length']);
        }
        while ($this->fill()) {
        }
        return $this->buffer;
    }

    private function chunks(): string
    {
        $body = '';
        for (;;) {
            if (preg_match('/^[0-9a-f]{1,8}/i', $this->line(), $found) !== 1) {
                throw $this->lost();
            }
            $length = (int) hexdec($found[0]);
            if ($length === 0) {
                return $body;
            }
            $body .= $this->take($length);
            $this->line();
        }
    }

    private function line(): string
    {
        while (($end = strpos($this->buffer, "\n")) === false) {
            if (strlen($this->buffer) > 65536 || !$this->fill()) {
                throw $this->lost();
            }
        }
        return rtrim($this->take($end + 1), "\r\n");
    }

    private function take(int $length): string
    {
        while (strlen($this->buffer) < $length) {
            if (!$this->fill()) {
                throw $this->lost();
            }
        }
        $taken = substr($this->buffer, 0, $length);
        $this->buffer = substr($this->buffer, $length);
        return $taken;
    }

    /** Whether there was more. */
    private function fill(): bool
    {
        $this->setTimeout();
        $read = $this->quietly(fn () => fread($this->stream, 65536));
        if (stream_get_meta_data($this->stream)['timed_out']) {
            throw $this->late();
        }
        if ($read === false || $read === '') {
            return false;
        }
        $this->buffer .= $read;
        return true;
    }

    private function setTimeout(): void
    {
        $left = $this->deadline - Pace::now();
        if ($left <= 0) {
            throw $this->late();
        }
        stream_set_timeout($this->stream, (int) $left, (int) (fmod($left, 1) * 1e6));
    }

    /**
     * PHP warns where others throw.
     *
     * @template T
     * @param callable(): T $work
     * @return T
     */
    private function quietly(callable $work): mixed
    {
        set_error_handler(function (int $_, string $message): bool {
            $this->warning = $message;
            return true;
        });
        try {
            return $work();
        } finally {
            restore_error_handler();
        }
    }

    private function late(): HourkeepError
    {
        return new HourkeepError('TIMEOUT', "No answer within {$this->timeout} s");
    }

    private function lost(): HourkeepError
    {
        $cause = $this->warning === null ? null : new \RuntimeException($this->warning);
        return new HourkeepError('CONNECTION_LOST', 'The connection to the service was lost', previous: $cause);
    }
}
