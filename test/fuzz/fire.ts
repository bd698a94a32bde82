import { isUtf8 } from 'node:buffer';
import { maxHeaderSize } from 'node:http';
import fc from 'fast-check';
import { problemsOf, endpointOf, parsed, type Exchange } from '../contract/check.ts';
import type { Contract } from '../contract/document.ts';
import { openStage, type Stage } from '../contract/rows.ts';
import { inspect, violations } from '../proof/kept.ts';
import { contractOf } from '../support/contract.ts';
import type { Engine } from '../support/engines.ts';
import { startWorld, type World } from '../support/world.ts';
import { fireBytes, openClient, written, type Sent } from './client.ts';
import { rawRequest } from './raw.ts';
import { anyShot, type Things } from './shots.ts';

const SETTINGS = { GUEST_VELOCITY_MAX: '1000000', LOG_LEVEL: 'fatal' };
/** As many shots as go out together; a failure is narrowed down to one of them. */
const SALVO = 10;
/** Of one host, until the next one's things are there. */
const ROUND = 1000;
/** One in so many requests is bytes that a client library would refuse to send. */
const RAW_SHARE = 25;

/**
 * Sends generated requests until there have been enough, and answers how many had each status; `raw` are those of bytes over a socket.
 * Throws on the first answer that is a 5xx, lies outside the document, or accepts what the document forbids, with the request
 * narrowed down to what matters, and if the database is broken afterwards.
 */
export async function fuzz(engine: Engine, seed: number, requests: number): Promise<Record<string, number>> {
  const world = await startWorld(engine, SETTINGS);
  try {
    const answers = await fireAtWill(world, seed, requests);
    const broken = violations(await inspect({ DATABASE_URL: world.databaseUrl }));
    if (broken.length > 0) throw new Error(`broken in the database: ${broken.slice(0, 20).join('; ')}`);
    return answers;
  } finally {
    await world.close();
  }
}

async function fireAtWill(world: World, seed: number, requests: number): Promise<Record<string, number>> {
  const contract = await contractOf(world.url);
  const client = openClient(world.url);
  const answers: Record<string, number> = {};
  const shoot = async (sent: Sent): Promise<void> => {
    const exchange = await client.fire(sent);
    answers[exchange.status] = (answers[exchange.status] ?? 0) + 1;
    judge(contract, sent, exchange);
  };
  const sent = (): number => Object.values(answers).reduce((sum, count) => sum + count, 0);
  for (let round = 0; sent() < requests; round++) {
    const things = await gather(world);
    const salvos = fc.asyncProperty(
      fc.array(anyShot(contract, things), { minLength: 1, maxLength: SALVO, size: 'max' }),
      async (shots) => {
        await Promise.all(shots.map((shot) => shoot(written(shot))));
      },
    );
    const raw = fc.asyncProperty(rawRequest, async (text) => {
      const bytes = Buffer.from(text.replaceAll('{{key}}', things.key), 'latin1');
      judgeRaw(contract, await fireBytes(world.url, bytes));
      answers['raw'] = (answers['raw'] ?? 0) + 1;
    });
    const runs = Math.ceil(Math.min(ROUND, requests - sent()) / SALVO);
    const told = { seed: seed + round, includeErrorInReport: true };
    await fc.assert(salvos, { ...told, numRuns: runs });
    await fc.assert(raw, { ...told, numRuns: Math.ceil((runs * SALVO) / RAW_SHARE) });
  }
  await client.close();
  return answers;
}

/** Two hosts, so that there is something to be kept from. */
async function gather(world: World): Promise<Things> {
  const hostId = await world.addHost();
  const stages = [await openStage(world, hostId), await openStage(world, hostId)];
  const [stage] = stages as [Stage];
  const sandbox = await openStage(world, hostId, 'sandbox');
  const foreign = await openStage(world, await world.addHost());
  const eight = (make: () => Promise<string>) => Promise.all(Array.from({ length: 8 }, make));
  return {
    key: (await stage.newKey()).key,
    sandboxKey: (await sandbox.newKey()).key,
    spaces: stages.map(({ spaceId }) => spaceId),
    tokens: stages.map(({ icalToken }) => icalToken),
    bookings: await eight(stage.book),
    webhooks: await eight(stage.subscribe),
    foreign: [foreign.spaceId, sandbox.spaceId, await foreign.book(), await foreign.subscribe()],
  };
}

