import { html, type Html } from './html.ts';

/** One entry of the navigation. */
export interface Entry {
  readonly address: string;
  readonly title: string;
  /** Of an endpoint. */
  readonly method?: string;
  /** Where a guide is as Markdown. */
  readonly markdown?: string;
}

interface Group {
  readonly title: string;
  readonly entries: readonly Entry[];
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
  const { address, title, markdown } = page;
  const { root, assets, demo } = frame;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} · Hourkeep API</title>
        <link rel="icon" type="image/svg+xml" href="${assets}/logo.svg" />
        <link rel="stylesheet" href="${assets}/docs.css" />
        ${markdown === undefined ? undefined : html`<link rel="alternate" type="text/markdown" href="${markdown}" />`}
        <script type="module" src="${assets}/main.js"></script>
      </head>
      <body data-root="${root}" data-demo="${demo ? 'yes' : 'no'}">
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
            ${frame.groups.map((group) => navigationGroup(group, address))}
          </nav>
          <main id="content" tabindex="-1">${content}</main>
        </div>
      </body>
    </html> `;
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
              }${entry.method === undefined ? undefined : html` ${methodBadge(entry.method)}`}</a
            >
          </li>`,
      )}
    </ul>`;
}

export function methodBadge(method: string): Html {
  return html`<span class="method ${method.toLowerCase()}">${method}</span>`;
}
