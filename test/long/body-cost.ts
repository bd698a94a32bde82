import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openStage, pathOf, rowOf } from '../contract/rows.ts';
import { contractOf } from '../support/contract.ts';
import { engines } from '../support/engines.ts';
import { useWorld } from '../support/world.ts';
import { buildApp } from '../../src/app.ts';
import type { App } from '../../src/http/server.ts';

const LIMIT = 256 * 1024;
/** What is left of it inside a tool call. */
const ROOM = LIMIT - 200;
const ONE_MISTAKE = `{"x":"${'y'.repeat(ROOM)}"}`;
/** Of which the median is taken. */
const RUNS = 5;

interface Route {
  method: string;
  url: string;
  /** Of its body. */
  fields: readonly string[];
  wrap?(body: string): string;
}

/** So many bytes at most. */
function list(bytes: number, entry: (i: number) => string): string {
  let text = entry(0);
  const count = Math.floor(bytes / (Buffer.byteLength(entry(99_999)) + 1));
  for (let i = 1; i < count; i++) text += `,${entry(i)}`;
  return text;
}

/** Bodies of 256 KiB with a mistake in every few bytes. */
function bodiesOf({ fields }: Route): Record<string, string> {
  const inEach = (open: string, entry: (i: number) => string, close: string): string => {
    const share = ROOM / fields.length - 40;
    return `{${fields.map((name) => `"${name}":${open}${list(share, entry)}${close}`).join(',')}}`;
  };
  return {
    'lists of numbers': inEach('[', () => '1', ']'),
    'lists of empty texts': inEach('[', () => '""', ']'),
    'lists of objects': inEach('[', () => '{"constructor":{}}', ']'),
    'objects with unknown fields': inEach('{', (i) => `"${i}":1`, '}'),
    'long texts': inEach('"', () => '\u{1f389}', '"'),
    'unknown fields': `{${list(ROOM, (i) => `"f${i}":1`)}}`,
    'deep nesting': '['.repeat(ROOM / 2) + ']'.repeat(ROOM / 2),
  };
}

// On one engine: all this happens before a database is asked for anything but the key.
describe('a body of nothing but mistakes', () => {
  const world = useWorld(engines[0]!);
  const routes: Route[] = [
    { method: 'POST', url: '/console/claim', fields: ['token'] },
    { method: 'POST', url: '/mcp', fields: ['jsonrpc', 'id', 'method', 'params'] },
    {
      method: 'POST',
      url: '/mcp',
      fields: ['url', 'events', 'description'],
      wrap: (body) =>
        `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create_webhook","arguments":${body}}}`,
    },
  ];
  let app: App;
  let authorization: string;
  before(async () => {
    app = await buildApp(world.ctx);
    const stage = await openStage(world, await world.addHost());
    authorization = `Bearer ${(await stage.newKey()).key}`;
    const { document, endpoints } = await contractOf(world.url);
    for (const endpoint of endpoints) {
      const ref = endpoint.operation.requestBody?.content['application/json']!.schema['$ref'] as string;
      if (ref === undefined) continue;
      const { properties } = document.components.schemas[ref.split('/').at(-1)!] as { properties: object };
      const url = pathOf(endpoint, await rowOf(endpoint).input(stage));
      routes.push({ method: endpoint.method, url, fields: Object.keys(properties) });
    }
  });
  after(() => app.close());

  /** In microseconds. */
  async function cpuOf(work: () => unknown): Promise<number> {
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    return user + system;
  }

  async function send({ method, url }: Route, payload: string): Promise<void> {
    // For the limit on claims.
    world.clock.advance({ seconds: 2 });
    const headers = { authorization, 'content-type': 'application/json' };
    const { statusCode } = await app.inject({ method: method as 'POST', url, headers, payload });
    assert.ok(statusCode === 422 || url === '/mcp', `${url}: ${statusCode}`);
  }

  /** What a body takes, by what it may take. */
  async function measure(route: Route, body: string): Promise<number> {
    const { wrap = String } = route;
    const text = wrap(body);
    assert.ok(Buffer.byteLength(text) <= LIMIT);
    const [taken, oneMistake, parsed]: [number[], number[], number[]] = [[], [], []];
    for (let run = 0; run < RUNS; run++) {
      oneMistake.push(await cpuOf(() => send(route, wrap(ONE_MISTAKE))));
      parsed.push(await cpuOf(() => JSON.parse(text)));
      taken.push(await cpuOf(() => send(route, text)));
    }
    return median(taken) / (3 * (median(oneMistake) + median(parsed)));
  }

  test('takes at most three times the CPU of one mistake and of parsing it together', async () => {
    assert.equal(routes.length, 10);
    for (const route of routes) {
      for (const [what, body] of Object.entries(bodiesOf(route))) {
        // Again, since a busy machine or a collection of garbage can spoil a measurement.
        const ratios: number[] = [];
        while (ratios.length < 3 && !(ratios.at(-1)! <= 1)) ratios.push(await measure(route, body));
        const shown = ratios.map((ratio) => ratio.toFixed(2)).join(', ');
        assert.ok(ratios.at(-1)! <= 1, `${route.method} ${route.url}, ${what}: ${shown} times as much`);
      }
    }
  });
});

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}
