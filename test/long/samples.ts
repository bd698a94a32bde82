import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Hourkeep } from '../../client/src/index.ts';
import type { DemoFile } from '../../src/demo/demo.ts';
import { samplesOf } from '../../src/http/docs/browser/samples.js';
import { endpointsOf, type Document, type Endpoint } from '../../src/http/docs/document.ts';
import { exampleRequest } from '../../src/http/docs/operation-page.ts';
import { startProxy, type Proxy } from '../conformance/proxy.ts';
import { nextJune } from '../support/clock.ts';
import { compile, installClients, runProgram } from '../support/installed-clients.ts';
import { makeFolder, startProcess, type Running } from '../support/process.ts';

// The samples of the reference page, run as they stand against a service with demo data. Ids and dates are put in as a
// reader puts them into the form, so every one succeeds; a proxy tells what the service was asked.

const LANGUAGES = { curl: 'sh', TypeScript: 'ts', Python: 'python', PHP: 'php' } as const;

describe('the samples of the reference page', () => {
  const folder = makeFolder();
  let service: Running;
  let proxy: Proxy;
  let demo: DemoFile;
  let document: Document;
  before(async () => {
    service = await startProcess('serve', { DATA_DIR: folder.path, RATE_LIMIT_PRODUCTION: '0' });
    demo = JSON.parse(readFileSync(join(folder.path, 'demo.json'), 'utf8')) as DemoFile;
    proxy = await startProxy(service.url);
    const published = (await (await fetch(`${service.url}/api-openapi`)).json()) as Document;
    document = { ...published, servers: [{ url: proxy.url }] };
    installClients(folder.path);
  });
  after(async () => {
    proxy.close();
    await service.end();
    folder.remove();
  });

  for (const [at, [name, language]] of Object.entries(LANGUAGES).entries()) {
    test(`in ${name} make the request of every endpoint, and it succeeds`, async () => {
      const values = await realValues(nextJune(at + 1), name);
      for (const endpoint of endpointsOf(document)) {
        const code = sampleOf(endpoint, values, name);
        const answered: number[] = [];
        proxy.play(async (response, pass) => {
          const { status, headers, text } = await pass();
          answered.push(status);
          response.writeHead(status, { 'content-type': headers['content-type'] }).end(text);
        });
        const settings = { KEY: demo.keys.production };
        const { stdout, stderr } = await runProgram(folder.path, language, code, settings);
        const output = stdout || stderr;
        const { method, path, operation } = endpoint;
        const asked = proxy.received.map((request) => [
          request.method,
          new URL(request.path, proxy.url).pathname,
        ]);
        const filled = path.replaceAll(/\{(\w+)\}/g, (_, parameter: string) => values[parameter]!);
        assert.deepEqual(asked, [[method, filled]], `${code}\n${output}`);
        const expected = operation.operationId === 'createWebhook' ? 201 : 200;
        assert.deepEqual(answered, [expected], `${code}\n${output}`);
        assert.notEqual(stdout, '', `${operation.operationId} shows no answer`);
      }
    });
  }

  test('in TypeScript satisfy the strict compiler', async () => {
    const values = await realValues(nextJune(9), 'types');
    const codes = endpointsOf(document).map((endpoint) => sampleOf(endpoint, values, 'TypeScript'));
    assert.equal(await compile(folder.path, codes), '');
  });

  /** What exists and is free, for one language alone. */
  async function realValues(date: string, name: string): Promise<Record<string, string>> {
    const hk = new Hourkeep({ apiKey: demo.keys.production, baseUrl: service.url });
    const space = demo.spaces.find(
      ({ environment, is_active }) => environment === 'production' && is_active,
    )!;
    const booking = await hk.bookings.create({
      space_id: space.id,
      date,
      start_hour: 14,
      end_hour: 15,
      guest_name: 'Ada Miller',
      guest_email: `${name}@example.com`,
    });
    const webhook = await hk.webhooks.create({
      url: 'https://pms.example.com/',
      events: ['booking.created'],
    });
    return {
      space_id: space.id,
      token: space.ical_token,
      date,
      booking_id: booking.id,
      id: webhook.id,
      idempotency_key: `order-${name}`,
    };
  }

  function sampleOf(endpoint: Endpoint, values: Record<string, string>, name: string): string {
    const request = exampleRequest(document, withValues(endpoint, values));
    return samplesOf(request).find((made) => made.name === name)!.code;
  }
});

function withValues(endpoint: Endpoint, values: Record<string, string>): Endpoint {
  const { operation } = endpoint;
  const parameters = (operation.parameters ?? []).map((parameter) => {
    const value = values[parameter.name];
    return value === undefined ? parameter : { ...parameter, example: value };
  });
  const media = operation.requestBody?.content['application/json'];
  if (media === undefined) return { ...endpoint, operation: { ...operation, parameters } };
  const body = Object.entries(media.example as object).map(([name, value]) => [name, values[name] ?? value]);
  const content = { 'application/json': { ...media, example: Object.fromEntries(body) as object } };
  return { ...endpoint, operation: { ...operation, parameters, requestBody: { content } } };
}
