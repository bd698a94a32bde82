import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { shipped } from '../shipped.ts';
import { headersOfPage } from './headers.ts';
import type { App } from './server.ts';

/** Where a person lands who opens the service's address in a browser. Outside the API and its document. */
export function homePage(app: App, basePath: string, hasConsole: boolean): void {
  const consoleLink = `<li><a href="${basePath}/console">Console</a>: calendar, bookings and money for hosts</li>\n`;
  const logo = `data:image/svg+xml,${encodeURIComponent(readFileSync(shipped('src/http/docs/browser/logo.svg'), 'utf8').trim())}`;
  const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Hourkeep</title>
<link rel="icon" type="image/svg+xml" href="${logo}">
<style>${STYLE}</style>
</head>
<body>
<h1><img src="${logo}" alt="" width="40" height="40">Hourkeep</h1>
<p>The Host Integration API for spaces that are rented by the hour is served here.</p>
<ul>
<li><a href="${basePath}/docs">Guides and reference</a>: every operation, with examples to try</li>
${hasConsole ? consoleLink : ''}<li><a href="${basePath}/api-openapi">OpenAPI document</a>: the same for programs</li>
</ul>
</body>
</html>
`;
  const headers = {
    ...headersOfPage({
      'style-src': `'sha256-${hash('sha256', STYLE, 'base64')}'`,
      'img-src': 'data:',
    }),
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'public, max-age=3600',
  };
  app.get('/', async (_request, reply) => reply.headers(headers).send(page));
}

const STYLE =
  'body { font: 1.1rem/1.6 system-ui, sans-serif; max-width: 38rem; margin: 4rem auto; padding: 0 1rem } h1 { display: flex; gap: 0.6rem; align-items: center }';
