import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useCalendarServer } from '../support/calendar-server.ts';
import { useServing, typed } from '../support/command-line.ts';
import { onOneEngine } from '../support/engines.ts';
import { NOBODY } from '../support/world.ts';

onOneEngine('hourkeep calendar, beside a running service', (engine) => {
  const server = useCalendarServer();
  const serving = useServing(engine);
  const run = (...args: string[]) => serving.run('calendar', ...args);
  const json = <T>(...args: string[]) => serving.json<T>('calendar', ...args);

  const add = (query: string) =>
    json<{ id: string }>('add', '--space', serving.demo.spaces[0]!.id, '--url', server.url + query);

  test('a URL in a private range is refused with the setting that opens the range', async () => {
    const { id } = await add('?private');
    const closed = { ...serving.settings, WEBHOOK_ALLOW_CIDRS: '192.0.2.0/24' };
    const hint =
      'the URL must be an https URL; WEBHOOK_ALLOW_CIDRS opens private address ranges, for http too\n';
    const synced = await typed(['calendar', 'sync', id], closed);
    assert.deepEqual([synced.code, synced.stderr], [1, `hourkeep: the calendar was not imported: ${hint}`]);
    const again = ['calendar', 'add', '--space', serving.demo.spaces[0]!.id, '--url', `${NOBODY}a.ics`];
    const added = await typed(again, closed);
    assert.deepEqual([added.code, added.stderr], [1, `hourkeep: ${hint}`]);
    await json('remove', id);
  });

  test('a calendar that cannot be imported is refused with one line and exit code 1', async () => {
    server.answer(404);
    const { id } = await add('?404');
    assert.equal(
      await serving.refuses('calendar', 'sync', id, '--json'),
      'hourkeep: the calendar was not imported: the server returned status 404\n',
    );
    assert.match((await run('list')).stdout, new RegExp(`${id}.*failing.*the server returned status 404`));
    const ids = async (...only: string[]) =>
      (await json<{ id: string }[]>('list', ...only)).map((calendar) => calendar.id);
    assert.deepEqual(await ids('--host', serving.demo.host.id, '--failing'), [id]);
    assert.deepEqual(await ids('--host', serving.demo.other_host.id, '--failing'), []);
    assert.ok((await ids('--host', serving.demo.host.id)).length > 1, 'the demo’s calendar is well');
    assert.equal((await run('remove', id)).code, 0);
  });

  test('the demo’s calendar can be synced, and has the hours that it had', async () => {
    const loft = serving.demo.spaces[1]!.id;
    const [calendar] = await json<{ id: string; busy_hours: number }[]>('list', '--space', loft);
    const { result, added_hours, freed_hours } = await json<Record<string, unknown>>('sync', calendar!.id);
    assert.deepEqual([result, added_hours, freed_hours], ['imported', 0, 0]);
    assert.ok(calendar!.busy_hours > 0);
  });
});
