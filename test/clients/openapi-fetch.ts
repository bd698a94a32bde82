import createClient from 'openapi-fetch';
import type { components, paths } from './generated/openapi-typescript.ts';
import { booking, key, report, spaceId, url } from './stage.ts';

// What a developer would write with openapi-typescript and openapi-fetch.

const api = createClient<paths>({ baseUrl: url, headers: { authorization: `Bearer ${key}` } });
const path = { space_id: spaceId };

const created = await api.POST('/api-create-booking/api/v1/bookings', { body: booking });
const { data: day } = await api.GET('/api-availability/api/v1/spaces/{space_id}/availability', {
  params: { path, query: { date: booking.date } },
});
const reason: components['schemas']['AvailabilitySlot']['block_reason'] | undefined =
  day?.data.slots[booking.start_hour]?.block_reason;
const again = await api.POST('/api-create-booking/api/v1/bookings', { body: booking });

report({
  status: created.data?.data.booking.status,
  mode: created.data?.data.booking.settlement_mode,
  reason: reason === null ? 'free' : reason,
  refused: again.error?.error.code,
});
