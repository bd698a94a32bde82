import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

/** Mulberry32: the same numbers from the same seed on every machine. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** 0 ≤ number < 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  /** Both inclusive. */
  between(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  one<Value>(values: readonly Value[]): Value {
    return values[this.below(values.length)]!;
  }

  weighted<const Value>(...values: readonly (readonly [weight: number, value: Value])[]): Value {
    let left = this.next() * values.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, value] of values) if ((left -= weight) < 0) return value;
    return values[0]![1];
  }

  fill(bytes: Uint8Array): void {
    for (let i = 0; i < bytes.length; i++) bytes[i] = this.below(256);
  }
}

/** What the machine would give the service, and this run decides. */
export const machine = { now: 0, random: new Random(0), jitter: 0 };

/**
 * How long something takes decides nothing from now on, such as how many reads one snapshot serves: it would be another number on a
 * busy machine. Every look at this clock takes a microsecond. Only where nothing real is waited for: on SQLite.
 */
export function takeOverDurations(): void {
  let microseconds = 0;
  performance.now = () => ++microseconds / 1000;
}

/**
 * Time and chance of this process come from `machine` from now on. Whatever asks Node is reached in this way, also code that imported
 * its functions before. `Math.random` decides the jitter of retries and the order among equals: it is constant, so that neither
 * depends on which response came first.
 */
export function takeOverMachine(): void {
  Date.now = () => machine.now;
  Math.random = () => machine.jitter;
  const randomBytes = (size: number): Buffer => {
    const bytes = Buffer.alloc(size);
    machine.random.fill(bytes);
    return bytes;
  };
  const randomUUID = (): string => {
    const bytes = randomBytes(16);
    bytes[6] = (bytes[6]! & 0x0f) | 0x40;
    bytes[8] = (bytes[8]! & 0x3f) | 0x80;
    return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  };
  const randomFillSync = <Bytes extends Uint8Array>(bytes: Bytes): Bytes => {
    machine.random.fill(bytes);
    return bytes;
  };
  Object.assign(crypto, {
    randomBytes,
    randomUUID,
    randomFillSync,
    randomInt: (most: number) => machine.random.below(most),
  });
  syncBuiltinESMExports();
}
