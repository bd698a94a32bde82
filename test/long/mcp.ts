import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { Client, type Tool } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { Booking, Space } from '../../client/src/index.ts';
import type { AvailableDays } from '../../src/mcp/availability.ts';
import { contractOf } from '../support/contract.ts';
import { engines } from '../support/engines.ts';
import { freePort } from '../support/cluster.ts';
import { hourkeep } from '../support/process.ts';
import { useWorld, type World } from '../support/world.ts';

// hourkeep mcp as an agent program runs it: a process, spoken to through the official SDK's own client.

const READING = [
  'list_spaces',
  'get_space',
  'get_availability',
  'list_bookings',
  'get_booking',
  'get_settlement_report',
  'get_earnings',
  'list_webhooks',
];
const WRITING = [
  'create_booking',
  'cancel_booking',
  'move_booking',
  'block_hours',
  'unblock_hours',
  'update_listing',
  'create_webhook',
  'update_webhook',
  'delete_webhook',
];

// On one engine: the tools speak HTTP and cannot know which stands behind it.
describe('hourkeep mcp', () => {
  const world = useWorld(engines[0]!);
  let key: string;
  let spaceId: string;
  before(async () => {
    const hostId = await world.addHost();
    spaceId = await world.addSpace(hostId, {
      title: 'Riverside Studio',
      operating_hours: { start_hour: 9, end_hour: 22 },
    });
    ({ key } = await world.addKey(hostId));
  });
  const date = '2027-03-18';

  describe('without --write', () => {
    const agent = useAgent(world, () => key, []);

    test('offers the tools that read, and marks them so', async () => {
      const tools = await agent.tools();
      assert.deepEqual(tools.map(({ name }) => name).sort(), READING.toSorted());
      for (const { name, annotations } of tools) {
        assert.deepEqual([annotations?.readOnlyHint, annotations?.destructiveHint], [true, false], name);
      }
    });

    test('refuses to book', async () => {
      const booking = { space_id: spaceId, date, start_hour: 10, end_hour: 11 };
      const guest = { guest_name: 'Ada', guest_email: 'ada@example.com' };
      await assert.rejects(agent.call('create_booking', { ...booking, ...guest }), /create_booking/);
      assert.deepEqual(await world.rows('select id from bookings'), []);
    });

    test('every one of them answers with the API’s data, as structure and as text', async () => {
      const { data } = (await world.call('GET', '/api-listings/api/v1/spaces', { key })).body;
      const { structuredContent, content } = await agent.result('list_spaces', {});
      assert.deepEqual(structuredContent, data);
      assert.deepEqual(content, [{ type: 'text', text: JSON.stringify(data) }]);
      assert.equal(
        (await agent.call<{ space: Space }>('get_space', { space_id: spaceId })).space.id,
        spaceId,
      );
      await agent.call('list_bookings', { from: date, limit: 5 });
      await agent.call('get_settlement_report', { month: '2027-03' });
      await agent.call('get_earnings', {});
      await agent.call('list_webhooks', {});
    });

    test('a refusal of the API is a tool error with its code, message and details', async () => {
      const wrong = { space_id: spaceId, date: 'tomorrow' };
      assert.match(
        await agent.refusal('get_availability', wrong),
        /^VALIDATION_ERROR: date must .*\nDetails: \[\{"field":"date".*\nRequest: \S+$/,
      );
      assert.match(await agent.refusal('get_booking', { booking_id: spaceId }), /^NOT_FOUND: Not found/);
    });

    test('an id that is missing or no text is named, with what is wrong', async () => {
      const refusal = (input: object) => agent.refusal('get_space', input);
      assert.equal(await refusal({}), 'VALIDATION_ERROR: space_id is required');
      assert.equal(await refusal({ space_id: 5 }), 'VALIDATION_ERROR: space_id must be a string');
      assert.equal(await refusal({ space_id: '' }), 'VALIDATION_ERROR: space_id must not be empty');
    });

    test('what it answers is described without the number formats of OpenAPI, which SDKs warn of', async () => {
      for (const { name, outputSchema } of await agent.tools()) {
        assert.doesNotMatch(JSON.stringify(outputSchema), /"format":"int/, name);
      }
    });
  });

  describe('with --write', () => {
    const agent = useAgent(world, () => key, ['--write']);

    test('offers all tools, and marks which of them destroy', async () => {
      const tools = await agent.tools();
      assert.deepEqual(tools.map(({ name }) => name).sort(), [...READING, ...WRITING].sort());
      const destructive = tools.filter(({ annotations }) => annotations?.destructiveHint);
      assert.deepEqual(destructive.map(({ name }) => name).sort(), [
        'cancel_booking',
        'create_webhook',
        'delete_webhook',
        'move_booking',
        'unblock_hours',
        'update_listing',
        'update_webhook',
      ]);
      for (const { name, annotations } of tools) {
        assert.equal(annotations?.readOnlyHint, READING.includes(name), name);
      }
      const reaching = tools.filter(({ annotations }) => annotations?.openWorldHint);
      assert.deepEqual(
        reaching.map(({ name }) => name),
        ['update_listing', 'create_webhook', 'update_webhook'],
      );
    });

    test('what a tool takes is what its operation takes, in its words', async () => {
      const { document } = await contractOf(world.url);
      const { CreateBooking } = document.components.schemas as Record<string, Tool['inputSchema']>;
      const create = (await agent.tools()).find(({ name }) => name === 'create_booking')!;
      const wordsOf = (input: Tool['inputSchema'] | undefined) =>
        Object.entries(input?.properties as Record<string, { description: string }>).map(
          ([name, { description }]) => [name, description],
        );
      assert.deepEqual(wordsOf(create.inputSchema), wordsOf(CreateBooking));
      assert.deepEqual(create.inputSchema.required, CreateBooking?.required);
      const block = (await agent.tools()).find(({ name }) => name === 'block_hours')!;
      assert.deepEqual(block.inputSchema.required, ['space_id', 'date', 'start_hour', 'end_hour']);
    });

    test('a whole story: a free hour is found, booked and cancelled', async () => {
      const { spaces } = await agent.call<{ spaces: Space[] }>('list_spaces', {});
      const space = spaces.find(({ title }) => title === 'Riverside Studio')!;
      const day = { space_id: space.id, date };
      const before = await agent.call<AvailableDays>('get_availability', day);
      const free = before.days[0]!.free[0]!;
      assert.equal(free.start_hour, 9);
      const hours = { start_hour: free.start_hour, end_hour: free.start_hour + 1 };
      const guest = { guest_name: 'Ada Miller', guest_email: 'ada@example.com' };
      const { booking } = await agent.call<{ booking: Booking }>('create_booking', {
        ...day,
        ...hours,
        ...guest,
      });
      assert.equal(booking.status, 'confirmed');
      const taken = await agent.refusal('create_booking', { ...day, ...hours, ...guest });
      assert.match(taken, /^BOOKING_CONFLICT: .*\nDetails: \{"hours":\[9\]\}/);
      const listed = await agent.call<{ bookings: Booking[] }>('list_bookings', { status: 'confirmed' });
      assert.deepEqual(listed.bookings, [booking]);
      const reason = 'Guest fell ill';
      await agent.call('cancel_booking', { booking_id: booking.id, reason });
      const read = await agent.call<{ booking: Booking }>('get_booking', { booking_id: booking.id });
      assert.deepEqual([read.booking.status, read.booking.cancellation_reason], ['cancelled', reason]);
      assert.deepEqual(await agent.call('get_availability', day), before);
    });

    test('a booking is moved, with only what changes', async () => {
      const guest = { guest_name: 'Ada Miller', guest_email: 'ada@example.com' };
      const { booking } = await agent.call<{ booking: Booking }>('create_booking', {
        space_id: spaceId,
        date,
        start_hour: 12,
        end_hour: 13,
        ...guest,
      });
      const input = { booking_id: booking.id, start_hour: 16, end_hour: 18 };
      const moved = (await agent.call<{ booking: Booking }>('move_booking', input)).booking;
      assert.deepEqual([moved.replaces, moved.start_hour, moved.guest_name], [booking.id, 16, 'Ada Miller']);
      assert.match(await agent.refusal('move_booking', input), /^BOOKING_CANCELLATION_BLOCKED: /);
      assert.equal(await agent.refusal('move_booking', {}), 'VALIDATION_ERROR: booking_id is required');
      const found = await agent.call<{ bookings: Booking[] }>('list_bookings', { guest: 'miller' });
      assert.ok(found.bookings.some(({ id }) => id === moved.id));
      await agent.call('cancel_booking', { booking_id: moved.id, reason: 'No longer needed' });
    });

    test('a listing is changed', async () => {
      const changed = await agent.call<{ space: Space }>('update_listing', {
        space_id: spaceId,
        price: 32.5,
      });
      assert.equal(changed.space.price_per_hour, 32.5);
      const rotated = await agent.call<{ space: Space; ical_feed_url: string }>('update_listing', {
        space_id: spaceId,
        rotate_ical_token: true,
      });
      assert.match(rotated.ical_feed_url, /^http.*token=/);
      assert.ok(!('ical_feed_url' in rotated.space));
    });

    test('a webhook is made, changed and deleted', async () => {
      const made = await agent.call<{ webhook: { id: string; secret: string } }>('create_webhook', {
        url: 'http://127.0.0.1:9/',
        events: ['booking.created'],
      });
      const { id, secret } = made.webhook;
      assert.match(secret, /^whsec_/);
      const paused = await agent.call<{ webhook: { is_active: boolean } }>('update_webhook', {
        id,
        is_active: false,
      });
      assert.equal(paused.webhook.is_active, false);
      assert.deepEqual(await agent.call('delete_webhook', { id }), { id, deleted: true });
    });
  });

  test('a key without the scope is refused in words that name it', async () => {
    const [row] = await world.rows<{ host_id: string }>('select host_id from spaces where id = $1', [
      spaceId,
    ]);
    const { key: narrow } = await world.addKey(row!.host_id, { scopes: ['spaces:read'] });
    const agent = await connect(world.url, narrow, []);
    assert.match(await agent.refusal('get_earnings', {}), /^INSUFFICIENT_SCOPE: .*earnings:read/);
    await agent.client.close();
  });

  test('answers what is under way when its input ends, and then ends itself', async () => {
    const child = spawn(HOURKEEP, ['mcp'], { env: environment(world.url, key) });
    const clientInfo = { name: 'test', version: '1.0.0' };
    const initialize = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
    const messages = [
      { id: 1, method: 'initialize', params: initialize },
      { method: 'notifications/initialized' },
      { id: 2, method: 'tools/call', params: { name: 'list_spaces', arguments: {} } },
      { id: 3, method: 'tools/call', params: { name: 'get_earnings', arguments: {} } },
    ];
    child.stdin.end(messages.map((each) => `${JSON.stringify({ jsonrpc: '2.0', ...each })}\n`).join(''));
    const [stdout, stderr, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'exit'),
    ]);
    const answers = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: number; result?: { isError?: boolean } });
    assert.deepEqual(new Set(answers.map(({ id }) => id)), new Set([1, 2, 3]));
    for (const { result } of answers) assert.ok(result !== undefined && !result.isError);
    assert.deepEqual([code, stderr], [0, '']);
  });

  test('speaks the newest revision of the protocol too', async () => {
    const agent = await connect(world.url, key, [], { pin: '2026-07-28' });
    assert.equal((await agent.tools()).length, READING.length);
    await agent.call('list_spaces', {});
    await agent.client.close();
  });
});

