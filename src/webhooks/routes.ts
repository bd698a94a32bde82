import type { Context } from '../context.ts';
import { ok } from '../http/envelope.ts';
import { idParam, pathId, success } from '../http/input/schemas.ts';
import { Type } from '../http/input/type.ts';
import type { App } from '../http/server.ts';
import * as operations from './operations.ts';
import { AllWebhooks, CreateWebhook, DeletedWebhook, OneWebhook, UpdateWebhook } from './schemas.ts';
import * as webhooks from './webhooks.ts';

const WebhookPath = Type.Object({ id: pathId('the subscription') });

export function webhooksRoutes(app: App, ctx: Context): void {
  app.route({
    method: 'GET',
    url: '/api-webhooks/api/v1/webhooks',
    schema: { response: { 200: success(AllWebhooks) } },
    config: { operation: operations.listWebhooks },
    handler: async (request) => ok({ webhooks: await webhooks.list(ctx, request.caller) }),
  });

  app.route({
    method: 'POST',
    url: '/api-webhooks/api/v1/webhooks',
    schema: { body: CreateWebhook, response: { 201: success(OneWebhook) } },
    config: { operation: operations.createWebhook },
    handler: async (request, reply) => {
      const webhook = await webhooks.create(ctx, request.caller, request.body);
      request.recordId = webhook.id;
      return reply.code(201).send(ok({ webhook }));
    },
  });

  app.route({
    method: 'PATCH',
    url: '/api-webhooks/api/v1/webhooks/:id',
    schema: { params: WebhookPath, body: UpdateWebhook, response: { 200: success(OneWebhook) } },
    config: { operation: operations.updateWebhook },
    handler: async (request) => {
      const id = idParam(request.params.id);
      return ok({ webhook: await webhooks.update(ctx, request.caller, id, request.body) });
    },
  });

  app.route({
    method: 'DELETE',
    url: '/api-webhooks/api/v1/webhooks/:id',
    schema: { params: WebhookPath, response: { 200: success(DeletedWebhook) } },
    config: { operation: operations.deleteWebhook },
    handler: async (request) => {
      const id = idParam(request.params.id);
      await webhooks.remove(ctx, request.caller, id);
      return ok({ id, deleted: true as const });
    },
  });
}
