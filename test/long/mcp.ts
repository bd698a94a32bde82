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
import { BIN, hourkeep } from '../support/process.ts';
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
const REACHING = ['update_listing', 'create_webhook', 'update_webhook'];
const DESTRUCTIVE = [...REACHING, 'cancel_booking', 'move_booking', 'unblock_hours', 'delete_webhook'];
const ALL = [...READING, ...DESTRUCTIVE, 'create_booking', 'block_hours'];
const GUEST = { guest_name: 'Ada Miller', guest_email: 'ada@example.com' };

// On one engine: the tools speak HTTP and cannot know which stands behind it.
describe('hourkeep mcp', () => {
  const world = useWorld(engines[0]!);
  let hostId: string;
  let key: string;
  let spaceId: string;
  before(async () => {
    hostId = await world.addHost();
    spaceId = await world.addSpace(hostId, { operating_hours: { start_hour: 9, end_hour: 22 } });
    ({ key } = await world.addKey(hostId));
  });
  const date = '2027-03-18';

  describe('without --write', () => {
    const agent = useAgent(world, () => key, []);

    test('offers the tools that read', () => {
      assert.deepEqual(agent.tools.map(({ name }) => name).sort(), READING.toSorted());
    });

    test('refuses to book', async () => {
      const booking = { space_id: spaceId, date, start_hour: 10, end_hour: 11, ...GUEST };
      await assert.rejects(agent.call('create_booking', booking), /create_booking/);
      assert.deepEqual(await world.rows('select id from bookings'), []);
    });

    test('every one of them answers with the API’s data, as structure and as text', async () => {
      const { data } = (await world.call('GET', '/api-listings/api/v1/spaces', { key })).body;
      const { structuredContent, content } = await agent.result('list_spaces', {});
      assert.deepEqual(structuredContent, data);
      assert.deepEqual(content, [{ type: 'text', text: JSON.stringify(data) }]);
      const [space] = data.spaces;
      assert.deepEqual(await agent.call('get_space', { space_id: spaceId }), { space });
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
  });

  describe('with --write', () => {
    const agent = useAgent(world, () => key, ['--write']);

    test('offers all tools, marked by whether they write, destroy and reach out', () => {
      const marked = (mark: 'readOnlyHint' | 'destructiveHint' | 'openWorldHint') =>
        agent.tools
          .filter(({ annotations }) => annotations?.[mark])
          .map(({ name }) => name)
          .sort();
      assert.deepEqual(agent.tools.map(({ name }) => name).sort(), ALL.toSorted());
      assert.deepEqual(marked('readOnlyHint'), READING.toSorted());
      assert.deepEqual(marked('destructiveHint'), DESTRUCTIVE.toSorted());
      assert.deepEqual(marked('openWorldHint'), REACHING.toSorted());
    });

    test('what a tool takes is what its operation takes, in its words', async () => {
      const { document } = await contractOf(world.url);
      const { CreateBooking } = document.components.schemas as Record<string, Tool['inputSchema']>;
      const inputOf = (tool: string) => agent.tools.find(({ name }) => name === tool)!.inputSchema;
      const wordsOf = (input: Tool['inputSchema']) =>
        Object.entries(input.properties as Record<string, { description: string }>).map(
          ([name, { description }]) => [name, description],
        );
      assert.deepEqual(wordsOf(inputOf('create_booking')), wordsOf(CreateBooking!));
      assert.deepEqual(inputOf('create_booking').required, CreateBooking!.required);
      assert.deepEqual(inputOf('block_hours').required, ['space_id', 'date', 'start_hour', 'end_hour']);
    });

    test('a whole story: a free hour is found, booked and cancelled', async () => {
      const day = { space_id: spaceId, date };
      const before = await agent.call<AvailableDays>('get_availability', day);
      assert.equal(before.days[0]!.free[0]!.start_hour, 9);
      const wanted = { ...day, ...GUEST, start_hour: 9, end_hour: 10 };
      const { booking } = await agent.call<{ booking: Booking }>('create_booking', wanted);
      assert.equal(booking.status, 'confirmed');
      const taken = await agent.refusal('create_booking', wanted);
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
      const wanted = { space_id: spaceId, date, start_hour: 12, end_hour: 13, ...GUEST };
      const { booking } = await agent.call<{ booking: Booking }>('create_booking', wanted);
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
      const changes = { space_id: spaceId, price: 32.5, rotate_ical_token: true };
      const { space, ...rest } = await agent.call<{ space: Space; ical_feed_url: string }>(
        'update_listing',
        changes,
      );
      assert.equal(space.price_per_hour, 32.5);
      assert.match(rest.ical_feed_url, /^http.*token=/);
    });

    test('a webhook is made, changed and deleted', async () => {
      type Made = { webhook: { id: string; secret: string; is_active: boolean } };
      const wanted = { url: 'http://127.0.0.1:9/', events: ['booking.created'] };
      const { id, secret } = (await agent.call<Made>('create_webhook', wanted)).webhook;
      assert.match(secret, /^whsec_/);
      const paused = await agent.call<Made>('update_webhook', { id, is_active: false });
      assert.equal(paused.webhook.is_active, false);
      assert.deepEqual(await agent.call('delete_webhook', { id }), { id, deleted: true });
    });
  });

  test('a key without the scope is refused in words that name it', async () => {
    const { key: narrow } = await world.addKey(hostId, { scopes: ['spaces:read'] });
    const agent = await connect(world.url, narrow, []);
    assert.match(await agent.refusal('get_earnings', {}), /^INSUFFICIENT_SCOPE: .*earnings:read/);
    await agent.client.close();
  });

  test('answers what is under way when its input ends, and then ends itself', async () => {
    const child = spawn(BIN, ['mcp'], { env: environment(world.url, key) });
    const initialize = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: CLIENT };
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
    assert.equal(agent.tools.length, READING.length);
    await agent.call('list_spaces', {});
    await agent.client.close();
  });
});

describe('the guide to agents', () => {
  const guide = readFileSync(join(import.meta.dirname, '../../docs/guides/agents.md'), 'utf8');

  test('names every tool', () => {
    const table = /^\| reading[\s\S]*?\n\n/m.exec(guide)![0];
    const named = [...table.matchAll(/`(\w+)`/g)].map((match) => match[1]!);
    assert.deepEqual(named.sort(), ALL.toSorted());
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
    const url = `http://127.0.0.1:${port}`;
    for (const [settings, asked] of [
      [{ HOURKEEP_URL: `${url}/x` }, `${url}/x`],
      [{ PORT: port }, url],
    ] as const) {
      const { code, stdout, stderr } = await hourkeep(['mcp'], { HOURKEEP_API_KEY, ...settings });
      assert.deepEqual([code, stdout], [1, '']);
      assert.ok(stderr.startsWith(`hourkeep: no response from a Hourkeep API at ${asked};`), stderr);
    }
  });
});

type Agent = Awaited<ReturnType<typeof connect>>;

const CLIENT = { name: 'test', version: '1.0.0' };

function environment(url: string, key: string): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '', HOURKEEP_API_KEY: key, HOURKEEP_URL: url };
}

