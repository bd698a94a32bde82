import * as api from './generated/oazapfts.ts';
import { booking, key, report, spaceId, url } from './stage.ts';

// What a developer would write with oazapfts.

api.defaults.baseUrl = url;
api.defaults.headers = { authorization: `Bearer ${key}` };

const created = await api.createBooking(booking);
const day = await api.getAvailability(spaceId, booking.date);
const reason: api.AvailabilitySlot['block_reason'] | undefined =
  day.status === 200 ? day.data.data.slots[booking.start_hour]?.block_reason : undefined;
const again = await api.createBooking(booking);

report({
  status: created.status === 200 ? created.data.data.booking.status : undefined,
  mode: created.status === 200 ? created.data.data.booking.settlement_mode : undefined,
  reason: reason === null ? 'free' : reason,
  refused: again.status === 409 ? again.data.error.code : undefined,
});
