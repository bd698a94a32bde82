import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { notFound } from '../errors.ts';
import { shipped } from '../shipped.ts';
import { Compressed, FOR_EVER, sendCompressed, typeOf } from './compressed.ts';
import { headersOfPage } from './headers.ts';
import type { App } from './server.ts';

const BUILD = shipped('console/dist');

/**
 * The console as `npm ci` built it. Files whose names carry a hash are kept for ever and were compressed by the build; the
 * service worker, the manifest and the icons have names of their own; every other path is the page, which finds its way by
 * its address.
 */
export function consolePage(app: App, basePath: string, folder = BUILD) {
  const root = `${basePath}/console`;
  let build: Build | undefined;
  const serve = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    // Looked for again until it is there: a build does not need a restart.
    build ??= readBuild(folder);
    const path = request.url.replace(/\?.*$/, '').slice(root.length + 1);
    if (path.startsWith('assets/')) {
      const asset = build?.assets.get(path);
      if (asset === undefined) throw notFound('no such file');
      return sendCompressed(request, reply, asset, FOR_EVER);
    }
    const [file, type] = [build?.files.get(path), typeOf(path)];
    if (file !== undefined && type !== undefined) {
      // Asked for anew every time: the service worker brings an update. `/console` itself has no slash, and is in its scope too.
      const headers = { 'cache-control': 'no-cache', 'service-worker-allowed': root };
      return reply.headers(headers).type(type).send(file);
    }
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
  readonly assets: ReadonlyMap<string, Compressed>;
  /** What has a name of its own: the service worker, the manifest, icons. */
  readonly files: ReadonlyMap<string, Buffer>;
}

function readBuild(folder: string): Build | undefined {
  try {
    const page = readFileSync(join(folder, 'index.html'), 'utf8');
    return { page, assets: assetsIn(folder), files: filesIn(folder) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function filesIn(folder: string): Map<string, Buffer> {
  const names = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(names.map(({ name }) => [name, readFileSync(join(folder, name))]));
}

/** With `.br` and `.gz` beside each. */
function assetsIn(folder: string): Map<string, Compressed> {
  const files = filesIn(join(folder, 'assets'));
  const made = (name: string) => Promise.resolve(files.get(name)!);
  const plain = [...files].flatMap(([name, bytes]): [string, Compressed][] => {
    const type = typeOf(name);
    const variants = { br: made(`${name}.br`), gzip: made(`${name}.gz`) };
    return type === undefined ? [] : [[`assets/${name}`, new Compressed(type, bytes, variants)]];
  });
  return new Map(plain);
}

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
