import type { Hourkeep } from '../../client/src/hourkeep.ts';

type Slot = Awaited<ReturnType<Hourkeep['availability']['get']>>['slots'][number];

interface Run {
  start_hour: number;
  end_hour: number;
}

const KINDS = ['free', 'booked', 'blocked', 'external'] as const;
type Kind = (typeof KINDS)[number];
type Day = { date: string } & Record<Kind, Run[]>;

export interface AvailableDays {
  space_id: string;
  timezone: string;
  days: Day[];
}

/** Days as runs of hours: 24 slots a day would fill a model's context. Hours that are closed or have begun are in no run. */
export function toRuns(
  days: readonly { date: string; slots: readonly Slot[] }[],
  now: Temporal.ZonedDateTime,
): Day[] {
  const today = now.toPlainDate().toString();
  return days.map(({ date, slots }) => {
    const day: Day = { date, free: [], booked: [], blocked: [], external: [] };
    for (const slot of slots) {
      const kind = kindOf(slot);
      if (kind === undefined || date < today || (date === today && slot.hour <= now.hour)) continue;
      const last = day[kind].at(-1);
      if (last?.end_hour === slot.hour) last.end_hour++;
      else day[kind].push({ start_hour: slot.hour, end_hour: slot.hour + 1 });
    }
    return day;
  });
}

function kindOf({ available, block_reason }: Slot): Kind | undefined {
  if (available) return 'free';
  return block_reason === null ? undefined : HOLDERS[block_reason];
}

const HOLDERS = { booked: 'booked', host_block: 'blocked', external_block: 'external' } as const;

/** `2027-03-18: free 9-12, 14-22; booked 12-14`, a line a day. */
export function toLines({ days }: AvailableDays): string {
  return days
    .map((day) => {
      const said = KINDS.filter((kind) => day[kind].length > 0).map(
        (kind) =>
          `${kind} ${day[kind].map(({ start_hour, end_hour }) => `${start_hour}-${end_hour}`).join(', ')}`,
      );
      return `${day.date}: ${said.join('; ') || 'closed or past'}`;
    })
    .join('\n');
}

const RUNS = {
  type: 'array',
  items: { type: 'object', properties: { start_hour: { type: 'integer' }, end_hour: { type: 'integer' } } },
};

export const OUTPUT = {
  type: 'object',
  properties: {
    space_id: { type: 'string' },
    timezone: { type: 'string' },
    days: {
      type: 'array',
      items: {
        type: 'object',
        properties: { date: { type: 'string' }, ...Object.fromEntries(KINDS.map((kind) => [kind, RUNS])) },
      },
    },
  },
};
