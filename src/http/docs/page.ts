import { readdirSync, readFileSync } from 'node:fs';
import { hash } from 'node:crypto';
import { join } from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { notFound } from '../../errors.ts';
import { shipped } from '../../shipped.ts';
import { Compressed, FOR_EVER, sendCompressed, typeOf } from '../compressed.ts';
import { headersOfPage } from '../headers.ts';
import type { App } from '../server.ts';
import type { Document } from '../openapi/published.ts';

/**
 * The guides and the reference, made from docs/guides and the OpenAPI document. Everything comes from this service, so
 * it works without the internet. Few ever ask for it: nothing is read, rendered or compressed before somebody does.
 */
export function docsPage(
  app: App,
  options: {
    basePath: string;
    document: () => object;
    now: () => number;
    /** What the form fills in, so that a first request needs no preparation. Undefined in production. */
    demo: (() => Promise<object | undefined>) | undefined;
  },
): void {
  const { basePath, document, demo, now } = options;
  const root = `${basePath}/docs`;
  let loaded: { today: string; files: Promise<Files> } | undefined;
  const serve = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const today = new Date(now()).toISOString().slice(0, 10);
    if (loaded?.today !== today)
      loaded = { today, files: loadFiles(root, document() as Document, demo !== undefined, today) };
    const files = await loaded.files;
    const address = request.url.replace(/\?.*$/, '').replace(/\/+$/, '');
    const file = files(address);
    if (file === undefined && request.headers.accept?.includes('text/html') !== true)
      throw notFound('no such page');
    reply.headers(PAGE_HEADERS).status(file === undefined ? 404 : 200);
    const kept = address.startsWith(`${root}/assets/`) && file !== undefined ? FOR_EVER : 'no-cache';
    return sendCompressed(request, reply, file ?? files('')!, kept);
  };
  app.get(root, serve);
  app.get(`${root}/*`, serve);
  app.get(`${basePath}/llms.txt`, serve);
  app.get(`${basePath}/llms-full.txt`, serve);
  if (demo !== undefined) {
    app.get(`${root}/demo.json`, async (_request, reply) => {
      const values = await demo();
      return reply.header('cache-control', 'no-store').send(values ?? {});
    });
  }
}

const PAGE_HEADERS = headersOfPage();

type Files = (address: string) => Compressed | undefined;

/** The site of one day. Each file is made for the first who asks and then kept. */
async function loadFiles(root: string, document: Document, demo: boolean, today: string): Promise<Files> {
  // Loaded here: a service whose reference nobody reads does without the Markdown parser.
  const { createSite } = await import('./site.ts');
  const assets = readAssets();
  const folder = `${root}/assets/${assets.hash}`;
  const site = createSite(document, { root, assets: folder, demo }, Temporal.PlainDate.from(today));
  const files = new Map(
    assets.files.map(([name, bytes]) => [`${folder}/${name}`, new Compressed(typeOf(name)!, bytes)]),
  );
  return (address) => {
    const known = files.get(address);
    const text = known === undefined ? site(address) : undefined;
    if (text === undefined) return known;
    const file = new Compressed(typeOf(address) ?? 'text/html; charset=utf-8', Buffer.from(text));
    files.set(address, file);
    return file;
  };
}

/** One hash for all of them: scripts import each other by relative names, which then lie in the same folder. */
function readAssets(): { hash: string; files: [name: string, bytes: Buffer][] } {
  const folder = shipped('src/http/docs/browser');
  const names = readdirSync(folder).filter((name) => typeOf(name) !== undefined && name !== 'tsconfig.json');
  const files = names.sort().map((name): [string, Buffer] => [name, readFileSync(join(folder, name))]);
  files.push(['minisearch.js', readFileSync(new URL(import.meta.resolve('minisearch')))]);
  const all = hash('sha256', Buffer.concat(files.map(([, bytes]) => bytes)), 'base64url');
  return { hash: all.slice(0, 16), files };
}
