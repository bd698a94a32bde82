import assert from 'node:assert/strict';
import { before, beforeEach, test } from 'node:test';
import { Registry } from 'prom-client';
import { counting } from '../test/support/counting.ts';
import { onBothEngines } from '../test/support/engines.ts';
import { numbers } from '../test/support/numbers.ts';
import { planOf } from '../test/support/plan.ts';
import { receiverFor } from '../test/support/receiver.ts';
import { tablesOf } from '../test/support/tables.ts';
import { until } from '../test/support/until.ts';
import { watched } from '../test/support/watched.ts';
import { aReceiver, aSubscriber, claimDue, WEBHOOKS, type Subscriber } from '../test/support/webhooks.ts';
import { useWorld, type World } from '../test/support/world.ts';
import * as calendars from './calendars/calendars.ts';
import type { Context } from './context.ts';
import { recordBackup } from './db/database.ts';
import { DatabaseAway } from './errors.ts';
import * as backlog from './worker/backlog.ts';
import * as gauges from './gauges.ts';
import { deliverDue, startDeliveries } from './worker/deliver.ts';
import { tasksFor } from './worker/tasks.ts';
import { VERSION } from './version.ts';
import { startWorker, type Task } from './worker/worker.ts';

/** What a scrape says at this moment: a registry of its own has nothing cached. */
async function scrape(ctx: Context): Promise<Map<string, number>> {
  const registry = new Registry();
  gauges.addGauges(ctx, registry);
  return samplesOf(await registry.metrics());
}

async function deliveries({ ctx }: World) {
  const figures = await scrape(ctx);
  return {
    pending: figures.get('hourkeep_deliveries_pending'),
    oldest: figures.get('hourkeep_deliveries_oldest_seconds'),
    overdue: figures.get('hourkeep_deliveries_overdue_seconds'),
  };
}

const NOTHING = { pending: 0, oldest: 0, overdue: 0 };

onBothEngines('the gauges of deliveries', (engine) => {
  const world = useWorld(engine);
  let host: Subscriber;
  beforeEach(async () => {
    await world.write('delete from deliveries');
    await world.write('delete from webhooks');
    host = await aSubscriber(world);
  });

  type Counted = Awaited<ReturnType<typeof deliveries>>;
  const CASES: [what: string, counted: Counted, prepare: (webhookId: string) => Promise<unknown>][] = [
    [
      'tell how old the oldest event is, as long as a worker has it in hand too',
      { pending: 2, oldest: 100, overdue: 100 },
      async () => {
        world.clock.advance({ seconds: 90 });
        assert.equal((await claimDue(world)).length, 1);
        await host.emit();
        world.clock.advance({ seconds: 10 });
      },
    ],
    [
      'do not call overdue what piles up behind a receiver that fails',
      { pending: 1, oldest: 600, overdue: 0 },
      async (id) => {
        await world.write('update webhooks set failing_since = 1 where id = $1', [id]);
        world.clock.advance({ minutes: 10 });
      },
    ],
    ['are 0 when everything was delivered', NOTHING, () => deliverDue(world.ctx)],
    [
      'leave out what waits for a subscription to be activated again',
      NOTHING,
      (id) => host.patch(id, { is_active: false }),
    ],
    [
      'leave out what waits for a host to be activated again',
      NOTHING,
      () => world.write('update hosts set deactivated_at = 1 where id = $1', [host.hostId]),
    ],
  ];
  for (const [what, counted, prepare] of CASES)
    test(what, async () => {
      const { id } = await host.subscribe(await receiverFor());
      await host.emit();
      await prepare(id);
      assert.deepEqual(await deliveries(world), counted);
    });

  test('count what will be retried by its event’s age, but do not call it overdue', async () => {
    await (await aReceiver(world, 500)).host.deliver();
    world.clock.advance({ hours: 1 });
    assert.deepEqual(await deliveries(world), { pending: 1, oldest: 3600, overdue: 0 });
  });

  test('count no further than 10 000 of a kind', async () => {
    const { id } = await host.subscribe(await receiverFor());
    await host.emit();
    await world.write(manyDeliveries(id, 10_001));
    assert.equal((await deliveries(world)).pending, 10_000);
  });
});

