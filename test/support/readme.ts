import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { newSecret, signedHeaders } from '../../src/webhooks/signature.ts';
import { freePort } from './cluster.ts';
import type { World } from './world.ts';

/** Runs a README's program, which books, lists and cancels, and ends as a receiver of webhooks. Answers with what it has printed. */
export async function runReadme(
  world: World,
  command: (port: number) => [program: string, args: string[], env: Record<string, string>],
): Promise<string> {
  const hostId = await world.addHost();
  await world.addSpace(hostId);
  const { key } = await world.addKey(hostId);
  const [port, secret] = [await freePort(), newSecret()];
  const [program, args, env] = command(port);
  const { PATH, HOME } = process.env;
  const settings = { HOURKEEP_API_KEY: key, HOURKEEP_URL: world.url, HOURKEEP_WEBHOOK_SECRET: secret };
  const child = spawn(program, args, { env: { PATH, HOME, ...settings, ...env } });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += String(chunk)));
  const closed = new Promise((resolve) => child.once('close', resolve));
  try {
    const body = JSON.stringify({
      id: 'e',
      type: 'booking.created',
      data: { booking: { guest_name: 'Grace' } },
    });
    const headers = { ...signedHeaders([secret], 'e', Date.now(), body) };
    const deliver = (payload: string) =>
      fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body: payload });
    let first: Response | undefined;
    while (first === undefined) {
      assert.equal(child.exitCode, null, said);
      first = await deliver(body).catch(() => undefined);
    }
    assert.equal(first.status, 204, said);
    assert.equal((await deliver(`${body} `)).status, 401);
  } finally {
    child.kill();
    await closed;
  }
  // Booked, listed, and told of by a webhook.
  assert.match(said, /^[0-9a-f-]{36} 50(\.0)? USD$/m);
  assert.match(said, /^2027-03-18 0 Ada Miller$/m);
  assert.match(said, /booked: Grace$/m);
  return said;
}
