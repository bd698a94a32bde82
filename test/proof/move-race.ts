import * as bookings from '../../src/bookings/bookings.ts';
import type { Context } from '../../src/context.ts';
import * as hosts from '../../src/hosts/hosts.ts';
import * as spaces from '../../src/spaces/spaces.ts';
import { addDays } from '../../src/time/dates.ts';
import { CREATE } from '../support/booking.ts';
import { NEXT_YEAR, nextJune } from '../support/clock.ts';
import { openContext } from '../support/context.ts';
import { A_SPACE } from '../support/host-and-space.ts';
import { send, type Answer } from '../support/world.ts';
import { violations } from './invariants.ts';
import { tally, type Race } from './race.ts';
import type { Deployment } from './services.ts';

interface Range {
  space_id: string;
  date: string;
  start_hour: number;
  end_hour: number;
}

/** Everything that may be said to somebody who moves, books or cancels. */
const EXPECTED = /^(200|409 BOOKING_CONFLICT|422 BOOKING_CANCELLATION_BLOCKED)$/;

/** In the sandbox, where a guest's address makes the clock complete a booking that could still be moved. */
export class MoveRace {
  readonly #deployment: Deployment;
  readonly #ctx: Context;
  readonly #made = new Set<string>();
  #spaces: readonly [string, string] = ['', ''];
  #next = 0;

  private constructor(deployment: Deployment) {
    this.#deployment = deployment;
    this.#ctx = openContext(deployment.settings, 20_000);
  }

  static async on(deployment: Deployment): Promise<MoveRace> {
    const race = new MoveRace(deployment);
    const { db, clock } = race.#ctx;
    const place = { host: await hosts.get(db, deployment.demo.host.id), environment: 'sandbox' } as const;
    const add = async (): Promise<string> =>
      (await db.transaction((tx) => spaces.add(tx, clock.now(), place, A_SPACE))).id;
    race.#spaces = [await add(), await add()];
    return race;
  }

  close(): Promise<void> {
    return this.#ctx.db.close();
  }

  /** Several at once want to change one booking, or want each other's hours. Each round has days of its own. */
  async forOneBooking(rounds: number): Promise<Race> {
    const answers: Answer[] = [];
    const wrong: string[] = [];
    for (let round = 0; round < rounds; round++) {
      const date = addDays(`${NEXT_YEAR + 1}-01-01`, 2 * round);
      for (const play of [this.#sameKey, this.#differentKeys, this.#ontoEachOther, this.#anyChange]) {
        const played = await play.call(this, date);
        answers.push(...played.answers);
        wrong.push(...played.wrong.map((text) => `round ${round}: ${text}`));
      }
    }
    return this.#judge(answers, wrong);
  }

  async #sameKey(date: string): Promise<Played> {
    const old = await this.#book(this.#range(date, 8, 10));
    const to = this.#range(date, 9, 11);
    const twin = this.#twin();
    const answers = await times(6, (i) => this.#move(old, to, i, twin));
    const ids = new Set(answers.map(({ body }) => body.data?.booking.id));
    const first = answers.filter(({ headers }) => headers.get('idempotent-replayed') === null);
    const isRight = answers.every(({ status }) => status === 200) && ids.size === 1 && first.length === 1;
    return { answers, wrong: isRight ? [] : [`the same key: ${JSON.stringify(tally(answers))}`] };
  }

  async #differentKeys(date: string): Promise<Played> {
    const old = await this.#book(this.#range(date, 12, 14));
    const targets = [
      this.#range(date, 13, 15),
      this.#range(date, 12, 14, 1),
      this.#range(addDays(date, 1), 12, 14),
    ];
    const answers = await times(6, (i) =>
      this.#move(old, targets[i % targets.length]!, i, { idempotency_key: `rival-${this.#next++}` }),
    );
    const told = tally(answers);
    const isRight = told['200'] === 1 && told['422 BOOKING_CANCELLATION_BLOCKED'] === 5;
    return { answers, wrong: isRight ? [] : [`different keys: ${JSON.stringify(told)}`] };
  }

