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
  /** A few words for a list. */
  readonly about?: string;
  content(): Html;
  sections(): Section[];
}

export interface Site {
  /** The HTML of the page at this address, or undefined where there is none. */
  page(address: string): string | undefined;
  /** A guide as Markdown, at its address with `.md`. */
  markdown(address: string): string | undefined;
  /** What the search looks through: every section of every page, as JSON. */
  searchIndex(): string;
  /** What there is to read, for programs that read for people (llmstxt.org). */
  llmsText(): string;
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
    markdown: `${root}/guides/${name}.md`,
    content: () => html`<article class="guide">${markdown.block(text)}</article>`,
    // Whoever looks for a word wants what is so today: of the changelog only its first words are searched.
    sections: () => (name === 'changelog' ? markdown.sections(text).slice(0, 1) : markdown.sections(text)),
  }));
  const operationPages = endpoints.map((endpoint) => {
    const { method, path, operation } = endpoint;
    const page: Page = {
      address: `${root}/reference/${operation.operationId}`,
      title: operation.summary,
      method,
      about: `${method} ${path}`,
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
      return page && layout({ ...frame, groups }, page, page.content()).text;
    },
    markdown: (address) => {
      const guide = guides.find(({ name }) => address === `${root}/guides/${name}.md`);
      return guide && withLinksOfTheSite(guide.text, guides);
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
    llmsText: () => llmsText(document, root, guides, groups.slice(1)),
  };
}

interface Guide {
  readonly name: string;
  readonly file: string;
  /** What the list of guides says about it. */
  readonly about: string;
  readonly text: string;
}

/** In the order of docs/guides/README.md, which lists them. */
function readGuides(): Guide[] {
  const index = readFileSync(join(GUIDES, 'README.md'), 'utf8');
  return [...index.matchAll(/^- \[[^\]]+\]\(([\w./-]+\.md)\): (.+)$/gm)].map(([, file = '', about = '']) => ({
    name: posix.basename(file, '.md').toLowerCase(),
    file,
    about,
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

/** Links between guides lead to their Markdown; those to files that are not on this site become plain words. */
function withLinksOfTheSite(text: string, guides: readonly Guide[]): string {
  const nameOf = new Map(guides.map(({ file, name }) => [posix.basename(file), name]));
  return text.replaceAll(
    /\[([^\]]+)\]\(([\w./-]+\.md)(#[\w-]+)?\)/g,
    (_, words: string, file: string, anchor = '') => {
      const name = nameOf.get(posix.basename(file));
      return name === undefined ? words : `[${words}](${name}.md${anchor})`;
    },
  );
}

function llmsText(
  document: Document,
  root: string,
  guides: readonly Guide[],
  groups: readonly { title: string; entries: readonly Page[] }[],
): string {
  const server = document.servers[0]?.url ?? '';
  const basePath = root.replace(/\/docs$/, '');
  const [purpose = ''] = document.info.description.split('\n\n');
  const line = ({ address, title, about }: Pick<Page, 'address' | 'title' | 'about'>) =>
    `- [${title}](${server}${address.slice(basePath.length)})${about === undefined ? '' : `: ${about}`}`;
  const guideLines = guides.map(({ name, text, about }) =>
    line({ address: `${root}/guides/${name}.md`, title: titleOf(text), about }),
  );
  const parts = [
    `# ${document.info.title}`,
    `> ${purpose.replaceAll('\n', ' ')}`,
    '## Guides',
    guideLines.join('\n'),
    '## Reference',
    `- [OpenAPI document](${server}/api-openapi): everything below for programs, as JSON`,
    ...groups.map(({ title, entries }) => `### ${title}\n\n${entries.map(line).join('\n')}`),
  ];
  return `${parts.join('\n\n')}\n`;
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
