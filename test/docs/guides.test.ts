import assert from 'node:assert/strict';
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { ALL_SCOPES } from '../../src/ids/scopes.ts';
import { readConfig } from '../../src/config.ts';
import { ERROR_STATUS, OTHER_STATUS } from '../../src/errors.ts';
import { EVENT_TYPES } from '../../src/events/events.ts';
import { VERSION } from '../../src/version.ts';
import { Hourkeep } from '../../client/src/index.ts';
import { rowOf } from '../contract/rows.ts';
import { contractOf } from '../support/contract.ts';
import { onOneEngine } from '../support/engines.ts';
import { useWorld } from '../support/world.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

describe('the guides', () => {
  test('are all listed in their README', () => {
    const listed = [...read('docs/guides/README.md').matchAll(/^- \[[^\]]+\]\(([\w-]+\.md)\)/gm)];
    const files = readdirSync(join(ROOT, 'docs/guides')).filter((name) => name !== 'README.md');
    assert.deepEqual(listed.map(([, file]) => String(file)).sort(), files.sort());
  });

  test('name every error code with its status, and no other', () => {
    const named = [...read('docs/guides/errors.md').matchAll(/^### ([A-Z_]+)\n\nStatus (\d{3})[.,]/gm)];
    const codes = Object.fromEntries(named.map(([, code, status]) => [code, Number(status)]));
    assert.deepEqual(sorted(codes), sorted({ ...ERROR_STATUS, ...OTHER_STATUS }));
  });

  test('name every scope, and no other', () => {
    const named = [...read('docs/guides/authentication.md').matchAll(/^\| `([a-z]+:[a-z]+)` /gm)];
    assert.deepEqual(named.map(([, scope]) => String(scope)).sort(), [...ALL_SCOPES].sort());
  });

  test('name every event, and no other', () => {
    const named = [...read('docs/guides/webhooks.md').matchAll(/^\| `([a-z]+\.[a-z]+)` /gm)];
    assert.deepEqual(named.map(([, type]) => String(type)).sort(), [...EVENT_TYPES].sort());
  });
});

onOneEngine('the clients guide', (engine) => {
  const world = useWorld(engine);
  const table = [
    ...read('docs/guides/clients.md').matchAll(/^\| `([A-Z]+ \/.+?)` +\| `(\w+:\w+)` +\| (.+?) +\|/gm),
  ];

  test('lists every endpoint behind a key with its scope, and no other', async () => {
    const { endpoints } = await contractOf(world.url);
    const scopes = endpoints.map((each) => [`${each.method} ${each.template}`, rowOf(each).scope] as const);
    assert.deepEqual(
      sorted(Object.fromEntries(table.map(([, endpoint, scope]) => [endpoint, scope]))),
      sorted(Object.fromEntries(scopes.filter(([, scope]) => scope !== null))),
    );
  });

  test('lists methods that the client has', () => {
    const hk = new Hourkeep({ apiKey: 'hk_test_any', baseUrl: world.url }) as unknown as Record<
      string,
      object
    >;
    for (const [, endpoint, , methods = ''] of table) {
      const [, part = ''] = /`(\w+)\./.exec(methods) ?? [];
      for (const [, name = ''] of methods.matchAll(/\.(\w+)\(/g))
        assert.ok(name in (hk[part] ?? {}), `${endpoint}: ${part}.${name}`);
    }
  });
});

describe('docs/settings.md', () => {
  test('names every setting, and no other', () => {
    const asked = new Set<string>();
    readConfig(new Proxy({}, { get: (_, name) => void asked.add(String(name)) }));
    const table = read('docs/settings.md');
    const named = [...table.matchAll(/^\| `([A-Z_]+)` /gm)].map(([, name]) => name!);
    assert.deepEqual(named.sort(), [...asked].sort());
  });
});

test('every link between the pages leads to a file and a heading that are there', () => {
  const pages = [
    'README.md',
    'CONTRIBUTING.md',
    'deploy/README.md',
    ...globSync('docs/**/*.md', { cwd: ROOT }),
  ];
  for (const page of pages) {
    for (const [, target = ''] of read(page).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^https?:/.test(target)) continue;
      const [file = '', anchor] = target.split('#');
      const path = file === '' ? page : join(dirname(page), file);
      assert.ok(existsSync(join(ROOT, path)), `${page} links to ${target}`);
      if (anchor !== undefined)
        assert.ok(anchorsOf(read(path)).includes(anchor), `${page} links to ${target}`);
    }
  }
});

test('install lines name the files of this version', () => {
  const patterns = [
    'README.md',
    'deploy/README.md',
    'docs/**/*.md',
    'client/README.md',
    'clients/*/README.md',
  ];
  const lines = globSync(patterns, { cwd: ROOT }).flatMap((page) =>
    [...read(page).matchAll(/\bhourkeep(?:[-_]client|-php)?-(\d+\.\d+\.\d+)/g)].map(
      ([, version]) => `${page}: ${version}`,
    ),
  );
  assert.ok(lines.length > 10);
  assert.deepEqual(
    lines.filter((line) => !line.endsWith(`: ${VERSION}`)),
    [],
  );
});

function sorted(record: object): [string, unknown][] {
  return Object.entries(record).sort(([a], [b]) => a.localeCompare(b));
}

/** As GitHub makes them of headings. */
function anchorsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, '')
      .trim()
      .replaceAll(/\s/g, '-'),
  );
}
