import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import * as calendars from '../../src/calendars/calendars.ts';
import { calendarOf, wrapped } from '../support/busy-hours.ts';
import { useCalendars } from '../support/calendars.ts';
import { onOneEngine } from '../support/engines.ts';

/** What a poll may add: a process with a heap of 128 MB and its young generation, and a few answers. */
const MEMORY_MB = 320;
/** The longest time without an answer, as a share of a poll that takes seconds: stopped would be all of it. */
const LONGEST_SILENCE = 0.25;

const START = ['UID:1', 'DTSTART:20270401T100000', 'DURATION:PT1H'];

const HOSTILE: readonly [what: string, content: () => string | Buffer | undefined, error: RegExp | null][] = [
  [
    'a rule that never ends',
    () => calendarOf([...START, 'RRULE:FREQ=SECONDLY']),
    /^not everything in it can be understood: RRULE \(it recurs too often\) of 1; meanwhile no hour is freed$/,
  ],
  [
    'a thousand rules that never end',
    () => calendarOf(...Array.from({ length: 1000 }, () => [...START, 'RRULE:FREQ=SECONDLY'])),
    /^not everything in it can be understood: RRULE \(it recurs too often\) of 1(, |;)/,
  ],
  [
    'a thousand rules that are looked for in vain',
    () =>
      calendarOf(
        ...Array.from({ length: 1000 }, () => [...START, 'RRULE:FREQ=SECONDLY;INTERVAL=60;BYSECOND=30']),
      ),
    /^not everything in it can be understood: RRULE \(it takes too long\) of 1;/,
  ],
  [
    'a rule of every second of every day, the last of which counts',
    () =>
      calendarOf([
        ...START,
        `RRULE:FREQ=YEARLY;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYMONTHDAY=${upTo(31).slice(2)};BYHOUR=${upTo(23)};` +
          `BYMINUTE=${upTo(59)};BYSECOND=${upTo(59)};BYSETPOS=-1`,
      ]),
    null,
  ],
  [
    'zones whose clocks change every month for two thousand years',
    () =>
      wrapped(
        Array.from({ length: 200 }, (_, n) => [
          'BEGIN:VTIMEZONE',
          `TZID:${n}`,
          'BEGIN:STANDARD',
          'DTSTART:00010101T000000',
          'TZOFFSETFROM:+0000',
          'TZOFFSETTO:+0100',
          'RRULE:FREQ=MONTHLY',
          'END:STANDARD',
          'END:VTIMEZONE',
          'BEGIN:VEVENT',
          `DTSTART;TZID=${n}:20270401T100000`,
          'RRULE:FREQ=DAILY',
          'END:VEVENT',
        ]).flat(),
      ),
    /^not everything in it can be understood: RRULE/,
  ],
  [
    'lines folded after every letter',
    () => calendarOf([...START, `X-LONG:${'x\r\n '.repeat(1_000_000)}`]),
    null,
  ],
  [
    '200 000 events',
    () => wrapped(Array.from({ length: 200_000 }, () => 'BEGIN:VEVENT\nEND:VEVENT')),
    /^the calendar has more than 50000 events$/,
  ],
  [
    'as many exceptions as fit',
    () =>
      calendarOf([
        ...START,
        'RRULE:FREQ=DAILY',
        ...Array.from({ length: 20 }, (_, n) => `EXDATE:${secondsOf(n, 15_000)}`),
      ]),
    null,
  ],
  [
    'as many extra dates as fit',
    () => calendarOf([...START, ...Array.from({ length: 20 }, (_, n) => `RDATE:${secondsOf(n, 15_000)}`)]),
    null,
  ],
  [
    'a line of 2 MB that makes no sense',
    () => calendarOf([...START, `EXDATE:${'2'.repeat(2_000_000)}`]),
    /^not everything in it can be understood: EXDATE of 1$/,
  ],
  [
    'parts in parts',
    () => `${'BEGIN:VCALENDAR\n'.repeat(100_000)}${'END:VCALENDAR\n'.repeat(100_000)}`,
    null,
  ],
  [
    '100 MB packed into 100 KB',
    () => gzipSync(Buffer.alloc(100 * 1024 * 1024)),
    /^the calendar is larger than 5 MB$/,
  ],
  ['an answer that never ends', () => undefined, /^no complete response within 20 s$/],
];

