import type { Fault } from '../faults.ts';
import { PHASES, type Operation } from '../operation.ts';
import { HOUR, MINUTE, SECOND, type Drawing } from './drawing.ts';
import { lookAtAll } from './look.ts';

export function drawFault(g: Drawing, operation: Operation): Fault | undefined {
  const random = g.random;
  if (g.fullFor > 0) {
    g.fullFor--;
    return operation.kind === 'clock' || takesLong(operation) ? undefined : { kind: 'disk full' };
  }
  if (!random.chance(operation.kind === 'clock' ? 1 / 15 : 1 / 80)) return undefined;
  const isOnFile = g.engine === 'sqlite';
  const fault = random.weighted<() => Fault | undefined>(
    [6, () => (isOnFile ? crash(g, operation) : trouble(g, operation))],
    [1, () => ({ kind: 'restart' })],
    [isOnFile ? 1 : 0, () => void (g.fullFor = random.between(5, 25))],
    [1, () => void (g.now += random.between(1, 90) * MINUTE)],
    [isOnFile ? 2 : 0, () => void (g.now -= random.one([SECOND, MINUTE, HOUR]) * random.between(1, 90))],
  )();
  if (fault === undefined) return undefined;
  // What a caller does who got no response.
  if (operation.kind === 'request' && random.chance(0.5)) g.queue.push(() => ({ ...operation }));
  if (random.chance(0.3)) lookAtAll(g);
  return fault;
}

function trouble(g: Drawing, operation: Operation): Fault {
  const random = g.random;
  if (takesLong(operation)) return { kind: 'restart' };
  return {
    kind: random.weighted([4, 'kill'], [2, 'cut'], [1, 'outage'], [2, 'clock']),
    afterMs: random.below(12),
    seconds: random.one([-3600, -20, 0, 20, 3600]),
    // A poll of a calendar has a lease that outlasts it.
    phase: random.one(PHASES.filter((phase) => phase !== 'import-calendars')),
  };
}

function crash(g: Drawing, operation: Operation): Fault {
  const random = g.random;
  if (takesLong(operation)) return { kind: 'restart' };
  return {
    kind: 'crash',
    commit: random.between(1, operation.kind === 'clock' ? 12 : 2),
    when: random.one(['before', 'during', 'after']),
    share: random.next(),
    isAnswered: random.chance(0.5),
  };
}

/** In several transactions, of which some may be done; whoever is interrupted gives the command again. */
function takesLong(operation: Operation): boolean {
  return operation.kind === 'command' && /^(calendar sync|guest erase)/.test(operation.argv.join(' '));
}
