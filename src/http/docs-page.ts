import scalar from '@scalar/fastify-api-reference';
import type { App } from './server.ts';

/** The reference page. Everything it loads comes from this service: it works without the internet. */
export async function docsPage(app: App, basePath: '' | `/${string}`): Promise<void> {
  await app.register(scalar, {
    routePrefix: `${basePath}/docs`,
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
}
