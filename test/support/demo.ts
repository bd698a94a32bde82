import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DemoFile } from '../../src/demo/demo.ts';
import { addDays } from '../../src/time/dates.ts';
import { bookingBody, CREATE } from './booking.ts';
import { nextJune } from './clock.ts';

/** What a service with demo data has written into its data folder. */
export function readDemo(folder: string): DemoFile {
  return JSON.parse(readFileSync(join(folder, 'demo.json'), 'utf8')) as DemoFile;
}

/** A production space that is open at all hours. */
export function openSpaceOf({ spaces }: DemoFile): string {
  return spaces.find(
    ({ environment, is_active, operating_hours: { start_hour, end_hour } }) =>
      environment === 'production' && is_active && end_hour - start_hour === 24,
  )!.id;
}

interface Answered {
  what: string;
  status: number | string;
  retryAfter: string | null;
  text: string;
}

type Ask = (key: string, path: string, body?: object) => Promise<Answered>;

/** Not held to this version's document: the service may be of another one. */
export function askAt(base: string): Ask {
  return async (key, what, body) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    try {
      const response = await fetch(base + what, { headers, ...init });
      const { status } = response;
      return { what, status, retryAfter: response.headers.get('retry-after'), text: await response.text() };
    } catch (error) {
      return { what, status: String((error as Error).cause ?? error), retryAfter: null, text: '' };
    }
  };
}

let slots = 0;

/** Books an hour that nobody else has, and looks at it from all sides. */
export async function bookAndLook(ask: Ask, demo: DemoFile): Promise<Answered[]> {
  const space = openSpaceOf(demo);
  const slot = slots++;
  const date = addDays(nextJune(30), 1 + Math.floor(slot / 24));
  const hour = { start_hour: slot % 24, end_hour: (slot % 24) + 1 };
  return [
    await ask(demo.keys.production, CREATE, bookingBody(space, { date, ...hour })),
    ...(await Promise.all(
      [
        `/api-availability/api/v1/spaces/${space}/availability?date=${date}`,
        '/api-listings/api/v1/spaces',
        '/api-bookings/api/v1/bookings?limit=5',
      ].map((path) => ask(demo.keys.read_only, path)),
    )),
  ];
}

/** Does so again and again, six at a time and at each of these in turns. What is not answered with 200 has failed. */
export function keepAsking(demo: DemoFile, ...asks: Ask[]) {
  const failed: Answered[] = [];
  let answers = 0;
  const stopping = new AbortController();
  const loop = async (): Promise<void> => {
    for (let turn = 0; !stopping.signal.aborted; turn++) {
      const round = await bookAndLook(asks[turn % asks.length]!, demo);
      answers += round.length;
      failed.push(...round.filter(({ status }) => status !== 200));
    }
  };
  const loops = Promise.all(Array.from({ length: 6 }, loop));
  return {
    asks,
    answered: () => answers,
    stop: async () => {
      stopping.abort();
      await loops;
      return failed;
    },
  };
}
