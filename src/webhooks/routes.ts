import type { Context } from '../context.ts';
import { ok } from '../http/envelope.ts';
import { Id, idParam, PathId, success } from '../http/input/schemas.ts';
import type { App } from '../http/server.ts';
import { Type } from '../http/input/type.ts';
import { CreateWebhook, exampleSecret, exampleWebhook, UpdateWebhook, Webhook } from './schemas.ts';
import * as webhooks from './webhooks.ts';

export function webhooksRoutes(app: App, ctx: Context): void {
  app.route({
    method: 'GET',
    url: '/api-webhooks/api/v1/webhooks',
    schema: {
      response: {
        200: success(
          Type.Object({ webhooks: Type.Array(Webhook, { maxItems: webhooks.MOST_PER_ENVIRONMENT }) }),
        ),
      },
    },
    config: {
      operation: {
        id: 'listWebhooks',
        tag: 'Webhooks',
        summary: 'List webhooks',
        description:
          'Every subscription of the key’s host in the key’s environment, oldest first, each with its ten newest deliveries.',
        scope: 'webhooks:read',
        example: { data: { webhooks: [exampleWebhook] } },
      },
    },
    handler: async (request) => ok({ webhooks: await webhooks.list(ctx, request.caller) }),
  });

  app.route({
    method: 'POST',
    url: '/api-webhooks/api/v1/webhooks',
    schema: { body: CreateWebhook, response: { 201: success(Type.Object({ webhook: Webhook })) } },
    config: {
      operation: {
        id: 'createWebhook',
        tag: 'Webhooks',
        summary: 'Create webhook subscription',
        description:
          'Sends the named events to `url` from now on, signed as Standard Webhooks asks. `secret` verifies them and is in this answer only. At most 20 per environment.',
        scope: 'webhooks:write',
        example: {
          body: {
            url: exampleWebhook.url,
            events: exampleWebhook.events,
            description: exampleWebhook.description,
          },
          data: { webhook: { ...exampleWebhook, recent_deliveries: [], secret: exampleSecret } },
        },
      },
    },
    handler: async (request, reply) => {
      const webhook = await webhooks.create(ctx, request.caller, request.body);
      return reply.code(201).send(ok({ webhook }));
    },
  });

  app.route({
    method: 'PATCH',
    url: '/api-webhooks/api/v1/webhooks/:id',
    schema: {
      params: Type.Object({ id: PathId }),
      body: UpdateWebhook,
      response: { 200: success(Type.Object({ webhook: Webhook })) },
    },
    config: {
      operation: {
        id: 'updateWebhook',
        tag: 'Webhooks',
        summary: 'Update webhook',
        description:
          'Changes what is given. `rotate_secret` answers with a new `secret`, once; both sign for 24 hours. `is_active: true` brings a subscription back, whoever switched it off, and what was due then goes out.',
        scope: 'webhooks:write',
        errors: ['NOT_FOUND'],
        example: {
          params: { id: exampleWebhook.id },
          body: { is_active: true, rotate_secret: true },
          data: { webhook: { ...exampleWebhook, secret: exampleSecret } },
        },
      },
    },
    handler: async (request) => {
      const id = idParam(request.params.id, webhooks.noSuchWebhook);
      return ok({ webhook: await webhooks.update(ctx, request.caller, id, request.body) });
    },
  });

  app.route({
    method: 'DELETE',
    url: '/api-webhooks/api/v1/webhooks/:id',
    schema: {
      params: Type.Object({ id: PathId }),
      response: { 200: success(Type.Object({ id: Id, deleted: Type.Literal(true) })) },
    },
    config: {
      operation: {
        id: 'deleteWebhook',
        tag: 'Webhooks',
        summary: 'Delete webhook',
        description: 'Nothing more is sent; what was due is dropped.',
        scope: 'webhooks:write',
        errors: ['NOT_FOUND'],
        example: {
          params: { id: exampleWebhook.id },
          data: { id: exampleWebhook.id, deleted: true },
        },
      },
    },
    handler: async (request) => {
      const id = idParam(request.params.id, webhooks.noSuchWebhook);
      await webhooks.remove(ctx, request.caller, id);
      return ok({ id, deleted: true as const });
    },
  });
}
