import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { App } from './server.ts';

/**
 * The reference page. Everything it loads comes from this service: it works without the internet. Its script
 * weighs megabytes and few ever ask for it, so it is loaded by the first who does, into a server of its own
 * that never listens.
 */
export function docsPage(app: App, basePath: '' | `/${string}`): void {
  const prefix = `${basePath}/docs` as const;
  let page: Promise<FastifyInstance> | undefined;
  const serve = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    page ??= loadPage(prefix, basePath);
    const answer = await (await page).inject({ method: 'GET', url: request.url });
    return reply
      .code(answer.statusCode)
      .headers({ 'content-type': answer.headers['content-type'], 'cache-control': 'public, max-age=3600' })
      .send(answer.rawPayload);
  };
  // The page names its script relative to itself, so its own address must end in a slash.
  app.get(prefix, async (request, reply) =>
    request.url.endsWith('/') ? serve(request, reply) : reply.redirect(`${prefix}/`, 301),
  );
  app.get(`${prefix}/js/scalar.js`, serve);
}

async function loadPage(routePrefix: `/${string}`, basePath: string): Promise<FastifyInstance> {
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
  await page.ready();
  return page;
}
