import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { refused } from '../../test/support/answer.ts';
import { openDesk, type Desk } from '../../test/support/booking.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { operator } from '../../test/support/operator.ts';
import { useWorld } from '../../test/support/world.ts';
import { apply } from '../apply/apply.ts';
import { exportFile } from '../apply/export.ts';
import type { ApiError } from '../errors.ts';
import { NO_RULES } from '../hours/schedule.ts';
import { WEEKDAYS, type WeeklyHours } from '../time/weekdays.ts';
import { SPACE } from './fields.ts';
import { update } from './update.ts';

const hours = (start_hour: number, end_hour: number) => ({ start_hour, end_hour });
const week = (days: Partial<WeeklyHours>): WeeklyHours => ({
  ...(Object.fromEntries(WEEKDAYS.map((day) => [day, null])) as WeeklyHours),
  ...days,
});
const WEEK = week({ monday: hours(9, 18), friday: hours(9, 22), saturday: hours(11, 20) });

const BOUNDS = {
  min_hours: [1, 24],
  max_hours: [1, 24],
  lead_hours: [0, 8760],
  horizon_days: [0, 3650],
} as const;

/** A value that the API, the command line and apply reject with the same words. */
const BAD: [what: string, given: Record<string, unknown>, field: string, message: string][] = [
  ['a week without an open day', { weekly_hours: week({}) }, 'weekly_hours', 'must have a day that is open'],
  [
    'a day that ends when it begins',
    { weekly_hours: week({ tuesday: hours(9, 9) }) },
    'weekly_hours',
    'tuesday must end after it begins',
  ],
  [
    'a day from 0 to 25',
    { weekly_hours: week({ tuesday: hours(0, 25) }) },
    'weekly_hours.tuesday.end_hour',
    'must be 24 or less',
  ],
  [
    'a week of six days',
    { weekly_hours: Object.fromEntries(Object.entries(WEEK).slice(1)) },
    'weekly_hours.monday',
    'is required',
  ],
  [
    'an eighth day',
    { weekly_hours: { ...WEEK, holiday: null } },
    'weekly_hours.holiday',
    'is not a known field',
  ],
  [
    'other operating hours beside it',
    { weekly_hours: WEEK, operating_hours: hours(9, 20) },
    'operating_hours',
    'must be 9 to 22, the range of weekly_hours, while that is not null',
  ],
  ['no rule at all', { booking_rules: {} }, 'booking_rules', 'must have at least one field'],
  ['an unknown rule', { booking_rules: { notice: 2 } }, 'booking_rules.notice', 'is not a known field'],
  ...Object.entries(BOUNDS).flatMap(([rule, [least, most]]): typeof BAD => {
    const field = `booking_rules.${rule}`;
    const given = (value: number) => ({ booking_rules: { [rule]: value } });
    return [
      [`${rule} ${least - 1}`, given(least - 1), field, `must be ${least} or more`],
      [`${rule} ${most + 1}`, given(most + 1), field, `must be ${most} or less`],
    ];
  }),
  [
    'half an hour',
    { booking_rules: { min_hours: 1.5 } },
    'booking_rules.min_hours',
    'must be a whole number or null',
  ],
  [
    'max_hours below min_hours',
    { booking_rules: { min_hours: 3, max_hours: 2 } },
    'booking_rules',
    'must not have max_hours below min_hours, which is 3',
  ],
];

const atBounds = (end: 0 | 1) =>
  Object.fromEntries(Object.entries(BOUNDS).map(([rule, bounds]) => [rule, bounds[end]]));

onBothEngines('opening hours by weekday and booking rules', (engine) => {
  const world = useWorld(engine);
  let desk: Desk;
  before(async () => {
    desk = await openDesk(world);
  });
  const patch = (body: unknown) =>
    world.call('PATCH', `/api-listing-update/api/v1/spaces/${desk.spaceId}`, { key: desk.key, body });

  test('values at their bounds are kept', async () => {
    for (const given of [
      { weekly_hours: week({ sunday: hours(0, 24) }) },
      { booking_rules: atBounds(0), weekly_hours: null },
      { booking_rules: { ...atBounds(1) }, weekly_hours: null },
    ]) {
      const { space } = (await patch(given)).body.data;
      assert.deepEqual({ ...space, ...given }, space);
    }
    await patch({ booking_rules: null });
  });

  test('the API, the command line and apply reject what is wrong with the same words', async () => {
    const file = await exportFile(world.ctx, desk.hostId);
    const [space] = file.hosts[0]!.spaces!;
    for (const [what, given, field, message] of BAD) {
      const { details } = refused(await patch(given), 422, 'VALIDATION_ERROR');
      assert.deepEqual(details, [{ field, message }], what);
      await assert.rejects(update(world.ctx, operator, desk.spaceId, given), (error: ApiError) => {
        assert.deepEqual(error.details, details, what);
        return true;
      });
      file.hosts[0]!.spaces![0] = { ...space!, ...given };
      await assert.rejects(apply(world.ctx, operator, file), {
        message: `hosts[0] (${desk.hostId}).spaces[0].${field} ${message}`,
      });
    }
  });

  test('apply sets them, finds nothing to do the second time, and export prints what apply reads', async () => {
    const fresh = await openDesk(world);
    const file = await exportFile(world.ctx, fresh.hostId);
    const { operating_hours: _, ...entry } = file.hosts[0]!.spaces![0]!;
    file.hosts[0]!.spaces![0] = {
      ...entry,
      weekly_hours: WEEK,
      booking_rules: { min_hours: 2 } as typeof NO_RULES,
    };
    const counts = async () => {
      const { changed } = await apply(world.ctx, operator, structuredClone(file));
      return changed.length;
    };
    assert.equal(await counts(), 1);
    assert.equal(await counts(), 0);
    const [exported] = (await exportFile(world.ctx, fresh.hostId)).hosts[0]!.spaces!;
    assert.deepEqual(
      [exported!.weekly_hours, exported!.operating_hours, exported!.booking_rules],
      [WEEK, hours(9, 22), { ...NO_RULES, min_hours: 2 }],
    );
  });
});

describe('on the command line', () => {
  const { weekly_hours, booking_rules } = SPACE;

  test('weekly hours are ranges of days, and days that are not named are closed', () => {
    const parsed = weekly_hours.parse!('mon-wed=9-18, Friday=9-22,sat=11-20');
    const day = hours(9, 18);
    assert.deepEqual(parsed, { ...WEEK, monday: day, tuesday: day, wednesday: day });
    assert.equal(weekly_hours.print!(WEEK, {}).slice(0, 30), 'monday 9-18, tuesday closed, w');
  });

  test('what cannot be read stays a text, which the schema rejects', () => {
    for (const text of ['', '9-22', 'mon', 'mon=', 'sun-mon=9-18', 'noday=9-18'])
      assert.equal(weekly_hours.parse!(text), text);
  });

  test('booking rules are named, and none takes one away', () => {
    assert.deepEqual(booking_rules.parse!('min_hours=2, lead_hours=none'), {
      min_hours: 2,
      lead_hours: null,
    });
    assert.equal(booking_rules.parse!('2'), '2');
    assert.equal(booking_rules.print!({ ...NO_RULES, min_hours: 2 }, {}), 'min_hours 2');
    assert.equal(booking_rules.print!(NO_RULES, {}), 'none');
  });
});
