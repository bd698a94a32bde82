import assert from 'node:assert/strict';
import { test } from 'node:test';
import { calendarOf } from '../../test/support/busy-hours.ts';
import { useCalendars } from '../../test/support/calendars.ts';
import { onBothEngines } from '../../test/support/engines.ts';

const GOOD = ['UID:good', 'DTSTART:20270401T100000', 'DURATION:PT2H'];

onBothEngines('a calendar in which not everything can be understood', (engine) => {
  const { world, server, hoursOf, ...use } = useCalendars(engine);

  const imported = (...events: readonly (readonly string[])[]) => use.imported(calendarOf(...events));

  async function importedAgain(...events: readonly (readonly string[])[]): Promise<void> {
    server.serve(calendarOf(...events), { etag: '"etag"' });
    await use.pollAfter(15);
  }

  async function listed(id: string): Promise<{ status: string; last_error: string | null }> {
    const { status, last_error } = await use.listed(id);
    return { status, last_error };
  }

  test('logs tell that there is something, not in which event', async () => {
    const id = await imported(['UID:guest@example.com', 'DTSTART:20270402T100000', 'RRULE:FREQ=NEVER'], GOOD);
    assert.match((await listed(id)).last_error ?? '', /RRULE \(FREQ\) of guest@example\.com/);
    assert.match(
      world.logLines(id)[0] ?? '',
      /"error":\{"type":"calendar_problem","message":"not everything in it can be understood"\}.*"calendar has a problem"/,
    );
    assert.doesNotMatch(world.logText(), /guest@example/);
  });

  test('a few events are named, the others counted, and nothing odd reaches the terminal', async () => {
    const bad = Array.from({ length: 7 }, (_, n) => [
      `UID:${n}\u001B[31m${'x'.repeat(n * 100)}`,
      'DTSTART:soon',
    ]);
    const { last_error } = await listed(await imported(...bad, GOOD));
    assert.match(
      last_error ?? '',
      /: DTSTART of 0\?\[31m, DTSTART of 1\?\[31mx{74}…, .* and 2 more; meanwhile/,
    );
  });

  test('as long as hours may be missing, hours are added and none is freed', async () => {
    const moved = ['UID:good', 'DTSTART:20270402T100000', 'DURATION:PT1H'];
    const id = await imported(GOOD);
    await importedAgain(moved, ['UID:bad', 'DTSTART:soon']);
    assert.deepEqual(await hoursOf(id), ['2027-04-01 10', '2027-04-01 11', '2027-04-02 10']);
    assert.deepEqual(await listed(id), {
      status: 'warning',
      last_error: 'not everything in it can be understood: DTSTART of bad; meanwhile no hour is freed',
    });
    await importedAgain(moved);
    assert.equal(server.requests.at(-1)?.headers['if-none-match'], undefined);
    assert.deepEqual(await hoursOf(id), ['2027-04-02 10']);
    assert.deepEqual(await listed(id), { status: 'ok', last_error: null });
  });

  test('where none can be missing, hours are freed as ever', async () => {
    const id = await imported(GOOD);
    await importedAgain(['UID:good', 'DTSTART:20270402T100000', 'DURATION:PT1H', 'EXDATE:never']);
    assert.deepEqual(await hoursOf(id), ['2027-04-02 10']);
    assert.deepEqual(await listed(id), {
      status: 'warning',
      last_error: 'not everything in it can be understood: EXDATE of good',
    });
  });
});
