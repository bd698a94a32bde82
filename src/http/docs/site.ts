import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { ERROR_STATUS, OTHER_STATUS } from '../../errors.ts';
import { shipped } from '../../shipped.ts';
import { endpointsOf, withoutRefs, type Document, type Endpoint } from '../openapi/published.ts';
import { html, type Html } from './html.ts';
import { layout, type Entry, type Frame, type Group } from './layout.ts';
import { Markdown, titleOf, type Links } from './markdown.ts';
import { eventPage, operationPage } from '../openapi/reference.ts';
import { tryForm } from './try-form.ts';

const GUIDES = shipped('docs/guides');

/** Every page is Markdown: the site shows it as HTML, and serves it as it is at the same address with `.md`. */
interface Page extends Entry {
  /** A few words for a list. */
  readonly about: string;
  markdown(): string;
  /** As HTML, where that has more than its Markdown. */
  content?(): Html;
}

/**
 * The guides and the reference as one site. Answers what stands at an address: a page, its Markdown, the search index or a text
 * for language models. At the empty address is the page for those who follow a link to a page that is not there. A page is
 * rendered when it is asked for; samples have dates ahead of `today`.
 */
export function createSite(
  published: Document,
  frame: Omit<Frame, 'groups'>,
  today: Temporal.PlainDate,
): (address: string) => string | undefined {
  const { root } = frame;
  const document = withoutRefs(published);
  const base = document.servers[0]?.url ?? '';
  const endpoints = endpointsOf(document);
  const guides = readGuides(root, base);
  const names = new Set(
    guides.flatMap(({ entries }) => entries.map(({ address }) => posix.basename(address))),
  );
  const markdown = new Markdown(linksOf(root, endpoints, names));

  const referenceGroups = document.tags.map(({ name }): Group<Page> => ({
    title: `${name} API`,
    entries: endpoints
      .filter(({ operation }) => operation.tags[0] === name)
      .map((endpoint) => {
        const { method, path, operation } = endpoint;
        const parts = () => operationPage(endpoint, today);
        return {
          address: `${root}/reference/${operation.operationId}`,
          title: operation.summary,
          method,
          about: `${method} ${path}`,
          markdown: () => parts().join('\n'),
          content: () => {
            const [request, details] = parts().map((part) => markdown.block(part));
            return html`${request}${tryForm(endpoint)}${details}`;
          },
        };
      }),
  }));
  const events = Object.entries(document.webhooks).map(([name, { post }]): Page => ({
    address: `${root}/events/${name}`,
    title: name,
    about: 'an event that your webhooks receive',
    markdown: () => eventPage(name, post),
  }));

  const reference = [...referenceGroups, { title: 'Events', entries: events }];
  const groups = [...guides, ...reference];
  const home: Page = {
    address: root,
    title: 'Overview',
    about: '',
    markdown: () => overview(base, reference),
  };
  const listed = groups.flatMap(({ entries }) => entries);
  const pages = new Map([home, ...listed].map((page) => [page.address, page]));
  const show = (page: Page, content: Html) => layout({ ...frame, groups }, page, content).text;
  const plain = (page: Page) => withAddresses(page.markdown(), base, names);
  const texts: Record<string, () => string> = {
    [`${root}/search.json`]: () => searchIndex(listed, markdown),
    [root.replace(/docs$/, 'llms.txt')]: () => llmsText(document, base, root, groups),
    [root.replace(/docs$/, 'llms-full.txt')]: () => listed.map(plain).join('\n\n'),
  };
  const missing = `# Page not found\n\nThere is no such page. Search for it, or start at the [overview](${root}).`;
  return (address) => {
    if (address === '') return show({ ...home, address, title: 'Page not found' }, markdown.block(missing));
    const source = address.endsWith('.md') ? pages.get(address.slice(0, -3)) : undefined;
    if (source !== undefined) return plain(source);
    const page = pages.get(address);
    return page ? show(page, page.content?.() ?? markdown.block(page.markdown())) : texts[address]?.();
  };
}

