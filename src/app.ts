import { claimRoute, keyRoutes } from './api-keys/routes.ts';
import { availabilityRoutes } from './availability/routes.ts';
import { blocksRoutes } from './blocks/routes.ts';
import { baseUrl } from './config.ts';
import type { Context } from './context.ts';
import { SchemaWatch } from './db/migrate.ts';
import * as demo from './demo/demo.ts';
import { consolePage } from './http/console.ts';
import { docsPage } from './http/docs/page.ts';
import { healthRoutes } from './http/health.ts';
import { homePage } from './http/home.ts';
import { documentedRoute, openApiDocument, type DocumentedRoute } from './http/openapi/document.ts';
import { openApiRoute } from './http/openapi/route.ts';
import { icalFeedRoutes } from './ical-feed/routes.ts';
import { answerOtherMethods, createServer, type App } from './http/server.ts';
import { mcpRoute } from './mcp/route.ts';
import { bookingsRoutes } from './bookings/routes.ts';
import { earningsRoutes } from './earnings/routes.ts';
import { sessionRoutes } from './http/sign-in.ts';
import { settlementRoutes } from './settlement/routes.ts';
import { spacesRoutes } from './spaces/routes.ts';
import { webhookDocuments } from './webhooks/openapi.ts';
import { webhooksRoutes } from './webhooks/routes.ts';

/** The service's table of contents: every feature is listed here by hand. */
export async function buildApp(
  ctx: Context,
  schema = new SchemaWatch(ctx.db),
  isReady: () => boolean = () => true,
): Promise<App> {
  const app = createServer(ctx, schema);
  const { basePath } = ctx.config;
  const documented: DocumentedRoute[] = [];
  const methodsByUrl = new Map<string, Set<string>>();
  app.addHook('onRoute', (route) => {
    documented.push(...documentedRoute(route, basePath));
    const methods = methodsByUrl.getOrInsertComputed(route.url, () => new Set());
    for (const method of [route.method].flat()) methods.add(method);
  });
  const base = () => baseUrl(ctx.config, listeningPort(app));
  const document = () => openApiDocument(documented, webhookDocuments, base());

  await app.register(
    async (api) => {
      spacesRoutes(api, ctx, base);
      availabilityRoutes(api, ctx);
      bookingsRoutes(api, ctx);
      settlementRoutes(api, ctx);
      earningsRoutes(api, ctx);
      blocksRoutes(api, ctx);
      webhooksRoutes(api, ctx);
      icalFeedRoutes(api, ctx);
      openApiRoute(api, document);
      if (ctx.config.mcp) mcpRoute(api, ctx, document, base);
      healthRoutes(api, ctx, schema, isReady);
      homePage(api, basePath, ctx.config.console);
    },
    { prefix: basePath },
  );
  docsPage(app, {
    basePath,
    document,
    now: () => ctx.clock.now(),
    demo: ctx.config.production ? undefined : () => demo.values(ctx),
  });
  if (ctx.config.console) {
    const page = consolePage(app, basePath);
    sessionRoutes(app, ctx);
    keyRoutes(app, ctx, page);
    claimRoute(app, ctx);
  }
  answerOtherMethods(app, new Map(methodsByUrl));
  return app;
}

function listeningPort(app: App): number | undefined {
  const address = app.server.address();
  return typeof address === 'object' && address !== null ? address.port : undefined;
}
