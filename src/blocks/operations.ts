import type { Operation } from '../http/openapi/operation.ts';

const spaceId = '0199a3c4-7d10-7c3e-9f6b-2f7d1c5a9b01';
const range = { date: '2027-03-18', start_hour: 18, end_hour: 20 };

const MANY_DAYS = `With \`end_date\`, the same hours on every day from \`date\` to \`end_date\`, or on those of the given \`weekdays\`, in one step: the response then has \`days\`, with an entry for each of these days. Every Sunday of a year is

    {"date": "2027-03-21", "end_date": "2028-03-19", "weekdays": ["sunday"], "start_hour": 0, "end_hour": 24}
`;

export const createBlocks: Operation = {
  id: 'createBlocks',
  tag: 'Blocks',
  summary: 'Create host blocks',
  description: `Keeps every hour from \`start_hour\` up to \`end_hour\` for yourself, or none: if a booking, an external calendar or another block holds one of them, none is blocked. Any date and hour can be blocked, past and closed ones too.

${MANY_DAYS}
If one hour is taken, nothing is blocked, and \`details.days\` lists the taken hours of each day: \`{"days": [{"date": "2027-03-21", "hours": [18]}]}\`. With \`skip_occupied\` the free hours are blocked.`,
  scope: 'blocks:write',
  errors: ['NOT_FOUND', 'BLOCK_SLOT_OCCUPIED'],
  example: {
    params: { space_id: spaceId },
    body: { ...range, reason: 'Cleaning' },
    data: { space_id: spaceId, ...range, reason: 'Cleaning', blocked_hours: [18, 19] },
  },
};

export const deleteBlocks: Operation = {
  id: 'deleteBlocks',
  tag: 'Blocks',
  summary: 'Delete host blocks',
  description: `Frees the hours of the range that you had blocked, and returns them. Bookings and external calendars keep theirs. If nothing was blocked, the list is empty.

${MANY_DAYS}`,
  scope: 'blocks:write',
  errors: ['NOT_FOUND'],
  example: {
    params: { space_id: spaceId },
    body: range,
    data: { space_id: spaceId, date: range.date, unblocked_hours: [18, 19] },
  },
};