function judge(contract: Contract, sent: Sent, exchange: Exchange): void {
  const problems =
    exchange.status === 431 ? oversizeProblems(contract, sent, exchange) : problemsOf(contract, exchange);
  if (exchange.status >= 500) problems.push(`it failed with ${exchange.status}`);
  if (exchange.status < 300) problems.push(...unlawful(contract, sent));
  if (problems.length > 0) {
    const asked = `${sent.method} ${sent.path.slice(0, 200)} ${sent.body?.toString().slice(0, 500) ?? ''}`;
    const answered = `${exchange.status} ${exchange.text.slice(0, 300)}`;
    throw new Error(`${problems.join('; ')}: ${asked} was answered ${answered}`);
  }
}

/** A head that Node's parser does not take never reaches an operation, so none of them documents the refusal. */
function oversizeProblems(contract: Contract, { method, path, headers }: Sent, { text }: Exchange): string[] {
  const length = path.length + headers.join('').length;
  // The client adds Host and Connection.
  if (length < maxHeaderSize - 100) return [`431 for a head of ${length} bytes`];
  return method === 'HEAD' ? [] : contract.errors(['components', 'schemas', 'Error'], parsed(text));
}

/** What the document forbids about a request that was accepted. */
function unlawful(contract: Contract, sent: Sent): string[] {
  const endpoint = endpointOf(contract, sent);
  if (typeof endpoint === 'string') return ['there is no such operation'];
  const { template, method, operation } = endpoint;
  const steps = ['paths', template, method.toLowerCase()];
  const found: string[] = [];
  if (operation.requestBody !== undefined) {
    if (sent.body !== null && !isUtf8(sent.body)) found.push('accepted, though the body is not UTF-8');
    const value = sent.body === null ? undefined : parsed(sent.body.toString().replace(/^\ufeff/, ''));
    const errors = contract.errors([...steps, 'requestBody', 'content', 'application/json', 'schema'], value);
    found.push(...errors.map((text) => `accepted, though the body: ${text}`));
  }
  const query = new URLSearchParams(sent.path.split('?')[1] ?? '');
  const known = (operation.parameters ?? []).map(({ name }) => name);
  if (operation.security.length > 0)
    for (const name of query.keys())
      if (!known.includes(name)) found.push(`accepted, though ${name} is unknown`);
  for (const [i, parameter] of (operation.parameters ?? []).entries()) {
    if (parameter.in !== 'query') continue;
    const values = query.getAll(parameter.name);
    if (values.length === 0 && !parameter.required) continue;
    const value = parameter.schema['type'] === 'integer' ? Number(values[0]) : values[0];
    const errors = contract.errors([...steps, 'parameters', String(i), 'schema'], value);
    found.push(...errors.map((text) => `accepted, though ${parameter.name}: ${text}`));
    if (values.length > 1) found.push(`accepted, though ${parameter.name} is there ${values.length} times`);
  }
  return found;
}

/** Bytes that are no request may be met with silence; what does come back is an answer like any other. */
function judgeRaw(contract: Contract, received: string): void {
  const text = received.replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, '');
  if (text === '') return;
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1]);
  const problems: string[] = [];
  if (!(status >= 200 && status < 500)) problems.push(`it answered ${head.split('\r\n')[0]}`);
  if (!/^x-request-id: [A-Za-z0-9_-]{1,128}$/im.test(head)) problems.push('there is no X-Request-Id');
  const body = rest.join('\r\n\r\n');
  if (status >= 400 && body !== '') {
    const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1]);
    const json = parsed(Buffer.from(body.slice(0, length), 'latin1').toString());
    problems.push(...contract.errors(['components', 'schemas', 'Error'], json));
  }
  if (problems.length > 0) throw new Error(`${text.slice(0, 500)}: ${problems.join('; ')}`);
}
