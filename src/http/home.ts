import type { App } from './server.ts';

/** Where a person lands who opens the service's address in a browser. Outside the API and its document. */
export function homePage(app: App, basePath: string, hasConsole: boolean): void {
  const consoleLink = `<li><a href="${basePath}/console">Console</a>: calendar, bookings and money for hosts</li>\n`;
  const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Hourkeep</title>
<style>body { font: 1.1rem/1.6 system-ui, sans-serif; max-width: 38rem; margin: 4rem auto; padding: 0 1rem }</style>
</head>
<body>
<h1>Hourkeep</h1>
<p>The Host Integration API for spaces that are rented by the hour is served here.</p>
<ul>
<li><a href="${basePath}/docs">Guides and reference</a>: every operation, with examples to try</li>
${hasConsole ? consoleLink : ''}<li><a href="${basePath}/api-openapi">OpenAPI document</a>: the same for programs</li>
</ul>
</body>
</html>
`;
  app.get('/', async (_request, reply) =>
    reply
      .headers({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'public, max-age=3600' })
      .send(page),
  );
}