/** Copies of the one delivery that a subscription has, for events that are not there. */
function manyDeliveries(webhookId: string, count: number): string {
  return `
    insert into deliveries (host_id, webhook_id, event_id, status, attempts, due_at)
    select host_id, webhook_id, ('ffffffff-0000-7000-8000-' || (100000000000 + n))::uuid, status, attempts, due_at from deliveries, ${numbers(1, count)}
    where webhook_id = '${webhookId}'`;
}

onBothEngines('the gauges of what was given up', (engine) => {
  const world = useWorld(engine);
  const told = async (name: string) => (await scrape(world.ctx)).get(`hourkeep_${name}`);
  const deactivate = (hostId: string, at: number | null = 1) =>
    world.write('update hosts set deactivated_at = $2 where id = $1', [hostId, at]);

  test('count subscriptions that were disabled, but not those that were paused or deleted', async () => {
    const { host, receiver, ...gone } = await aReceiver(world);
    const paused = await host.subscribe(receiver);
    const deleted = await host.subscribe(receiver);
    const disable = `update webhooks set is_active = 0, disabled_reason = 'receiver_gone' where id in ($1, $2)`;
    await world.write(disable, [gone.id, deleted.id]);
    await host.patch(paused.id, { is_active: false });
    assert.equal(await told('webhooks_disabled'), 2);
    await world.call('DELETE', `${WEBHOOKS}/${deleted.id}`, { key: host.key });
    assert.equal(await told('webhooks_disabled'), 1);
  });

  test('count subscriptions that have failed for an hour, as long as they are active', async () => {
    const { host, id } = await aReceiver(world, 500);
    await host.subscribe(await receiverFor());
    await host.deliver();
    world.clock.advance({ minutes: 59 });
    assert.equal(await told('webhooks_failing'), 0);
    world.clock.advance({ minutes: 2 });
    assert.equal(await told('webhooks_failing'), 1);
    await deactivate(host.hostId);
    assert.equal(await told('webhooks_failing'), 0);
    await deactivate(host.hostId, null);
    await host.patch(id, { is_active: false });
    assert.equal(await told('webhooks_failing'), 0);
  });

  test('count calendars that fail, but not those of hosts that are not active', async () => {
    const [, inactive] = [await addCalendar(world, 1), await addCalendar(world, 1)];
    assert.equal(await told('calendars_failing'), 2);
    await deactivate(inactive);
    assert.equal(await told('calendars_failing'), 1);
  });
});

/** Returns its host. */
async function addCalendar(world: World, failures = 0): Promise<string> {
  const hostId = await world.addHost();
  const space = { hostId, environment: 'production', id: await world.addSpace(hostId) } as const;
  const id = await world.ctx.db.transaction((tx) =>
    calendars.add(tx, world.clock.now(), world.ctx.secrets, space, 'https://calendar.example.com/a.ics'),
  );
  await world.write('update calendars set failures = $2 where id = $1', [id, failures]);
  return hostId;
}

