import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { shipped } from '../../shipped.ts';
import { endpointsOf, type Document, type OperationObject } from './document.ts';
import { eventPage } from './event-page.ts';
import { html, type Html } from './html.ts';
import { layout, type Entry, type Frame } from './layout.ts';
import { Markdown, titleOf, type Links, type Section } from './markdown.ts';
import { operationPage } from './operation-page.ts';

const GUIDES = shipped('docs/guides');

interface Page extends Entry {
  content(): Html;
  sections(): Section[];
}

export interface Site {
  /** The HTML of the page at this address, or undefined where there is none. */
  page(address: string): string | undefined;
  /** What the search looks through: every section of every page, as JSON. */
  searchIndex(): string;
}

/** The guides and the reference as one site. A page is rendered when it is asked for. */
export function createSite(document: Document, frame: Omit<Frame, 'groups'>): Site {
  const { root } = frame;
  const endpoints = endpointsOf(document);
  const guides = readGuides();
  const markdown = new Markdown(linksOf(root, endpoints, guides));

  const guidePages = guides.map(({ name, text }): Page => ({
    address: `${root}/guides/${name}`,
    title: titleOf(text),
    content: () => html`<article class="guide">${markdown.block(text)}</article>`,
    sections: () => markdown.sections(text),
  }));
  const operationPages = endpoints.map((endpoint) => {
    const { method, path, operation } = endpoint;
    const page: Page = {
      address: `${root}/reference/${operation.operationId}`,
      title: operation.summary,
      method,
      content: () => operationPage(document, markdown, endpoint),
      sections: () => [
        {
          heading: operation.summary,
          anchor: '',
          text: `${method} ${path} ${operation.description}`,
          words: wordsOf(operation),
        },
      ],
    };
    return { tag: operation.tags[0]!, page };
  });
  const eventPages = Object.entries(document.webhooks).map(([name, { post }]): Page => ({
    address: `${root}/events/${name}`,
    title: name,
    content: () => eventPage(document, markdown, name, post),
    sections: () => [{ heading: name, anchor: '', text: post.description, words: wordsOf(post) }],
  }));

  const groups = [
    { title: 'Guides', entries: guidePages },
    ...document.tags.map(({ name }) => ({
      title: name,
      entries: operationPages.filter(({ tag }) => tag === name).map(({ page }) => page),
    })),
    { title: 'Events', entries: eventPages },
  ];
  const home: Page = {
    address: root,
    title: 'Overview',
    content: () => homePage(document, markdown, groups.slice(1)),
    sections: () => [],
  };
  const pages = new Map(
    [home, ...groups.flatMap((group) => group.entries)].map((page) => [page.address, page]),
  );
  return {
    page: (address) => {
      const page = pages.get(address);
      return page && layout({ ...frame, groups }, address, page.title, page.content()).text;
    },
    searchIndex: () =>
      JSON.stringify(
        [...pages.values()].flatMap(({ address, title, sections }) =>
          sections().map(({ anchor, ...section }) => ({
            address: anchor === '' ? address : `${address}#${anchor}`,
            page: title,
            ...section,
          })),
        ),
      ),
  };
}

interface Guide {
  readonly name: string;
  readonly file: string;
  readonly text: string;
}

/** In the order of docs/guides/README.md, which lists them. */
function readGuides(): Guide[] {
  const index = readFileSync(join(GUIDES, 'README.md'), 'utf8');
  return [...index.matchAll(/^- \[[^\]]+\]\(([\w./-]+\.md)\)/gm)].map(([, file = '']) => ({
    name: posix.basename(file, '.md').toLowerCase(),
    file,
    text: readFileSync(join(GUIDES, file), 'utf8'),
  }));
}

function linksOf(root: string, endpoints: ReturnType<typeof endpointsOf>, guides: readonly Guide[]): Links {
  const byCode = new Map(
    endpoints.map(({ method, path, operation }) => [
      `${method} ${path}`,
      `${root}/reference/${operation.operationId}`,
    ]),
  );
  const errors = guides.find(({ name }) => name === 'errors')?.text ?? '';
  for (const [, code = ''] of errors.matchAll(/^### ([A-Z_]+)$/gm)) {
    byCode.set(code, `${root}/guides/errors#${code.toLowerCase()}`);
  }
  // By their last part: the changelog links to guides from another folder.
  const byFile = new Map(guides.map(({ file, name }) => [posix.basename(file), `${root}/guides/${name}`]));
  return {
    code: (text) => byCode.get(text),
    address: (href) => {
      const [file = '', anchor] = href.split('#');
      if (file === '' || /^https?:/.test(file)) return href;
      const address = byFile.get(posix.basename(file));
      return address === undefined || anchor === undefined ? address : `${address}#${anchor}`;
    },
  };
}

/** What somebody may look for: fields, parameters and codes. */
function wordsOf(operation: OperationObject): string {
  const names = JSON.stringify(operation).match(/[A-Za-z]+(?:[_-][A-Za-z]+)+/g) ?? [];
  return [operation.operationId, ...new Set(names)].join(' ');
}

function homePage(
  document: Document,
  markdown: Markdown,
  groups: readonly { title: string; entries: readonly Page[] }[],
): Html {
  const index = readFileSync(join(GUIDES, 'README.md'), 'utf8').replace(/^# .+$/m, '## Guides');
  const meaning = new Map(document.tags.map(({ name, description }) => [name, description]));
  return html`<article class="guide home">
    <h1>${document.info.title}</h1>
    ${markdown.block(document.info.description)} ${markdown.block(index)}
    <h2>Reference</h2>
    <ul>
      ${groups.map(
        ({ title, entries }) =>
          html`<li>
            <strong>${title}</strong>: ${meaning.get(title) ?? 'What your webhooks receive'}
            <ul>
              ${entries.map(({ address, title: name }) => html`<li><a href="${address}">${name}</a></li>`)}
            </ul>
          </li>`,
      )}
    </ul>
  </article>`;
}
