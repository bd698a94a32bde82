import { readdirSync, readFileSync } from 'node:fs';
import { hash } from 'node:crypto';
import { extname, join } from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { notFound } from '../../errors.ts';
import { shipped } from '../../shipped.ts';
import { Compressed, sendCompressed } from '../compressed.ts';
import { headersOfPage } from '../headers.ts';
import type { App } from '../server.ts';
import type { Document } from './document.ts';

/** What the page fills in outside production, so that a first request needs no preparation. */
export interface DemoValues {
  readonly key: string;
  readonly space_id: string;
  readonly token: string;
}

/**
 * The guides and the reference, made from docs/guides and the OpenAPI document. Everything comes from this service, so
 * it works without the internet. Few ever ask for it: nothing is read, rendered or compressed before somebody does.
 */
export function docsPage(
  app: App,
  options: {
    basePath: string;
    document: () => object;
    /** Undefined in production. */
    demo: (() => Promise<DemoValues | undefined>) | undefined;
  },
): void {
  const { basePath, document, demo } = options;
  const root = `${basePath}/docs`;
  let loading: Promise<(address: string) => Compressed | undefined> | undefined;
  const serve = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    loading ??= loadFiles(root, document() as Document, demo !== undefined);
    const address = request.url.replace(/\?.*$/, '').replace(/\/+$/, '');
    const file = (await loading)(address);
    if (file === undefined) throw notFound('no such page');
    reply.headers(PAGE_HEADERS);
    return sendCompressed(
      request,
      reply,
      file,
      address.startsWith(`${root}/assets/`) ? FOR_EVER : 'no-cache',
    );
  };
  app.get(root, serve);
  app.get(`${root}/*`, serve);
  app.get(`${basePath}/llms.txt`, serve);
  if (demo !== undefined) {
    app.get(`${root}/demo.json`, async (_request, reply) => {
      const values = await demo();
      return reply.header('cache-control', 'no-store').send(values ?? {});
    });
  }
}

const FOR_EVER = 'public, max-age=31536000, immutable';

const PAGE_HEADERS = headersOfPage();

/** Answers with the file at an address. Each is made for the first who asks and then kept. */
async function loadFiles(root: string, document: Document, demo: boolean) {
  // Loaded here: a service whose reference nobody reads does without the Markdown parser.
  const { createSite } = await import('./site.ts');
  const assets = readAssets();
  const folder = `${root}/assets/${assets.hash}`;
  const site = createSite(document, { root, assets: folder, demo });
  const files = new Map<string, Compressed>();
  for (const [name, bytes] of assets.files) {
    files.set(`${folder}/${name}`, new Compressed(TYPES[extname(name)]!, bytes));
  }
  const textAt = (address: string): string | undefined => {
    if (address === `${root}/search.json`) return site.searchIndex();
    if (address === root.replace(/docs$/, 'llms.txt')) return site.llmsText();
    return address.endsWith('.md') ? site.markdown(address) : site.page(address);
  };
  const make = (address: string): Compressed | undefined => {
    const text = textAt(address);
    if (text === undefined) return undefined;
    return new Compressed(TYPES[extname(address)] ?? TYPES['.html']!, Buffer.from(text));
  };
  return (address: string): Compressed | undefined => {
    const file = files.get(address) ?? make(address);
    if (file !== undefined) files.set(address, file);
    return file;
  };
}

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
};

/** One hash for all of them: scripts import each other by relative names, which then lie in the same folder. */
function readAssets(): { hash: string; files: [name: string, bytes: Buffer][] } {
  const folder = shipped('src/http/docs/browser');
  const names = readdirSync(folder).filter((name) => extname(name) in TYPES && name !== 'tsconfig.json');
  const files = names.sort().map((name): [string, Buffer] => [name, readFileSync(join(folder, name))]);
  const all = hash('sha256', Buffer.concat(files.map(([, bytes]) => bytes)), 'base64url');
  return { hash: all.slice(0, 16), files };
}
