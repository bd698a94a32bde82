import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildApp } from '../../src/app.ts';
import type { Document } from '../../src/http/openapi/published.ts';
import { openContext } from '../../test/support/context.ts';

/** The document that this version of the service publishes, asked of the service itself. */
export async function publishedDocument(): Promise<Document> {
  const folder = mkdtempSync(join(tmpdir(), 'hourkeep-document-'));
  // As in production: elsewhere its examples may speak of the demo of the day.
  const settings = { NODE_ENV: 'production', DATA_DIR: folder, PUBLIC_URL: 'https://api.example.com' };
  const ctx = openContext(settings);
  const app = await buildApp(ctx);
  try {
    return (await app.inject({ url: '/api-openapi' })).json<Document>();
  } finally {
    await app.close();
    await ctx.db.close();
    rmSync(folder, { recursive: true });
  }
}