describe('the guide to agents', () => {
  const guide = readFileSync(join(import.meta.dirname, '../../docs/guides/agents.md'), 'utf8');

  test('names every tool', () => {
    const table = /^\| reading[\s\S]*?\n\n/m.exec(guide)![0];
    const named = [...table.matchAll(/`(\w+)`/g)].map((match) => match[1]!);
    assert.deepEqual(named.sort(), [...READING, ...WRITING].sort());
  });

  test('has settings that are JSON and start this very command', async () => {
    const blocks = [...guide.matchAll(/^```json\n([\s\S]*?)^```$/gm)].map((match) => match[1]!);
    assert.equal(blocks.length, 3);
    for (const block of blocks.filter((each) => each.includes('"command"'))) {
      const { mcpServers, servers = mcpServers } = JSON.parse(block) as Record<
        string,
        Record<string, { command: string; args: string[]; env: object }>
      >;
      const { command, args, env } = servers!['hourkeep']!;
      assert.ok(command.endsWith('/bin/hourkeep'));
      assert.deepEqual(Object.keys(env), ['HOURKEEP_API_KEY', 'HOURKEEP_URL']);
      assert.equal((await hourkeep([...args, '--help'], {})).code, 0);
    }
  });
});

describe('hourkeep mcp cannot start', () => {
  test('without a key', async () => {
    const { code, stdout, stderr } = await hourkeep(['mcp'], {});
    assert.deepEqual([code, stdout], [1, '']);
    assert.equal(stderr, 'hourkeep: HOURKEEP_API_KEY must be the API key that the agent works with\n');
  });

  test('where no API answers; it asks where the settings say unless it is told', async () => {
    const port = String(await freePort());
    const HOURKEEP_API_KEY = 'hk_test_key';
    const told = await hourkeep(['mcp'], { HOURKEEP_API_KEY, HOURKEEP_URL: `http://127.0.0.1:${port}/x` });
    assert.deepEqual([told.code, told.stdout], [1, '']);
    assert.match(
      told.stderr,
      new RegExp(`^hourkeep: no response from a Hourkeep API at http://127.0.0.1:${port}/x;`),
    );
    const settings = await hourkeep(['mcp'], { HOURKEEP_API_KEY, PORT: port });
    assert.match(
      settings.stderr,
      new RegExp(`^hourkeep: no response from a Hourkeep API at http://127.0.0.1:${port};`),
    );
  });
});

