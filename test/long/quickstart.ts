import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { before, test } from 'node:test';
import { freePort } from '../support/cluster.ts';
import { useServing } from '../support/command-line.ts';
import { onOneEngine } from '../support/engines.ts';
import { BIN } from '../support/process.ts';

// docs/guides/quickstart.md with three terminals: the service, the one that books, and the one that listens.

const GUIDE = readFileSync(join(import.meta.dirname, '../../docs/guides/quickstart.md'), 'utf8');

onOneEngine('the quickstart', (engine) => {
  const serving = useServing(engine);
  const { folder } = serving;
  let env: Record<string, string>;
  before(async () => {
    const bin = join(folder.path, 'bin');
    mkdirSync(bin);
    // Where the guide's lines look for it.
    symlinkSync(folder.path, join(folder.path, 'data'));
    // npx without a registry, and on a port that nobody else has.
    const npx = `#!/bin/sh\nshift\nexec ${BIN} "$@" --port ${await freePort()}\n`;
    writeFileSync(join(bin, 'npx'), npx, { mode: 0o755 });
    env = { PATH: `${bin}:${process.env['PATH']}`, NO_COLOR: '1' };
  });

  test('books with a key alone, and the third terminal knows it and hears of the booking', async () => {
    const [settings, first, listen, second] = [
      blocksOf('A key').at(-1)!,
      blocksOf('Make a first booking').join('\n'),
      ...blocksOf('Receive a first webhook'),
    ];
    const terminal = spawn('bash', [], { cwd: folder.path, env });
    const said = lines(terminal.stdout);
    terminal.stdin.write(
      `set -eu\n${settings.replace('http://127.0.0.1:3000', serving.service.url)}\n${first}\necho; echo made\n`,
    );
    const booked = await said.until('made');
    assert.match(booked, /"success":true.*"idempotency_key":"order-1042"/);

    const third = spawn('bash', ['-c', listen!.replace('npx', 'exec npx')], { cwd: folder.path, env });
    const heard = lines(third.stdout);
    await lines(third.stderr).until('Listening on');
    terminal.stdin.end(`${second}\n`);
    const deliveries = [await heard.until('verified'), await heard.until('verified')].join('\n');
    assert.match(deliveries, /booking\.created/);
    assert.match(deliveries, /availability\.changed/);
    assert.equal(deliveries.match(/verified/g)?.length, 2);
    third.kill();
    await once(third, 'exit');
  });

  test('the file for other terminals has the address and the key, and nothing else', () => {
    const { service, demo } = serving;
    const kept = readFileSync(join(folder.path, 'hourkeep.env'), 'utf8');
    assert.equal(kept, `export HOURKEEP_URL=${service.url} HOURKEEP_API_KEY=${demo.keys.sandbox}\n`);
  });
});

function blocksOf(heading: string): string[] {
  const section = GUIDE.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? '';
  return [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, code]) => code!);
}

function lines(stream: NodeJS.ReadableStream) {
  const all = createInterface({ input: stream })[Symbol.asyncIterator]();
  return {
    /** Everything up to the line that contains this. */
    until: async (words: string): Promise<string> => {
      let text = '';
      for (;;) {
        const { value, done } = await all.next();
        assert.ok(done !== true, `no "${words}" in:\n${text}`);
        text += `${value}\n`;
        if (value.includes(words)) return text;
      }
    },
  };
}
