import { Html, html } from './html.ts';

export interface Entry {
  readonly address: string;
  readonly title: string;
  /** Of an endpoint. */
  readonly method?: string;
}

export interface Group<Of extends Entry = Entry> {
  readonly title: string;
  readonly entries: readonly Of[];
}

export interface Frame {
  /** Of the reference, under the service's base path: `/docs`. */
  readonly root: string;
  /** Where the hashed files are. */
  readonly assets: string;
  readonly groups: readonly Group[];
  /** Whether there may be a demo to try things on. */
  readonly demo: boolean;
}

/** A whole page around its content. No inline script or style: the content security policy allows none. */
export function layout(frame: Frame, page: Entry, content: Html): Html {
  const { address, title } = page;
  const { root, assets, demo, groups } = frame;
  const entries = groups.flatMap((group) => group.entries);
  const at = entries.findIndex((entry) => entry.address === address);
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} · Hourkeep API</title>
        <link rel="icon" type="image/svg+xml" href="${assets}/logo.svg" />
        <link rel="stylesheet" href="${assets}/docs.css" />
        ${at < 0 ? undefined : html`<link rel="alternate" type="text/markdown" href="${address}.md" />`}
        <script type="module" src="${assets}/main.js"></script>
      </head>
      <body data-root="${root}" data-assets="${assets}" data-demo="${demo ? 'yes' : 'no'}">
        <a class="skip" href="#content">Skip to content</a>
        <header>
          <a class="brand" href="${root}"
            ><img src="${assets}/logo.svg" alt="" width="28" height="28" />Hourkeep <span>API</span></a
          >
          <search>
            <label for="search">Search guides and reference</label>
            <input
              id="search"
              type="search"
              placeholder="Search ( / )"
              autocomplete="off"
              spellcheck="false"
              aria-controls="results"
            />
            <ol id="results" aria-label="Search results" hidden></ol>
          </search>
          <button id="menu" type="button" aria-expanded="false" aria-controls="navigation">Menu</button>
        </header>
        <div class="columns">
          <nav id="navigation" aria-label="Documentation">
            ${groups.map((group) => navigationGroup(group, address))}
          </nav>
          <main id="content" tabindex="-1">
            <article>${content}</article>
            ${at < 0 ? undefined : neighbours(entries[at - 1], entries[at + 1])}
          </main>
          ${outline(content)}
        </div>
      </body>
    </html> `;
}

/** The sections of a page that has several. */
function outline({ text }: Html): Html | undefined {
  const headings = [...text.matchAll(/<h2 id="([^"]+)">(.*?)<\/h2>/g)];
  if (headings.length < 3) return undefined;
  return html`<nav class="outline" aria-labelledby="outline">
    <h2 id="outline">On this page</h2>
    <ul>
      ${headings.map(([, id, heading = '']) => html`<li><a href="#${id}">${new Html(heading.replaceAll(/<[^>]+>/g, ''))}</a></li>`)}
    </ul>
  </nav>`;
}

function neighbours(previous: Entry | undefined, next: Entry | undefined): Html {
  const link = (entry: Entry | undefined, rel: string, word: string) =>
    entry && html`<a rel="${rel}" href="${entry.address}"><span>${word}</span> ${entry.title}</a>`;
  return html`<nav class="neighbours" aria-label="Previous and next page">
    ${link(previous, 'prev', 'Previous')} ${link(next, 'next', 'Next')}
  </nav>`;
}

function navigationGroup({ title, entries }: Group, current: string): Html {
  return html`<h2>${title}</h2>
    <ul>
      ${entries.map(
        (entry) =>
          html`<li>
            <a href="${entry.address}" ${entry.address === current ? html` aria-current="page"` : undefined}
              >${
                entry.title
              }${entry.method === undefined ? undefined : html` <span class="method ${entry.method.toLowerCase()}">${entry.method}</span>`}</a
            >
          </li>`,
      )}
    </ul>`;
}