onBothEngines('the gauge of the worker’s last runs', (engine) => {
  const world = useWorld(engine);
  const lastRun = async (task: string): Promise<number | undefined> =>
    (await scrape(world.ctx)).get(`hourkeep_worker_last_run_timestamp_seconds{task="${task}"}`);
  const now = (): number => world.clock.now() / 1000;
  /** Steps again at once, in the next turn. */
  const task = (name: string, step: () => unknown): Task => ({
    name,
    everyMs: 1,
    step: async () => {
      step();
      return false;
    },
  });

  test('is 0 for every task that never ran', async () => {
    for (const name of ['deliver-webhooks', ...tasksFor(world.ctx.config).map((each) => each.name)])
      assert.equal(await lastRun(name), 0, name);
  });

  test('tells when deliveries were last looked at', async () => {
    const worker = startDeliveries(world.ctx);
    await until(async () => (await lastRun('deliver-webhooks')) === now());
    await worker.stop();
  });

  test('does not count steps that fail', async () => {
    let steps = 0;
    const failing = task('tidy-pending', () => {
      steps++;
      throw new Error('on purpose');
    });
    const worker = startWorker(world.ctx, [failing]);
    await until(() => steps > 1);
    await worker.stop();
    assert.equal(await lastRun('tidy-pending'), 0);
  });

  test('is the last step of a task, noted no more often than every fifteen seconds', async () => {
    const { ctx, statements } = counting(world.ctx);
    let steps = 0;
    const worker = startWorker(ctx, [task('complete-bookings', () => ++steps)]);
    await until(() => steps > 20);
    assert.equal(statements(), 1);
    world.clock.advance({ seconds: 15 });
    await until(async () => (await lastRun('complete-bookings')) === now());
    await worker.stop();
    assert.equal(statements(), 2);
  });

  test('says nothing of what DELIVERIES=off keeps still, nor of a task that this version does not have', async () => {
    await world.write(`insert into worker_runs (task, last_run_at) values ('of-a-former-version', 1)`);
    const config = { ...world.ctx.config, deliveries: false };
    const named = [...(await scrape({ ...world.ctx, config })).keys()];
    const untold = /last_run.*"(deliver-webhooks|import-calendars|of-a-former-version)"/;
    assert.deepEqual(
      named.filter((name) => untold.test(name)),
      [],
    );
  });
});

onBothEngines('the gauges of a process', (engine) => {
  const world = useWorld(engine);
  const isSqlite = engine.name === 'sqlite';

  test('tell how its connections are used, and who waits for one', async () => {
    const { ctx } = world;
    const states = async () => {
      const figures = await scrape(ctx);
      return ['total', 'idle', 'waiting'].map((state) =>
        figures.get(`hourkeep_database_pool{state="${state}"}`),
      );
    };
    await until(() => ctx.db.pool().idle === ctx.db.pool().total);
    // PostgreSQL’s pool opens connections as they are needed, and so far none was.
    assert.deepEqual(await states(), isSqlite ? [2, 2, 0] : [0, 0, 0]);
    const held = Promise.withResolvers<void>();
    const crowd = Array.from({ length: 300 }, (_, i) =>
      ctx.db.transaction(async (tx) => {
        // A transaction takes its connection when it first locks or writes.
        await tx.lock(`crowd ${i}`);
        await held.promise;
      }),
    );
    // PostgreSQL has eight connections. On SQLite 128 share the first commit and 128 the next.
    const waiting = isSqlite ? 300 - 128 - 128 : 300 - 8;
    await until(() => ctx.db.pool().waiting === waiting);
    assert.equal(ctx.db.pool().idle, isSqlite ? 1 : 0);
    held.resolve();
    await Promise.all(crowd);
  });

  test('tell its version, its time, and how much room its disk has where the database is a file of its own', async () => {
    const figures = await scrape(world.ctx);
    assert.equal(figures.get(`hourkeep_build_info{version="${VERSION}"}`), 1);
    assert.equal(figures.get('hourkeep_clock_timestamp_seconds'), world.clock.now() / 1000);
    assert.equal((figures.get('hourkeep_disk_free_bytes') ?? 0) > 0, isSqlite);
  });

  test('tell how old the last backup is, once there is one', async () => {
    const age = async () => (await scrape(world.ctx)).get('hourkeep_backup_age_seconds');
    assert.equal(await age(), undefined);
    await recordBackup(world.ctx.db, world.clock.now());
    world.clock.advance({ hours: 1 });
    assert.equal(await age(), 3600);
    await recordBackup(world.ctx.db, world.clock.now());
    assert.equal(await age(), 0);
  });
});

