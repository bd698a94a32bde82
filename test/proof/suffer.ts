import { setTimeout as delay } from 'node:timers/promises';
import { Random } from '../simulate/random.ts';
import type { Fault, Kill } from './faults.ts';
import { inspect, type Kept } from './kept.ts';
import type { Deployment } from './services.ts';
import { subscribe, Subscriber } from './subscriber.ts';
import { say, type Line } from './table.ts';
import { GUESTS, Traffic, type Sample } from './traffic.ts';

/** What one fault was to those who called meanwhile. */
interface Outage {
  requests: number;
  unavailable: number;
  /** From the first 503 to the last one. */
  secondsOf503: number;
  /** The slowest answer while the fault lasted, in milliseconds. */
  slowest: number;
  /** How long after the cause had gone the last process was back for good, in milliseconds. */
  backAfter: number;
  violations: string[];
}

const ANSWER_WITHIN_MS = 2000;
const BACK_WITHIN_MS = 5000;
const CALM_MS = 1000;
/** Longer than any lease that a worker left behind which was killed, or lost its database in the middle of a delivery. */
const ARRIVE_WITHIN_MS = 60_000;

export const HEADER = [
  'engine',
  'fault',
  'requests',
  '503',
  'for',
  'slowest',
  'back after',
  'lost',
  'double holders',
  'events missing',
  'else',
];

/** One fault after another under running traffic, and what became of what had been acknowledged. */
export async function sufferAll(
  engine: string,
  deployment: Deployment,
  faults: readonly Fault[],
  { seconds, seed }: { seconds: number; seed: number },
): Promise<Line[]> {
  const subscriber = await Subscriber.open();
  await subscribe(deployment.url(0), deployment.demo.keys.production, subscriber.url);
  const traffic = new Traffic(deployment, new Random(seed));
  const known = new Set<string>();
  const suffered: { fault: Fault; outage: Outage; kept: Kept; events: string[] }[] = [];
  for (const fault of faults) {
    say(`[${engine}] ${fault.name}`);
    const outage = await suffer(traffic, fault, deployment.processes.length, seconds);
    outage.violations.push(...((await fault.after?.(traffic)) ?? []));
    const kept = await inspect(deployment.settings, traffic.acknowledged, GUESTS);
    const events = kept.events.filter((id) => !known.has(id));
    for (const id of events) known.add(id);
    suffered.push({ fault, outage, kept, events });
  }
  await subscriber.waitFor([...known], ARRIVE_WITHIN_MS);
  suffered
    .at(-1)
    ?.kept.other.push(...subscriber.invented([...known]).map((id) => `event ${id} arrived and is not there`));
  await subscriber.close();
  return suffered.map(({ fault, outage, kept, events }) => {
    const silent = subscriber.missing(events).map((id) => `event ${id} never arrived`);
    const { lost, doubleHolders } = kept;
    const found = [
      lost,
      doubleHolders,
      [...kept.untold, ...silent],
      [...outage.violations, ...kept.other],
    ] as const;
    return {
      title: `[${engine}] ${fault.name}`,
      cells: [
        engine,
        fault.name,
        String(outage.requests),
        String(outage.unavailable),
        `${outage.secondsOf503.toFixed(1)} s`,
        `${Math.round(outage.slowest)} ms`,
        `${Math.round(outage.backAfter)} ms`,
        ...found.map((list) => String(list.length)),
      ],
      violations: found.flat(),
    };
  });
}

