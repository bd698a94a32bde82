import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import {
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { promisify } from 'node:util';
import { DAY_MS } from '../../src/time/units.ts';
import { problemsOf } from '../contract/check.ts';
import { freePort } from '../support/cluster.ts';
import { useServing } from '../support/command-line.ts';
import { contractOf } from '../support/contract.ts';
import { onOneEngine } from '../support/engines.ts';

// Whoever copies a line from the documentation must get what it promises: every shell block with curl is run
// as it stands against a service with demo data, and every answer held against the published document.

const ROOT = join(import.meta.dirname, '../..');
const PAGES = ['README.md', ...globSync('docs/**/*.md', { cwd: ROOT })];
const SHELL_BLOCK = /^```sh\n([\s\S]*?)^```$/gm;
const CURL = /(?:^|[|(&;]\s*)curl\s/gm;

const HAS_JQ = spawnSync('jq', ['--version']).status === 0;

/** Notes what was asked and answered, and otherwise is curl. */
const RECORDER = `#!/bin/sh
n="$CURL_RECORD/$(ls "$CURL_RECORD" | wc -l)"
"$REAL_CURL" -sS -D "$n.head" -o "$n.body" -w '%{method} %{url_effective}' "$@" > "$n.sent" || exit
cat "$n.body"
`;

const metricsPort = await freePort();

onOneEngine('every curl line of the documentation works as it stands', (engine) => {
  const serving = useServing(engine, { METRICS_PORT: String(metricsPort) });
  const { folder } = serving;
  let realCurl: string;
  before(async () => {
    // Where the lines look for it.
    symlinkSync(folder.path, join(folder.path, 'data'));
    realCurl = (await promisify(execFile)('sh', ['-c', 'command -v curl'])).stdout.trim();
    mkdirSync(join(folder.path, 'bin'));
    writeFileSync(join(folder.path, 'bin/curl'), RECORDER, { mode: 0o755 });
  });

  for (const page of PAGES) {
    const blocks = shellBlocks(readFileSync(join(ROOT, page), 'utf8'));
    const text = blocks.filter((block) => block.match(CURL) !== null || isOnlySettings(block)).join('\n');
    const count = text.match(CURL)?.length ?? 0;
    if (count === 0) continue;
    const lacksJq = /\bjq\b/.test(text) && !HAS_JQ;
    if (lacksJq) process.stderr.write(`NOT RUN: ${page} needs jq, which is not installed\n`);
    test(`${page}: ${count}`, { skip: lacksJq && process.env['CI'] !== 'true' }, async () => {
      const { service } = serving;
      const exchanges = await run(page, text);
      assert.equal(exchanges.length, count, 'some were not run');
      const contract = await contractOf(service.url);
      for (const { method, url, status, headers, body } of exchanges) {
        const where = `${method} ${url} answered ${status} ${body}`;
        // A line that shows a refusal says so beside it.
        assert.ok(status < 400 || text.includes(String(status)), where);
        if (!url.startsWith(service.url)) continue;
        const path = url.slice(service.url.length);
        assert.deepEqual(problemsOf(contract, { method, path, status, headers, text: body }), [], where);
      }
    });
  }

  test('none stands where it is not run', () => {
    for (const page of PAGES) {
      const text = readFileSync(join(ROOT, page), 'utf8');
      const outside = text.replaceAll(SHELL_BLOCK, '');
      assert.doesNotMatch(outside, /curl +(?:-|"?https?:|"?\$)/, page);
    }
  });

  async function run(page: string, text: string) {
    const record = join(folder.path, page.replaceAll('/', '-'));
    mkdirSync(record);
    const { service, demo } = serving;
    const script = text
      .replaceAll('http://127.0.0.1:3000', service.url)
      .replaceAll('127.0.0.1:9464', `127.0.0.1:${metricsPort}`);
    const env = {
      PATH: `${join(folder.path, 'bin')}:${process.env['PATH']}`,
      CURL_RECORD: record,
      REAL_CURL: realCurl,
      // As the quickstart sets them, for the other pages.
      HOURKEEP_URL: service.url,
      HOURKEEP_API_KEY: demo.keys.sandbox,
      SPACE: demo.spaces.find(({ environment }) => environment === 'sandbox')!.id,
      DATE: new Date(Date.now() + 46 * DAY_MS).toISOString().slice(0, 10),
    };
    await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], { cwd: folder.path, env });
    const calls = readdirSync(record).filter((name) => name.endsWith('.sent'));
    return calls.map((name) => readExchange(join(record, name.replace(/\.sent$/, ''))));
  }
});

function shellBlocks(markdown: string): string[] {
  return [...markdown.matchAll(SHELL_BLOCK)].map((match) => match[1]!);
}

function isOnlySettings(block: string): boolean {
  return block
    .trim()
    .split('\n')
    .every((line) => /^[A-Z_]+=/.test(line));
}

function readExchange(file: string) {
  const [method = '', url = ''] = readFileSync(`${file}.sent`, 'utf8').split(' ');
  const [first = '', ...lines] = readFileSync(`${file}.head`, 'utf8').trim().split('\r\n');
  const headers = new Headers(
    lines.map((line): [string, string] => {
      const at = line.indexOf(':');
      return [line.slice(0, at), line.slice(at + 1).trim()];
    }),
  );
  const body = existsSync(`${file}.body`) ? readFileSync(`${file}.body`, 'utf8') : '';
  // With -i the headers stand in front of the body.
  const text = body.startsWith('HTTP/') ? body.slice(body.indexOf('\r\n\r\n') + 4) : body;
  return { method, url, status: Number(first.split(' ')[1]), headers, body: text };
}