async function connect(
  url: string,
  key: string,
  args: readonly string[],
  mode: 'legacy' | { pin: string } = 'legacy',
) {
  const client = new Client(CLIENT, { versionNegotiation: { mode } });
  const env = environment(url, key);
  await client.connect(new StdioClientTransport({ command: BIN, args: ['mcp', ...args], env }));
  // The client checks answers against the output schemas that it has been told of.
  const { tools } = await client.listTools();
  const result = (name: string, input: object) => client.callTool({ name, arguments: { ...input } });
  return {
    client,
    tools,
    result,
    /** The structured answer; the SDK's client has held it to the tool's output schema. */
    call: async <T = unknown>(name: string, input: object): Promise<T> => {
      const { isError, structuredContent, content } = await result(name, input);
      assert.notEqual(isError, true, JSON.stringify(content));
      return structuredContent as T;
    },
    /** The text of a tool error. */
    refusal: async (name: string, input: object): Promise<string> => {
      const { isError, content } = await result(name, input);
      const [block] = content;
      assert.ok(isError && block?.type === 'text', JSON.stringify(content));
      return block.text;
    },
  };
}

function useAgent(world: World, key: () => string, args: readonly string[]): Agent {
  const agent = {} as Agent;
  before(async () => Object.assign(agent, await connect(world.url, key(), args)));
  after(() => agent.client.close());
  return agent;
}
