import type { Schema } from '../input/type.ts';
import type { TagName } from './parts.ts';
import { schemaObject } from './schema-object.ts';

/** A request that this service sends, as the document needs it. */
export interface WebhookDocument {
  name: string;
  tag: TagName;
  description: string;
  schema: Schema;
  example: unknown;
}

export function webhookObjects(documents: readonly WebhookDocument[]): object {
  return Object.fromEntries(
    documents.map(({ name, tag, description, schema, example }) => [
      name,
      {
        post: {
          operationId: `on${name.replaceAll(/(?:^|\.)(\w)/g, (_, letter: string) => letter.toUpperCase())}`,
          tags: [tag],
          summary: name,
          description,
          security: [],
          parameters: SIGNATURE_HEADERS,
          requestBody: jsonBody(schema, example),
          responses: {
            '2XX': { description: 'Received. Any other response, or none within 15 seconds, is retried.' },
            '410': { description: 'Gone: disables the subscription' },
          },
        },
      },
    ]),
  );
}

export function jsonBody(schema: Schema, example: unknown): object {
  return { required: true, content: { 'application/json': { schema: schemaObject(schema), example } } };
}

const header = (name: string, description: string, example: string) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string', maxLength: 256 },
  example,
});

const SIGNATURE_HEADERS = [
  header(
    'webhook-id',
    'The event’s id, the same on every retry: ignore those that you have processed',
    '0199a3c4-9a71-7e02-b1d4-5a7c3e9f0b12',
  ),
  header(
    'webhook-timestamp',
    'When this attempt was signed, in epoch seconds; reject old ones',
    '1803979800',
  ),
  header(
    'webhook-signature',
    'Standard Webhooks: `v1,` and the base64 HMAC-SHA256 of `id.timestamp.body`; several, separated by spaces, after a rotation',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
];