onBothEngines('a scrape', (engine) => {
  const world = useWorld(engine);
  /** Of the same service, with a database on which reads of one row may fail. */
  const scrapeWhere = (reads: (statement: unknown) => void) =>
    scrape({
      ...world.ctx,
      db: watched(world.ctx.db, (method, [statement]) => {
        if (method === 'get') reads(statement);
      }),
    });

  test('has all other figures when one cannot be read, and the log says why', async () => {
    const figures = await scrapeWhere((statement) => {
      if (statement === backlog.countDisabled) throw new Error('no such luck');
    });
    assert.equal(figures.get('hourkeep_webhooks_disabled'), undefined);
    assert.equal(figures.get('hourkeep_deliveries_pending'), 0);
    assert.equal(figures.get('hourkeep_calendars_failing'), 0);
    assert.match(world.logText(), /"message":"no such luck".*"message":"a metric could not be read"/);
  });

  test('asks a database that is away nothing more, and has the figures of the process', async () => {
    let asked = 0;
    const figures = await scrapeWhere(() => {
      asked++;
      throw new DatabaseAway(new Error('gone'));
    });
    assert.equal(asked, 1);
    assert.equal(figures.get('hourkeep_deliveries_pending'), undefined);
    assert.equal(figures.get('hourkeep_database_pool{state="waiting"}'), 0);
  });

  test('asks the database once for all that come within a few seconds', async () => {
    const { ctx, statements } = counting(world.ctx);
    const registry = new Registry();
    gauges.addGauges(ctx, registry);
    await Promise.all([registry.metrics(), registry.metrics()]);
    const asked = statements();
    await registry.metrics();
    // The state of the pool is asked each time, without a statement.
    assert.equal(statements() - asked, 1);
  });
});

onBothEngines('query plans of the gauges', (engine) => {
  const world = useWorld(engine);
  // A history of deliveries, among them a few that wait, and hosts whose subscriptions have nothing to do.
  before(async () => {
    const receiver = await receiverFor();
    for (let i = 0; i < 20; i++) await (await aSubscriber(world)).subscribe(receiver);
    const { host, id } = await aReceiver(world);
    await host.emit();
    await world.write(manyDeliveries(id, 5000));
    await world.write(`
      insert into events (host_id, id, environment, type, data, created_at)
      select d.host_id, d.event_id, 'production', 'availability.changed', '{}', 0 from deliveries d
      where not exists (select 1 from events e where e.id = d.event_id)`);
    await world.write(`update deliveries set status = 'delivered' where event_id > $1`, [
      'ffffffff-0000-7000-8000-100000000100',
    ]);
    await addCalendar(world);
    for (const table of ['webhooks', 'calendars']) await copyRows(table, 500);
    if (engine.name === 'postgres') await world.write('analyze');
  });

  async function copyRows(table: string, count: number): Promise<void> {
    const columns = (await tablesOf(world)).get(table)!;
    const id = "('ffffffff-0000-7000-8000-' || (100000000000 + n))::uuid";
    await world.write(`
      insert into ${table} (${columns.join(', ')})
      select ${columns.map((column) => (column === 'id' ? id : column)).join(', ')}
      from (select * from ${table} limit 1) as one, ${numbers(1, count)}`);
  }

  for (const [name, { text }] of Object.entries(backlog.waiting)) {
    test(`deliveries that wait (${name}) are found through the indexes of what is to be done`, async () => {
      const plan = await planOf(world, text);
      assert.match(plan, /\bdeliveries_(first|again)\b/, plan);
      assert.doesNotMatch(plan, /SCAN (d|e|h)\b|Seq Scan on (deliveries|events)/, plan);
    });
  }

  test('disabled and failing subscriptions and failing calendars have indexes of their own', async () => {
    for (const [index, { text }] of [
      [/\bwebhooks_disabled\b/, backlog.countDisabled],
      [/\bwebhooks_failing\b/, backlog.countFailingWebhooks],
      [/\bcalendars_failing\b/, backlog.countFailing],
    ] as const)
      assert.match(await planOf(world, text), index);
  });
});

/** The samples of a scrape, by name and labels as they stand in it. */
function samplesOf(scraped: string): Map<string, number> {
  const lines = scraped.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const end = line.lastIndexOf(' ');
      return [line.slice(0, end), Number(line.slice(end + 1))];
    }),
  );
}
