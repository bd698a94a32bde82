import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { notFound } from '../errors.ts';
import { shipped } from '../shipped.ts';
import { preferredEncoding } from './compressed.ts';
import { headersOfPage } from './headers.ts';
import type { App } from './server.ts';

const BUILD = shipped('console/dist');

/**
 * The console as `npm ci` built it. Files whose names carry a hash are kept for ever and were compressed by the build;
 * every other path is the page, which finds its way by its address.
 */
export function consolePage(app: App, basePath: string, folder = BUILD) {
  const root = `${basePath}/console`;
  let build: Build | undefined;
  const serve = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    // Looked for again until it is there: a build does not need a restart.
    build ??= readBuild(folder);
    const path = request.url.replace(/\?.*$/, '').slice(root.length);
    if (path.startsWith('/assets/')) return sendAsset(build, path.slice('/assets/'.length), request, reply);
    const nonce = randomBytes(16).toString('base64');
    return reply
      .headers({
        // React Aria adds one style of its own.
        ...headersOfPage({ 'style-src': `'self' 'nonce-${nonce}'`, 'base-uri': "'self'" }),
        'cache-control': 'no-store',
      })
      .type('text/html; charset=utf-8')
      .code(build === undefined ? 503 : 200)
      .send(build === undefined ? NOT_BUILT : filledIn(build.page, `${root}/`, nonce));
  };
  app.get(root, serve);
  app.get(`${root}/*`, serve);
  return serve;
}

interface Build {
  readonly page: string;
  /** With `.br` and `.gz` beside each. */
  readonly assets: ReadonlyMap<string, Buffer>;
}

function readBuild(folder: string): Build | undefined {
  try {
    const assets = join(folder, 'assets');
    return {
      page: readFileSync(join(folder, 'index.html'), 'utf8'),
      assets: new Map(readdirSync(assets).map((name) => [name, readFileSync(join(assets, name))])),
    };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

function sendAsset(
  build: Build | undefined,
  name: string,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const type = TYPES[extname(name)];
  if (type === undefined || build?.assets.has(name) !== true) throw notFound('no such file');
  const encoding = preferredEncoding(request.headers['accept-encoding']);
  reply.headers({ 'cache-control': 'public, max-age=31536000, immutable', vary: 'accept-encoding' });
  if (encoding !== 'identity') reply.header('content-encoding', encoding);
  return reply.type(type).send(build.assets.get(name + SUFFIX[encoding]));
}

const SUFFIX = { br: '.br', gzip: '.gz', identity: '' };

/** What only the running service knows. A base path has no character that HTML would read as its own. */
function filledIn(page: string, root: string, nonce: string): string {
  return page
    .replace('<base href="/console/"', `<base href="${root}"`)
    .replace('nonce=""', `nonce="${nonce}"`);
}

const NOT_BUILT = `<!doctype html>
<html lang="en">
  <head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>The console is not built</title></head>
  <body>
    <main>
      <h1>The console is not built</h1>
      <p>The API works without it. To build it, run <code>npm ci</code> with development dependencies, or
      <code>npm run prepare</code> where they are installed, and load this page again.</p>
    </main>
  </body>
</html>
`;
