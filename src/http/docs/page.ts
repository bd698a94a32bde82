import fastify, { type FastifyReply } from 'fastify';
import type { App } from '../server.ts';

/**
 * The reference page. Everything it loads comes from this service: it works without the internet. Its script
 * weighs megabytes and few ever ask for it, so it is loaded by the first who does.
 */
export function docsPage(app: App, basePath: '' | `/${string}`): void {
  const prefix = `${basePath}/docs` as const;
  let files: Promise<Files> | undefined;
  const send = async (reply: FastifyReply, name: keyof Files): Promise<FastifyReply> => {
    files ??= loadFiles(prefix, basePath);
    const { type, bytes } = (await files)[name];
    return reply.headers({ 'content-type': type, 'cache-control': 'public, max-age=3600' }).send(bytes);
  };
  // The page names its script relative to itself, so its own address must end in a slash.
  app.get(prefix, async (request, reply) =>
    new URL(request.url, 'http://x').pathname.endsWith('/')
      ? send(reply, 'page')
      : reply.redirect(`${prefix}/`, 301),
  );
  app.get(`${prefix}/js/scalar.js`, async (_request, reply) => send(reply, 'script'));
}

type Files = Record<'page' | 'script', File>;

interface File {
  readonly type: string;
  /** One for all who ask: of those who read slowly each would otherwise hold a copy. */
  readonly bytes: Buffer;
}

/** From a server of the package's own kind that never listens, and is gone when it has said them. */
async function loadFiles(routePrefix: `/${string}`, basePath: string): Promise<Files> {
  const { default: scalar } = await import('@scalar/fastify-api-reference');
  const page = fastify();
  await page.register(scalar, {
    routePrefix,
    configuration: {
      url: `${basePath}/api-openapi`,
      pageTitle: 'Hourkeep API reference',
      favicon: 'data:,',
      theme: 'default',
      withDefaultFonts: false,
      telemetry: false,
      hideClientButton: true,
      showDeveloperTools: 'never',
      agent: { disabled: true },
      mcp: { disabled: true },
      authentication: { preferredSecurityScheme: 'apiKey' },
      defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
    },
  });
  const load = async (url: string): Promise<File> => {
    const { headers, rawPayload } = await page.inject({ method: 'GET', url });
    return { type: String(headers['content-type']), bytes: rawPayload };
  };
  const files = { page: await load(`${routePrefix}/`), script: await load(`${routePrefix}/js/scalar.js`) };
  await page.close();
  return files;
}
