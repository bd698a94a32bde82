import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { shipped } from '../../shipped.ts';
import { endpointsOf, withoutRefs, type Document } from './document.ts';
import { html, type Html } from './html.ts';
import { layout, type Entry, type Frame } from './layout.ts';
import { Markdown, titleOf, type Links } from './markdown.ts';
import { eventPage, operationPage } from './reference.ts';
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

interface Group {
  readonly title: string;
  readonly entries: readonly Page[];
}

export interface Site {
  /** What stands at this address: a page, its Markdown, the search index or a text for language models. */
  textAt(address: string): string | undefined;
  /** For people who follow a link to a page that is not there. */
  readonly notFound: string;
}

/** The guides and the reference as one site. A page is rendered when it is asked for; samples have dates ahead of `today`. */
export function createSite(
  published: Document,
  frame: Omit<Frame, 'groups'>,
  today: Temporal.PlainDate,
): Site {
  const { root } = frame;
  const document = withoutRefs(published);
  const base = document.servers[0]?.url ?? '';
  const endpoints = endpointsOf(document);
  const guides = readGuides(base);
  const markdown = new Markdown(linksOf(root, endpoints, guides));

  const guideGroups = [...new Set(guides.map(({ group }) => group))].map((title): Group => ({
    title,
    entries: guides
      .filter(({ group }) => group === title)
      .map(({ name, text, about }) => ({
        address: `${root}/guides/${name}`,
        title: titleOf(text),
        about,
        markdown: () => text,
      })),
  }));
  const referenceGroups = document.tags.map(({ name }): Group => ({
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
  const groups = [...guideGroups, ...reference];
  const home: Page = {
    address: root,
    title: 'Overview',
    about: '',
    markdown: () => homePage(document, base, guideGroups, reference),
  };
  const listed = groups.flatMap(({ entries }) => entries);
  const pages = new Map([home, ...listed].map((page) => [page.address, page]));
  const show = (page: Page, content: Html) => layout({ ...frame, groups }, page, content).text;
  const plain = (page: Page) => withAddresses(page.markdown(), base, guides);
  const texts: Record<string, () => string> = {
    [`${root}/search.json`]: () => searchIndex(listed, markdown),
    [root.replace(/docs$/, 'llms.txt')]: () => llmsText(document, base, root, groups),
    [root.replace(/docs$/, 'llms-full.txt')]: () => listed.map(plain).join('\n\n'),
  };
  return {
    textAt: (address) => {
      const source = address.endsWith('.md') ? pages.get(address.slice(0, -3)) : undefined;
      if (source !== undefined) return plain(source);
      const page = pages.get(address);
      return page ? show(page, page.content?.() ?? markdown.block(page.markdown())) : texts[address]?.();
    },
    get notFound() {
      const text = `# Page not found\n\nThere is no such page. Search for it, or start at the [overview](${root}).`;
      return show({ ...home, address: '', title: 'Page not found' }, markdown.block(text));
    },
  };
}

interface Guide {
  readonly name: string;
  readonly file: string;
  /** The heading that it stands under in the list of guides. */
  readonly group: string;
  /** What that list says about it. */
  readonly about: string;
  readonly text: string;
}

/** In the order and the groups of docs/guides/README.md. Samples that name the local service name this one. */
function readGuides(base: string): Guide[] {
  const index = readFileSync(join(GUIDES, 'README.md'), 'utf8');
  let group = '';
  return index.split('\n').flatMap((line) => {
    group = /^## (.+)$/.exec(line)?.[1] ?? group;
    const [, file, about = ''] = /^- \[[^\]]+\]\(([\w./-]+\.md)\): (.+)$/.exec(line) ?? [];
    if (file === undefined) return [];
    const text = readFileSync(join(GUIDES, file), 'utf8').replaceAll(LOCAL_SERVICE, base);
    return { name: posix.basename(file, '.md').toLowerCase(), file, group, about, text };
  });
}

const LOCAL_SERVICE = /http:\/\/127\.0\.0\.1:3000|https:\/\/api\.example\.com/g;

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
      if (file === '' || /^(?:https?:|\/)/.test(file)) return href;
      const address = byFile.get(posix.basename(file));
      return address === undefined || anchor === undefined ? address : `${address}#${anchor}`;
    },
  };
}

/** Links between guides lead to their Markdown; those to files that are not on this site become plain words. */
function withAddresses(text: string, base: string, guides: readonly Guide[]): string {
  const nameOf = new Map(guides.map(({ file, name }) => [posix.basename(file), name]));
  return text.replaceAll(
    /\[([^\]]+)\]\(([\w./-]+\.md)(#[\w-]+)?\)/g,
    (_, words: string, file: string, anchor = '') => {
      const name = nameOf.get(posix.basename(file));
      return name === undefined ? words : `[${words}](${base}/docs/guides/${name}.md${anchor})`;
    },
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
function llmsText(document: Document, base: string, root: string, groups: readonly Group[]): string {
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

/** One request with its response, three ways on, then everything there is. */
function homePage(
  document: Document,
  base: string,
  guides: readonly Group[],
  reference: readonly Group[],
): string {
  const spaces = endpointsOf(document).find(({ operation }) => operation.operationId === 'listSpaces')!;
  const response = spaces.operation.responses['200']?.content?.['application/json']?.example;
  const { data } = response as { data: { spaces: Record<string, unknown>[] } };
  const [{ id, title, price_per_hour, currency, timezone } = {}] = data.spaces;
  const shown = { success: true, data: { spaces: [{ id, title, price_per_hour, currency, timezone }] } };
  const [purpose = ''] = document.info.description.split('\n\n');
  const list = ({ title, entries }: Group) =>
    `**${title}**\n\n${entries.map((page) => `- [${page.title}](${page.address}): ${page.about}`).join('\n')}`;
  return `# ${document.info.title}

${purpose}

The base URL is \`${base}\`. A first request:

\`\`\`sh
curl "${base}${spaces.path}" \\
  -H "Authorization: Bearer $HOURKEEP_API_KEY"
\`\`\`

Its response, without most fields of a space:

\`\`\`json
${JSON.stringify(shown, null, 2)}
\`\`\`

## Where to start

- [Quickstart](quickstart.md): a first booking in two minutes
- [Keep a mirror](mirror.md): a copy of your bookings that never drifts
- [Webhooks](webhooks.md): hear of changes as they happen

## Guides

${guides.map(list).join('\n\n')}

## Reference

${reference.map(list).join('\n\n')}
`;
}
