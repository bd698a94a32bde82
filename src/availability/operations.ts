import type { Operation } from '../http/openapi/operation.ts';
import type { Availability } from './schemas.ts';

const example: Availability = {
  space_id: '0199a3c4-7d10-7c3e-9f6b-2f7d1c5a9b01',
  date: '2027-03-18',
  timezone: 'America/New_York',
  slots: Array.from({ length: 24 }, (_, hour) => {
    if (hour === 10 || hour === 11) return { hour, available: false, block_reason: 'booked' };
    if (hour === 18) return { hour, available: false, block_reason: 'host_block' };
    return { hour, available: hour >= 9 && hour < 22, block_reason: null };
  }),
  blocks: [{ start_hour: 18, end_hour: 19, reason: 'Cleaning' }],
};

export const getAvailability: Operation = {
  id: 'getAvailability',
  tag: 'Availability',
  summary: 'Get 24-hour availability',
  description:
    'The 24 hours of one date in local time of the space, always all of them, hour 0 to 23 in order. Exactly the available hours can be booked. The repeated hour of a daylight-saving day is one slot. With `days`, a whole month is one request.',
  scope: 'availability:read',
  errors: ['NOT_FOUND'],
  example: { params: { space_id: example.space_id }, query: { date: example.date }, data: example },
};