interface Agent {
  client: Client;
  tools(): Promise<Tool[]>;
  result(name: string, input: object): ReturnType<Client['callTool']>;
  /** The structured answer; the SDK's client has held it to the tool's output schema. */
  call<T = unknown>(name: string, input: object): Promise<T>;
  /** The text of a tool error. */
  refusal(name: string, input: object): Promise<string>;
}

const HOURKEEP = join(import.meta.dirname, '../../bin/hourkeep');

function environment(url: string, key: string): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '', HOURKEEP_API_KEY: key, HOURKEEP_URL: url };
}

async function connect(
  url: string,
  key: string,
  args: readonly string[],
  mode: 'legacy' | { pin: string } = 'legacy',
): Promise<Agent> {
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } });
  const transport = new StdioClientTransport({
    command: HOURKEEP,
    args: ['mcp', ...args],
    env: environment(url, key),
  });
  await client.connect(transport);
  // The client checks answers against the output schemas that it has been told of.
  const { tools } = await client.listTools();
  const agent: Agent = {
    client,
    tools: async () => tools,
    result: (name, input) => client.callTool({ name, arguments: { ...input } }),
    call: async <T>(name: string, input: object) => {
      const { isError, structuredContent, content } = await agent.result(name, input);
      assert.notEqual(isError, true, JSON.stringify(content));
      return structuredContent as T;
    },
    refusal: async (name, input) => {
      const { isError, content } = await agent.result(name, input);
      assert.equal(isError, true, JSON.stringify(content));
      return textOf(content);
    },
  };
  return agent;
}

function textOf([block]: Awaited<ReturnType<Client['callTool']>>['content']): string {
  assert.ok(block?.type === 'text');
  return block.text;
}

function useAgent(world: World, key: () => string, args: readonly string[]): Agent {
  const agent = {} as Agent;
  before(async () => Object.assign(agent, await connect(world.url, key(), args)));
  after(() => agent.client.close());
  return agent;
}