  /** Two onto each other's hours, and a ring of three of which the last moves out of the way. */
  async #ontoEachOther(date: string): Promise<Played> {
    const [a, b, c] = [0, 1, 2].map((i) => this.#range(date, 14 + 2 * i, 16 + 2 * i, 1));
    const ids = await Promise.all([a!, b!, c!].map((range) => this.#book(range)));
    const swapped = await Promise.all([this.#move(ids[0]!, b!, 0), this.#move(ids[1]!, a!, 1)]);
    const ring = await Promise.all([
      this.#move(ids[0]!, b!, 0),
      this.#move(ids[1]!, c!, 1),
      this.#move(ids[2]!, this.#range(addDays(date, 1), 14, 16, 1), 2),
    ]);
    const isRight = swapped.every(({ status }) => status === 409) && ring[2].status === 200;
    const answers = [...swapped, ...ring];
    return {
      answers,
      wrong: isRight ? [] : [`onto each other's hours: ${JSON.stringify(tally(answers))}`],
    };
  }

  /** Moves, cancellations and the clock: one of them wins. */
  async #anyChange(date: string): Promise<Played> {
    const old = await this.#book(this.#range(date, 16, 18), { guest_email: this.#completed() });
    const completed = bookings.serveSandboxGuests(this.#ctx);
    const answers = await Promise.all([
      this.#move(old, this.#range(date, 17, 19), 0),
      this.#cancel(old, 1),
      this.#move(old, this.#range(addDays(date, 1), 16, 18), 2),
      this.#cancel(old, 0),
    ]);
    await completed;
    const path = `/api-booking-detail/api/v1/bookings/${old}`;
    const { status } = (await this.#send('GET', path, 1)).body.data.booking;
    const winners = answers.filter((answer) => answer.status === 200).length;
    const isRight = status === 'completed' ? winners === 0 : status === 'cancelled' && winners === 1;
    return { answers, wrong: isRight ? [] : [`any change: it is ${status}, and ${winners} were told 200`] };
  }

  /** A booking is moved to and fro over an hour that it always keeps, and everybody else wants this hour all the time. */
  async forKeptHour(moves: number): Promise<Race> {
    const date = nextJune(20);
    const kept = 11;
    const ranges: [number, number][] = [
      [10, 13],
      [11, 14],
      [11, 12],
      [9, 12],
      [11, 12],
      [8, 14],
    ];
    const rangeOf = (n: number): Range => this.#range(date, ...ranges[n % ranges.length]!);
    let id = await this.#book(rangeOf(0));
    const wrong: string[] = [];
    const answers: Answer[] = [];
    const arrived = new AbortController();
    const rival = async (_: unknown, i: number): Promise<void> => {
      while (!arrived.signal.aborted) {
        const answer = await this.#create(this.#range(date, kept, kept + 1), i);
        answers.push(answer);
        if (answer.status !== 409) wrong.push(`hour ${kept} was free for a rival: ${answer.status}`);
        const path = `/api-availability/api/v1/spaces/${this.#spaces[0]}/availability?date=${date}`;
        const { slots } = (await this.#send('GET', path, i)).body.data;
        if (slots[kept]!.available) wrong.push(`hour ${kept} was shown as free`);
      }
    };
    const rivals = Array.from({ length: 12 }, rival);
    for (let n = 1; n <= moves; n++) {
      const answer = await this.#move(id, rangeOf(n), n);
      if (answer.status === 200) id = answer.body.data.booking.id;
      else wrong.push(`move ${n} was refused: ${answer.text}`);
    }
    arrived.abort();
    await Promise.all(rivals);
    return this.#judge(answers, wrong);
  }

  /** Random creates, cancellations, moves and completions over few hours of few days. Some are of bookings that are gone. */
  async atRandom(requests: number, random: () => number): Promise<Race> {
    const known: { id: string; range: Range }[] = [];
    const answers: Answer[] = [];
    const wrong: string[] = [];
    const pick = (count: number): number => Math.floor(random() * count);
    const anyRange = (): Range => {
      const start = 8 + pick(10);
      return this.#range(nextJune(1 + pick(2)), start, start + 1 + pick(3), pick(2));
    };
    const nearTo = ({ space_id, date, start_hour }: Range): Range => {
      const start = Math.min(20, Math.max(8, start_hour - 2 + pick(5)));
      return { space_id, date, start_hour: start, end_hour: start + 1 + pick(3) };
    };
    const note = (answer: Answer, range: Range): void => {
      answers.push(answer);
      if (answer.status === 200) known.push({ id: answer.body.data.booking.id, range });
    };
    const step = async (n: number): Promise<void> => {
      const kind = random();
      const old =
        known.length === 0 || kind < 0.25 ? undefined : known[Math.max(0, known.length - 1 - pick(24))];
      if (old === undefined) {
        const range = anyRange();
        note(await this.#create(range, n, random() < 0.3 ? { guest_email: this.#completed() } : {}), range);
      } else if (kind < 0.35) {
        answers.push(await this.#cancel(old.id, n));
      } else if (kind < 0.38) {
        await bookings.serveSandboxGuests(this.#ctx);
        return;
      } else if (kind < 0.5) {
        const range = nearTo(old.range);
        const twin = this.#twin();
        const twins = await times(2, (i) => this.#move(old.id, range, n + i, twin));
        const ids = twins.flatMap(({ status, body }) => (status === 200 ? [body.data.booking.id] : []));
        if (new Set(ids).size > 1) wrong.push(`one key made ${ids.join(' and ')}`);
        for (const answer of twins) note(answer, range);
      } else {
        const range = random() < 0.6 ? nearTo(old.range) : anyRange();
        note(await this.#move(old.id, range, n), range);
      }
      const isGone = answers.at(-1)!.status !== 409 && random() < 0.8;
      if (old !== undefined && isGone && known.includes(old)) known.splice(known.indexOf(old), 1);
    };
    let next = 0;
    const runner = async (): Promise<void> => {
      while (next < requests) await step(next++);
    };
    await Promise.all(Array.from({ length: 48 }, runner));
    return this.#judge(answers, wrong);
  }

  async #judge(answers: readonly Answer[], wrong: readonly string[]): Promise<Race> {
    const told = tally(answers);
    const unexpected = Object.keys(told).filter((name) => !EXPECTED.test(name));
    return {
      answers: told,
      violations: [
        ...wrong,
        ...unexpected.map((name) => `${told[name]} were answered ${name}`),
        ...(await violations(this.#deployment.settings, this.#made)),
      ],
    };
  }

  #range(date: string, start_hour: number, end_hour: number, space = 0): Range {
    return { space_id: this.#spaces[space]!, date, start_hour, end_hour };
  }

  /** A guest whose bookings the clock completes. */
  #completed(): string {
    return `complete+${this.#next++}@sandbox.test`;
  }

  /** For requests that are the same, their key too. */
  #twin(): { guest_email: string; idempotency_key: string } {
    const name = `twin-${this.#next++}`;
    return { guest_email: `${name}@example.com`, idempotency_key: name };
  }

  async #book(range: Range, fields: object = {}): Promise<string> {
    const answer = await this.#create(range, this.#next, fields);
    if (answer.status !== 200) throw new Error(`not booked: ${answer.text}`);
    return answer.body.data.booking.id;
  }

  async #move(replaces: string, range: Range, process: number, fields: object = {}): Promise<Answer> {
    return this.#create(range, process, { ...fields, replaces });
  }

  async #create(range: Range, process: number, fields: object = {}): Promise<Answer> {
    const guest = { guest_name: 'Mover', guest_email: `mover-${this.#next++}@example.com` };
    const answer = await this.#send('POST', CREATE, process, { ...guest, ...range, ...fields });
    if (answer.status === 200) this.#made.add(answer.body.data.booking.id);
    return answer;
  }

  #cancel(id: string, process: number): Promise<Answer> {
    const path = `/api-cancel-booking/api/v1/bookings/${id}/cancel`;
    return this.#send('POST', path, process, { reason: 'race' });
  }

  #send(method: string, path: string, process: number, body?: object): Promise<Answer> {
    const { demo, url } = this.#deployment;
    const call = { key: demo.keys.sandbox };
    return send(url(process), method, path, body === undefined ? call : { ...call, body });
  }
}

interface Played {
  answers: Answer[];
  wrong: string[];
}

function times<T>(count: number, work: (i: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, i) => work(i)));
}