/** `0,1,2,…` */
function upTo(last: number): string {
  return Array.from({ length: last + 1 }, (_, n) => n).join(',');
}

/** So many different times of one day in April, as a list. */
function secondsOf(day: number, count: number): string {
  const midnight = Date.UTC(2027, 3, day + 1);
  return Array.from({ length: count }, (_, n) =>
    new Date(midnight + n * 1000).toISOString().slice(0, 19).replaceAll(/[-:]/g, ''),
  ).join(',');
}

/** A line every now and then, for as long as anybody listens. */
function drip(_request: unknown, response: ServerResponse): void {
  response.writeHead(200).write('BEGIN:VCALENDAR\r\n');
  const timer = setInterval(() => response.write('X-STILL:there\r\n'), 100);
  response.once('close', () => clearInterval(timer));
}

/** Of this process and of those it has started, in bytes. */
function memory(): number {
  const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').match(/\d+/g) ?? [];
  const sizes = children.map((pid) => {
    // It may have ended meanwhile.
    if (!existsSync(`/proc/${pid}/status`)) return 0;
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
  });
  return sizes.reduce((sum, size) => sum + size, process.memoryUsage().rss);
}

onOneEngine('hostile calendars', (engine) => {
  const { world, server, subscribed, listed } = useCalendars(engine);

  for (const [what, content, error] of HOSTILE) {
    test(`${what}: the service stays responsive and its memory bounded`, async (t) => {
      const body = content();
      if (body === undefined) server.handle(drip);
      else server.serve(body, typeof body === 'string' ? {} : { 'content-encoding': 'gzip' });
      const id = await subscribed();
      const watch = watchService();
      await calendars.pollDue(world.ctx);
      const { seconds, silence, answers, memoryMb } = await watch.end();
      t.diagnostic(
        `${what}: ${seconds.toFixed(1)} s, ${answers} health checks answered meanwhile, ` +
          `longest silence ${Math.round(silence * 1000)} ms (${((100 * silence) / seconds).toFixed(0)} %), ` +
          `memory +${Math.round(memoryMb)} MB`,
      );
      const { last_error: said } = await listed(id);
      // A busy machine may not get through in time.
      const isLate = said === 'the calendar takes more than 10 s to read';
      if (error === null) assert.ok(isLate || said === null);
      else assert.ok(isLate || error.test(said ?? ''), said ?? 'no error');
      assert.ok(memoryMb < MEMORY_MB, `memory grew by ${memoryMb} MB`);
      // What is over sooner is slow for the machine, not for the calendar.
      if (seconds > 4)
        assert.ok(silence / seconds < LONGEST_SILENCE, `silent for ${silence} of ${seconds} s`);
    });
  }

  /** Asks for its health again and again, and looks how long the longest answer takes. */
  function watchService() {
    const startedAt = performance.now();
    const before = memory();
    let [peak, silence, answers] = [before, 0, 0];
    const ended = new AbortController();
    const watching = (async () => {
      while (!ended.signal.aborted) {
        const askedAt = performance.now();
        assert.equal((await world.call('GET', '/healthz')).status, 200);
        silence = Math.max(silence, (performance.now() - askedAt) / 1000);
        peak = Math.max(peak, memory());
        answers++;
        await delay(10);
      }
    })();
    return {
      end: async () => {
        ended.abort();
        await watching;
        const seconds = (performance.now() - startedAt) / 1000;
        return { seconds, silence, answers, memoryMb: (peak - before) / 1024 / 1024 };
      },
    };
  }
});
