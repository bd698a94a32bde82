import type { Operation } from '../http/openapi/operation.ts';
import type { Webhook } from './schemas.ts';

const exampleWebhook: Webhook = {
  id: '0199a3c5-1b20-7d4a-9a51-6c0e8f2b4d90',
  url: 'https://pms.example.com/hooks/hourkeep',
  events: ['booking.created', 'booking.cancelled', 'availability.changed'],
  description: 'Our property management system',
  is_active: true,
  disabled_reason: null,
  created_at: '2027-03-01T09:00:00.000Z',
  updated_at: '2027-03-01T09:00:00.000Z',
  recent_deliveries: [
    {
      event_id: '0199a3c4-9a71-7e02-b1d4-5a7c3e9f0b12',
      type: 'booking.created',
      status: 'delivered',
      attempts: 1,
      response_status: 204,
      error: null,
      last_attempt_at: '2027-03-01T09:30:00.120Z',
      next_attempt_at: null,
    },
  ],
};

const exampleSecret = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDazfPs0dR1Ic=';

export const listWebhooks: Operation = {
  id: 'listWebhooks',
  tag: 'Webhooks',
  summary: 'List webhooks',
  description:
    'Every subscription of the key’s host in the key’s environment, oldest first, each with its ten newest deliveries.',
  scope: 'webhooks:read',
  example: { data: { webhooks: [exampleWebhook] } },
};

export const createWebhook: Operation = {
  id: 'createWebhook',
  tag: 'Webhooks',
  summary: 'Create webhook subscription',
  description:
    'Sends these events to `url`, starting now, signed as Standard Webhooks specifies. `secret` verifies them; it is in this response only. At most 20 per environment.',
  scope: 'webhooks:write',
  example: {
    body: {
      url: exampleWebhook.url,
      events: exampleWebhook.events,
      description: exampleWebhook.description,
    },
    data: { webhook: { ...exampleWebhook, recent_deliveries: [], secret: exampleSecret } },
  },
};

export const updateWebhook: Operation = {
  id: 'updateWebhook',
  tag: 'Webhooks',
  summary: 'Update webhook',
  description:
    'Changes the fields that you send. `rotate_secret` returns a new `secret`, once; both sign for 24 hours. `is_active: true` on a disabled one, or a new `url`, sends all pending deliveries immediately; if the operator disabled it, `is_active: true` is 422.',
  scope: 'webhooks:write',
  errors: ['NOT_FOUND'],
  example: {
    params: { id: exampleWebhook.id },
    body: { is_active: true, rotate_secret: true },
    data: { webhook: { ...exampleWebhook, secret: exampleSecret } },
  },
};

export const deleteWebhook: Operation = {
  id: 'deleteWebhook',
  tag: 'Webhooks',
  summary: 'Delete webhook',
  description: 'Stops all deliveries; pending ones are deleted.',
  scope: 'webhooks:write',
  errors: ['NOT_FOUND'],
  example: { params: { id: exampleWebhook.id }, data: { id: exampleWebhook.id, deleted: true } },
};