/** Lets a fault come over running traffic, waits until it has passed, and judges every answer meanwhile. */
async function suffer(traffic: Traffic, fault: Fault, processes: number, seconds: number): Promise<Outage> {
  const first = traffic.samples.length;
  traffic.start();
  await delay(CALM_MS);
  const begins = performance.now();
  await fault.begin();
  const begun = performance.now();
  await delay(seconds * 1000);
  const ends = performance.now();
  await fault.end();
  const ended = performance.now();
  const isBack = (): boolean =>
    everyProcess(processes).every((process) => firstWrite(traffic.samples, process, ended) !== undefined);
  while (performance.now() < ended + BACK_WITHIN_MS && !isBack()) await delay(20);
  await delay(CALM_MS);
  await traffic.stop();

  const samples = traffic.samples.slice(first);
  const during = samples.filter(({ sentAt, answeredAt }) => answeredAt >= begins && sentAt <= ended);
  /** What comes later has the time in which the database was back to its credit. */
  const waited = ({ sentAt, answeredAt }: Sample): number =>
    Math.min(answeredAt, ended) - Math.max(sentAt, begins);
  const inside = samples.filter(({ sentAt, answeredAt }) => sentAt >= begun && answeredAt <= ends);
  const backAfter = timeToReturn(samples, fault, processes, ended);
  const unavailable = during.filter(({ outcome }) => outcome === 'unavailable');
  const unfelt = !['no 503', 'perhaps 503'].includes(fault.meanwhile) && unavailable.length === 0;
  return {
    requests: during.length,
    unavailable: unavailable.length,
    secondsOf503: duration(unavailable) / 1000,
    slowest: Math.max(...during.map(waited)),
    backAfter,
    violations: [
      ...(unfelt ? ['nobody felt it: the fault was none'] : []),
      ...samples.filter(({ outcome }) => outcome === 'wrong').map(({ text }) => `wrong answer: ${text}`),
      ...samples
        .filter((sample) => sample.outcome === 'broken' && !isExcused(sample, fault.kills))
        .map((sample) => `process ${sample.process} broke a connection: ${sample.text}`),
      ...during
        .filter(({ outcome }) => fault.meanwhile === 'all 503' || outcome === 'unavailable')
        .filter((sample) => waited(sample) > ANSWER_WITHIN_MS)
        .map((sample) => `an answer (${sample.outcome}) took ${Math.round(waited(sample))} ms`),
      ...inside
        .filter((sample) => !isExpected(sample, fault))
        .map((sample) => `${sample.writes ? 'a write' : 'a read'} was ${sample.outcome} meanwhile`),
      ...(backAfter > BACK_WITHIN_MS ? [`service was back after ${backAfter} ms`] : []),
    ],
  };
}

function duration(samples: readonly Sample[]): number {
  const first = Math.min(...samples.map(({ sentAt }) => sentAt));
  return samples.length === 0 ? 0 : Math.max(...samples.map(({ answeredAt }) => answeredAt)) - first;
}

/** What is broken or wrong is judged by itself. */
function isExpected({ outcome }: Sample, { meanwhile }: Fault): boolean {
  if (outcome === 'broken' || outcome === 'wrong') return true;
  if (meanwhile === 'all 503') return outcome === 'unavailable';
  return meanwhile !== 'no 503' || outcome !== 'unavailable';
}

/** A process that was killed can answer nothing until it is there again. */
function isExcused({ process, sentAt, answeredAt }: Sample, kills: readonly Kill[] = []): boolean {
  return kills.some((kill) => kill.process === process && answeredAt >= kill.at && sentAt <= kill.readyAt);
}

/**
 * Until the first write of every process, and until the last answer that was not what it should be. After a
 * kill it counts from the moment when the new process stands: how fast one starts is the machine's affair.
 */
function timeToReturn(
  samples: readonly Sample[],
  { kills }: Fault,
  processes: number,
  ended: number,
): number {
  const failures = samples.filter(
    ({ outcome, answeredAt }) => outcome !== 'done' && outcome !== 'refused' && answeredAt > ended,
  );
  const causes =
    kills?.flatMap(({ process, readyAt }) => (process === undefined ? [] : [{ process, at: readyAt }])) ??
    everyProcess(processes).map((process) => ({ process, at: ended }));
  const returns = causes.map(({ process, at }) => (firstWrite(samples, process, at) ?? Infinity) - at);
  return Math.max(0, ...returns, ...failures.map(({ answeredAt }) => answeredAt - ended));
}

function firstWrite(samples: readonly Sample[], process: number, after: number): number | undefined {
  return samples.find(
    (sample) =>
      sample.process === process && sample.writes && sample.outcome === 'done' && sample.sentAt >= after,
  )?.answeredAt;
}

function everyProcess(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i);
}
