// The service worker: lets the console open without a connection. It keeps the page and its files, and nothing of an account:
// what can be read offline is kept by the page itworker.

/** Written in by the build. */
declare const VERSION: string;
declare const FILES: readonly string[];

/** The types know workers in general alone. */
const worker = globalThis as unknown as ServiceWorkerGlobalScope;
/** Ends in a slash. */
const root = new URL('.', worker.location.href);
/** Services under other base paths share the browser's storage. */
const SHELLS = `hourkeep.shell ${root.pathname} `;
const SHELL = SHELLS + VERSION;
/** A connection that takes longer to bring the page is as good as none. */
const SLOW_MS = 5000;

worker.addEventListener('install', (event) => {
  void worker.skipWaiting();
  event.waitUntil(keepShell());
});

/** All or nothing: until everything is here, the version before it opens offline. */
async function keepShell(): Promise<void> {
  const page = await fetch(root, { cache: 'no-store' });
  const html = await page.clone().text();
  // While an update is rolled out another process may answer, whose page names other files.
  const named = [...html.matchAll(/assets\/[^"]+/g)].map(([name]) => name);
  if (!page.ok || !named.every((name) => FILES.includes(name)))
    throw new Error('the page is not this version’s');
  const cache = await caches.open(SHELL);
  await cache.addAll(FILES.map((name) => new URL(name, root).href));
  await cache.put(root, page);
}

/** The version before stays: a page of it may still be open and want its files. */
worker.addEventListener('activate', (event) => {
  event.waitUntil(
    caches.keys().then(async (names) => {
      const others = names.filter((name) => name.startsWith(SHELLS) && name !== SHELL);
      await Promise.all(others.slice(0, -1).map((name) => caches.delete(name)));
    }),
  );
});

worker.addEventListener('fetch', (event) => {
  const { method, mode, url } = event.request;
  if (method !== 'GET') return;
  if (mode === 'navigate') event.respondWith(openPage(event.request));
  else if (url.startsWith(`${root.href}assets/`)) event.respondWith(openFile(event.request));
});

/** From the service whenever it answers, so that an update shows with the first load. */
async function openPage(request: Request): Promise<Response> {
  const kept = await caches.match(root, { cacheName: SHELL });
  if (kept === undefined) return fetch(request);
  const late = new Promise<undefined>((resolve) => setTimeout(resolve, SLOW_MS));
  const answer = await Promise.race([fetch(request), late]).catch(() => undefined);
  return answer === undefined || answer.status >= 500 ? kept : answer;
}

/** Their names carry a hash: what is kept is right. */
async function openFile(request: Request): Promise<Response> {
  return (await caches.match(request, { ignoreVary: true })) ?? fetch(request);
}

/** Where the page cannot show a notification itself, the worker has shown it. */
worker.addEventListener('notificationclick', (event) => {
  event.notification.close();
  const pages = worker.clients.matchAll({ type: 'window', includeUncontrolled: true });
  event.waitUntil(pages.then(([page]) => page?.focus() ?? worker.clients.openWindow(root)));
});
