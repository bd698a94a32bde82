import type { Operation } from '../http/openapi/operation.ts';
import { beginning, END, writeEntry } from './render.ts';

const spaceId = '0199a3c4-7d10-7c3e-9f6b-2f7d1c5a9b01';

export const getIcalFeed: Operation = {
  id: 'getIcalFeed',
  tag: 'Calendar',
  summary: 'Download iCal feed',
  description:
    'A space’s bookings and blocks as a calendar to subscribe to, from 30 days back: when it is taken, never by whom. Needs no key but the `token` in the URL; carries a strong `ETag`. At most 60 requests per feed in any 60 seconds, 304 responses too; the next one is 429 with `Retry-After`.',
  errors: ['INVALID_TOKEN', 'RATE_LIMIT_EXCEEDED'],
  headers: ['ETag'],
  example: {
    query: { space_id: spaceId, token: '5f0c3a52-6f5e-4c0b-9a55-0f6d7b1c2e3d' },
    data: [
      beginning('Riverside Studio'),
      writeEntry(spaceId, {
        id: '0199a3c4-9a70-7b1e-8c39-0d5f6f3a2c77',
        summary: 'Booked',
        startsAt: Date.parse('2027-03-18T14:00:00Z'),
        endsAt: Date.parse('2027-03-18T16:00:00Z'),
        revision: 0,
        changedAt: Date.parse('2027-03-01T09:30:00Z'),
      }),
      END,
    ].join(''),
  },
};
