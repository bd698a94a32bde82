import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import type { DemoFile } from '../../src/demo/demo.ts';
import { samplesOf } from '../../src/http/docs/browser/samples.js';
import { endpointsOf, type Document } from '../../src/http/docs/document.ts';
import { exampleRequest } from '../../src/http/docs/operation-page.ts';
import { makeFolder, startProcess, type Running } from '../support/process.ts';

// The samples of the reference page, run as they stand against a service with demo data. Ids in them are of the
// document's examples, so most requests are refused; that the service understood them is what counts here.

const RUN: Record<string, (code: string) => [program: string, args: string[]]> = {
  curl: (code) => ['bash', ['-c', code.replace(/^curl/, "curl -sS -w '\n%{http_code}'")]],
  Node: (code) => [process.execPath, ['--input-type=module', '-e', code]],
  Python: (code) => ['python3', ['-c', code]],
};

describe('the samples of the reference page', () => {
  const folder = makeFolder();
  let service: Running;
  let demo: DemoFile;
  let document: Document;
  before(async () => {
    service = await startProcess('serve', { DATA_DIR: folder.path, RATE_LIMIT_PRODUCTION: '0' });
    demo = JSON.parse(readFileSync(join(folder.path, 'demo.json'), 'utf8')) as DemoFile;
    document = (await (await fetch(`${service.url}/api-openapi`)).json()) as Document;
  });
  after(async () => {
    await service.end();
    folder.remove();
  });

  for (const name of Object.keys(RUN)) {
    test(`in ${name} run as they stand, for every endpoint`, async () => {
      const statuses: Record<string, number> = {};
      for (const endpoint of endpointsOf(document)) {
        const request = exampleRequest(document, endpoint);
        const sample = samplesOf(request).find((made) => made.name === name)!;
        statuses[endpoint.operation.operationId] = await statusOf(name, sample.code);
      }
      for (const [operation, status] of Object.entries(statuses))
        assert.ok([200, 201, 401, 404].includes(status), `${operation}: ${status}`);
      assert.equal(statuses['listSpaces'], 200);
      assert.equal(statuses['createWebhook'], 201);
      assert.equal(statuses['createBooking'], 404, 'no such space');
      assert.equal(statuses['getIcalFeed'], 401, 'no such token');
    });
  }

  async function statusOf(name: string, code: string): Promise<number> {
    const [program, args] = RUN[name]!(code);
    const env = { ...process.env, KEY: demo.keys.production };
    const { stdout, stderr } = await promisify(execFile)(program, args, { env }).catch(
      (error: { stdout: string; stderr: string }) => error,
    );
    // curl prints the status behind the body, the others in front of it; Python throws a refusal.
    const said =
      name === 'curl' ? stdout.split('\n').at(-1) : (/HTTP Error (\d+)/.exec(stderr)?.[1] ?? stdout);
    return Number.parseInt(said ?? '', 10);
  }
});
