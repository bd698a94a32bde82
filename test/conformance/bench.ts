import assert from 'node:assert/strict';
import { SCOPES, type Scope } from '../../src/ids/scopes.ts';
import type { World } from '../support/world.ts';
import type { Call, ClientProcess, Options, Refusal, Result } from './client-process.ts';
import { startProxy, type Proxy } from './proxy.ts';

type Run = (bench: Bench) => Promise<void>;

/** By title: a sentence about one outcome, told by what is asked of a client and what the proxy and the service have seen. */
export type Cases = Record<string, Run>;

/** A case for each row. */
export const each = <Row>(rows: readonly Row[], toCase: (row: Row) => [title: string, run: Run]): Cases =>
  Object.fromEntries(rows.map(toCase));

/** One client with a host of its own, and the proxy in front of the service. */
export interface Bench {
  world: World;
  proxy: Proxy;
  /** Another one that speaks TLS. */
  startSecure(certificate: { cert: string; key: string }): Promise<Proxy>;
  spaceId: string;
  /** A client that has sent nothing yet. */
  connect(options?: Partial<Options>): Connected;
  keyWith(scopes?: readonly Scope[]): Promise<string>;
  /** Hours that nobody else books, for a guest who has booked nothing else. */
  booking(hours?: { start_hour: number; end_hour: number }): NewBooking;
  bookingsOn(date: string): Promise<number>;
  webhookCount(): Promise<number>;
  /** A number that nothing else on this bench has. */
  unique(): number;
  close(): Promise<unknown>;
}

export async function openBench(driver: ClientProcess, world: World): Promise<Bench> {
  const hostId = await world.addHost();
  const spaceId = await world.addSpace(hostId, { title: 'Studio' });
  const { key: apiKey } = await world.addKey(hostId);
  const proxy = await startProxy(world.url);
  const proxies = [proxy];
  let serial = 0;
  return {
    world,
    proxy,
    startSecure: async (certificate) => {
      const secure = await startProxy(world.url, certificate);
      proxies.push(secure);
      return secure;
    },
    close: () => Promise.all(proxies.map((each) => each.close())),
    spaceId,
    unique: () => ++serial,
    connect: (options = {}) =>
      new Connected(driver, { apiKey, baseUrl: proxy.url, serial: ++serial, ...options }),
    keyWith: async (scopes = SCOPES) => (await world.addKey(hostId, { scopes })).key,
    booking: (hours = { start_hour: 10, end_hour: 12 }) => {
      serial += 1;
      const date = new Date(Date.UTC(2027, 3, 1 + serial)).toISOString().slice(0, 10);
      const guest_email = `guest-${serial}@example.com`;
      return { space_id: spaceId, date, ...hours, guest_email, guest_name: 'Ada Miller' };
    },
    bookingsOn: async (date) => {
      const values = [spaceId, date];
      return (await world.rows('select id from bookings where space_id = $1 and date = $2', values)).length;
    },
    webhookCount: async () =>
      (await world.rows('select id from webhooks where host_id = $1', [hostId])).length,
  };
}

interface NewBooking {
  space_id: string;
  date: string;
  start_hour: number;
  end_hour: number;
  guest_email: string;
  guest_name: string;
}

class Connected {
  readonly #driver: ClientProcess;
  readonly #options: Options;

  constructor(driver: ClientProcess, options: Options) {
    this.#driver = driver;
    this.#options = options;
  }

  /** What the call answers with. */
  async call<T = Record<string, unknown>>(...call: Call): Promise<T> {
    const [value] = await this.callAll(call);
    return value as T;
  }

  /** What the calls answer with, made together where the language can do that. */
  async callAll(...calls: Call[]): Promise<unknown[]> {
    const results = await this.#ask(...calls);
    assert.ok(
      results.every((result) => 'value' in result),
      JSON.stringify(results),
    );
    return results.map(({ value }) => value);
  }

  /** What the call is refused with. */
  async fails(...call: Call): Promise<Refusal> {
    const [result] = await this.#ask(call);
    assert.ok(result?.error !== undefined, JSON.stringify(result));
    return result.error;
  }

  /** What the call is refused with, which has this code and this status. */
  async failsWith(code: string, status: number, ...call: Call): Promise<Refusal> {
    const error = await this.fails(...call);
    assert.deepEqual([error.code, error.status], [code, status]);
    return error;
  }

  /** Refused as a mistake of the program, before anything is sent. */
  async isMistaken(...call: Call): Promise<void> {
    const [result] = await this.#ask(call);
    assert.ok(result?.mistake !== undefined, JSON.stringify(result));
  }

  #ask(...calls: Call[]): Promise<Result[]> {
    return this.#driver.ask({ options: this.#options, calls });
  }
}
