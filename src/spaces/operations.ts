import type { Operation } from '../http/openapi/operation.ts';
import { exampleListing } from './fields.ts';
import type { Space } from './schemas.ts';

export const exampleSpace: Space = {
  ...exampleListing,
  external_calendars: [
    {
      id: '0199a3c4-7d10-7c3e-9f6b-2f7d1c5a9b05',
      address: 'calendar.example.com/…41c9',
      status: 'ok',
      last_synced_at: '2027-03-18T09:00:00.000Z',
      error: null,
    },
  ],
};

export const listSpaces: Operation = {
  id: 'listSpaces',
  tag: 'Spaces',
  summary: 'List all host spaces',
  description: 'Every space of the key’s host in the key’s environment, inactive ones too, oldest first.',
  scope: 'spaces:read',
  example: { data: { spaces: [exampleSpace] } },
};

export const getSpace: Operation = {
  id: 'getSpace',
  tag: 'Spaces',
  summary: 'Get space detail',
  description: 'One space. A space of another host or environment is not found.',
  scope: 'spaces:read',
  errors: ['NOT_FOUND'],
  example: { params: { space_id: exampleSpace.id }, data: { space: exampleSpace } },
};

export const updateListing: Operation = {
  id: 'updateListing',
  tag: 'Spaces',
  summary: 'Update listing fields',
  description:
    'Changes the fields that you send, all or none. A new price applies to new bookings. Existing bookings stay when the space becomes inactive or their hours are closed. `connect_calendar`, `disconnect_calendar` and `rotate_ical_token` emit no `listing.updated`; they are not idempotent: after a lost connection, read the space before you retry.',
  scope: 'spaces:write',
  errors: ['NOT_FOUND'],
  example: {
    params: { space_id: exampleSpace.id },
    body: { price: 52.5 },
    data: { space: { ...exampleSpace, price_per_hour: 52.5 } },
  },
};
