import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { endpointsOf, withoutRefs, type Document } from '../../src/http/openapi/published.ts';
import { startProxy, type Proxy } from '../conformance/proxy.ts';
import { useServing } from '../support/command-line.ts';
import { onOneEngine } from '../support/engines.ts';
import { compile, installClients, runProgram } from '../support/installed-clients.ts';

// The samples of the reference, run as they are printed against a service with demo data: nothing but HOURKEEP_API_KEY and
// HOURKEEP_URL is set, and in the order of the reference, so that the sample before makes the webhook that the next one changes. Only
// the feed's token, a secret, is put in. A proxy tells what the service was asked.

const LANGUAGES = { 'sh curl': 'sh', ts: 'ts', python: 'python', php: 'php' } as const;

onOneEngine('the samples of the reference', (engine) => {
  const serving = useServing(engine);
  const { folder } = serving;
  let proxy: Proxy;
  let document: Document;
  before(async () => {
    const { url } = serving.service;
    proxy = await startProxy(url);
    document = withoutRefs((await (await fetch(`${url}/api-openapi`)).json()) as Document);
    installClients(folder.path);
  });
  after(() => proxy.close());

  for (const [name, language] of Object.entries(LANGUAGES))
    test(`in ${language} make the request of every endpoint, and it succeeds`, async () => {
      for (const { method, path, operation } of endpointsOf(document)) {
        const code = await sampleOf(operation.operationId, name);
        const answered: number[] = [];
        proxy.play(async (response, pass) => {
          const { status, headers, text } = await pass();
          answered.push(status);
          response.writeHead(status, { 'content-type': headers['content-type'] }).end(text);
        });
        const settings = { HOURKEEP_API_KEY: serving.demo.keys.sandbox, HOURKEEP_URL: proxy.url };
        const { stdout, stderr } = await runProgram(folder.path, language, code, settings);
        const asked = proxy.received.at(-1);
        assert.equal(asked?.method, method, `${code}\n${stdout}${stderr}`);
        const pattern = new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[0-9a-f-]{36}')}(?:\\?|$)`);
        assert.match(asked?.path ?? '', pattern, code);
        const expected = operation.operationId === 'createWebhook' ? 201 : 200;
        assert.equal(answered.at(-1), expected, `${code}\n${stdout}${stderr}`);
        assert.notEqual(stdout, '', `${operation.operationId} shows no response`);
      }
    });

  test('in TypeScript satisfy the strict compiler', async () => {
    const ids = endpointsOf(document).map(({ operation }) => operation.operationId);
    const codes = await Promise.all(ids.map((id) => sampleOf(id, 'ts')));
    assert.equal(await compile(folder.path, codes), '');
  });

  async function sampleOf(operation: string, language: string): Promise<string> {
    const page = await (await fetch(`${serving.service.url}/docs/reference/${operation}.md`)).text();
    const [, code] = new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'ms').exec(page) ?? [];
    assert.ok(code !== undefined, `${operation} has no sample in ${language}`);
    // The token of the feed is a secret, so the page cannot have it.
    const space = serving.demo.spaces.find(({ environment }) => environment === 'sandbox')!;
    return code.replace(/(?<=token=)[0-9a-f-]{36}/, space.ical_token);
  }
});