/** The list of guides, which begins with a first request, and that of the reference. */
function overview(base: string, reference: readonly Group<Page>[]): string {
  const list = ({ title, entries }: Group<Page>) =>
    `## ${title}\n\n${entries.map((page) => `- [${page.title}](${page.address}): ${page.about}`).join('\n')}`;
  return `${guideText('README.md', base)}\n${reference.map(list).join('\n\n')}\n`;
}

/** Samples that name the local service name this one. */
function guideText(file: string, base: string): string {
  return readFileSync(join(GUIDES, file), 'utf8').replaceAll(LOCAL_SERVICE, base);
}

/** In the order and the groups of docs/guides/README.md. */
function readGuides(root: string, base: string): Group<Page>[] {
  const groups = guideText('README.md', base).split(/^## /m).slice(1);
  return groups.map((text) => ({
    title: text.slice(0, text.indexOf('\n')),
    entries: [...text.matchAll(/^- \[[^\]]+\]\(([\w./-]+\.md)\): (.+)$/gm)].map(
      ([, file = '', about = '']) => {
        const guide = guideText(file, base);
        return {
          address: `${root}/guides/${nameOf(file)}`,
          title: titleOf(guide),
          about,
          markdown: () => guide,
        };
      },
    ),
  }));
}

/** By the last part: the changelog is in another folder, and links to guides from there. */
function nameOf(file: string): string {
  return posix.basename(file, '.md').toLowerCase();
}

const LOCAL_SERVICE = /http:\/\/127\.0\.0\.1:3000|https:\/\/api\.example\.com/g;

function linksOf(root: string, endpoints: readonly Endpoint[], guides: ReadonlySet<string>): Links {
  const byCode = new Map(
    endpoints.map(({ method, path, operation }) => [
      `${method} ${path}`,
      `${root}/reference/${operation.operationId}`,
    ]),
  );
  for (const code of Object.keys({ ...ERROR_STATUS, ...OTHER_STATUS }))
    byCode.set(code, `${root}/guides/errors#${code.toLowerCase()}`);
  return {
    code: (text) => byCode.get(text),
    address: (href) => {
      const [file = '', ...anchor] = href.split(/(?=#)/);
      if (/^(?:https?:|\/|#|$)/.test(file)) return href;
      return guides.has(nameOf(file)) ? `${root}/guides/${nameOf(file)}${anchor.join('')}` : undefined;
    },
  };
}

/** Links between guides lead to their Markdown; those to files that are not on this site become plain words. */
function withAddresses(text: string, base: string, guides: ReadonlySet<string>): string {
  return text.replaceAll(
    /\[([^\]]+)\]\(([\w./-]+\.md)(#[\w-]+)?\)/g,
    (_, words: string, file: string, anchor = '') =>
      guides.has(nameOf(file)) ? `[${words}](${base}/docs/guides/${nameOf(file)}.md${anchor})` : words,
  );
}

/** Every section of every page. Of the changelog only its first words: whoever searches wants what is so today. */
function searchIndex(pages: readonly Page[], markdown: Markdown): string {
  const sections = pages.flatMap(({ address, title, markdown: text }) =>
    markdown
      .sections(text())
      .slice(0, address.endsWith('/changelog') ? 1 : undefined)
      .map(({ anchor, ...section }, at) => ({
        id: at === 0 ? address : `${address}#${anchor}`,
        page: title,
        ...section,
      })),
  );
  return JSON.stringify(sections);
}

/** What there is to read, for programs that read for people (llmstxt.org). */
function llmsText(document: Document, base: string, root: string, groups: readonly Group<Page>[]): string {
  const basePath = root.replace(/\/docs$/, '');
  const line = ({ address, title, about }: Page) =>
    `- [${title}](${base}${address.slice(basePath.length)}.md): ${about}`;
  const [purpose = ''] = document.info.description.split('\n\n');
  const parts = [
    `# ${document.info.title}`,
    `> ${purpose.replaceAll('\n', ' ')}`,
    `- [All of it in one file](${base}/llms-full.txt)\n- [OpenAPI document](${base}/api-openapi): the API for programs, as JSON`,
    ...groups.map(({ title, entries }) => `## ${title}\n\n${entries.map(line).join('\n')}`),
  ];
  return `${parts.join('\n\n')}\n`;
}
