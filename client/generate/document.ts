import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildApp } from '../../src/app.ts';
import { openContext } from '../../test/support/context.ts';

/** JSON Schema, as far as the document uses it. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  default?: unknown;
  enum?: (string | null)[];
  const?: unknown;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean;
  anyOf?: Schema[];
  pattern?: string;
}

interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  description?: string;
  schema: Schema;
  example?: string | number;
}

interface Content {
  schema: Schema;
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
}

export interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  security: object[];
  parameters?: Parameter[];
  requestBody?: { content: Record<string, Content> };
  responses: Record<string, { content?: Record<string, Content> }>;
}

export interface OpenApi {
  info: { title: string; description: string };
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: { requestBody: { content: Record<string, Content> } } }>;
  components: { schemas: Record<string, Schema> };
}

/** The document that this version of the service publishes, asked of the service itself. */
export async function publishedDocument(): Promise<OpenApi> {
  const folder = mkdtempSync(join(tmpdir(), 'hourkeep-document-'));
  // As in production: elsewhere its examples may speak of the demo of the day.
  const settings = { NODE_ENV: 'production', DATA_DIR: folder, PUBLIC_URL: 'https://api.example.com' };
  const ctx = openContext(settings);
  const app = await buildApp(ctx);
  try {
    return (await app.inject({ url: '/api-openapi' })).json<OpenApi>();
  } finally {
    await app.close();
    await ctx.db.close();
    rmSync(folder, { recursive: true });
  }
}

/** Every operation with its method and path, in the document's order. */
export function operationsOf(document: OpenApi): { method: string; path: string; operation: Operation }[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
    })),
  );
}
