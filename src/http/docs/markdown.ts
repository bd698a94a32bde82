import { Marked, Renderer, type Token, type Tokens } from 'marked';
import { highlight } from './highlight.ts';
import { escapeHtml, Html, html } from './html.ts';

/** Where the words of a text lead. Undefined: nowhere on this site, then they stay plain. */
export interface Links {
  /** A link as it is written in a Markdown file. */
  address(href: string): string | undefined;
  /** An endpoint or an error code, as it stands between backticks. */
  code(text: string): string | undefined;
}

/** A heading with all that stands under it, for the search. */
interface Section {
  heading: string;
  anchor: string;
  text: string;
}

/** Markdown as this site shows it. All of it is ours, from this repository, so nothing has to be sanitised. */
export class Markdown {
  readonly #marked: Marked;

  constructor(links: Links) {
    this.#marked = new Marked({ renderer: renderer(links) });
  }

  block(text: string): Html {
    return new Html(this.#marked.parse(text, { async: false }));
  }

  sections(text: string): Section[] {
    const sections: Section[] = [];
    for (const token of this.#marked.lexer(text)) {
      if (token.type === 'heading') {
        const heading = plainText(token.raw.replace(/^#+/, ''));
        sections.push({ heading, anchor: anchorOf(heading), text: '' });
      } else if (token.type !== 'code' && sections.length > 0) {
        sections.at(-1)!.text += ` ${plainText(token.raw)}`;
      }
    }
    return sections;
  }
}

export function titleOf(text: string): string {
  return plainText(/^# (.+)$/m.exec(text)?.[1] ?? 'Untitled');
}

/** As GitHub makes them, so that a link works there too. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .trim()
    .replaceAll(/\s/g, '-');
}

function plainText(markdown: string): string {
  return markdown
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*|]|-{3,}/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

function renderer(links: Links): Partial<Renderer> {
  const inner = (self: Renderer, tokens: Token[]) => self.parser.parseInline(tokens);
  return {
    heading(this: Renderer, { tokens, depth, raw }: Tokens.Heading) {
      const anchor = anchorOf(plainText(raw.replace(/^#+/, '')));
      return `<h${depth} id="${anchor}"><a href="#${anchor}">${inner(this, tokens)}</a></h${depth}>\n`;
    },
    link(this: Renderer, { href, tokens }: Tokens.Link) {
      const address = links.address(href);
      const text = inner(this, tokens);
      return address === undefined ? text : `<a href="${escapeHtml(address)}">${text}</a>`;
    },
    codespan({ text }: Tokens.Codespan) {
      const address = links.code(text);
      const code = `<code>${escapeHtml(text)}</code>`;
      return address === undefined ? code : `<a href="${escapeHtml(address)}">${code}</a>`;
    },
    code: codeBlock,
    table(this: Renderer, token: Tokens.Table) {
      const table = Renderer.prototype.table.call(this, token);
      return `<div class="table" tabindex="0">${table}</div>`;
    },
  };
}

/** The samples of several languages, by what stands behind the opening fence. Neighbours become tabs in the browser. */
const TABS: Readonly<Record<string, string>> = {
  'sh curl': 'curl',
  ts: 'TypeScript',
  python: 'Python',
  php: 'PHP',
  go: 'Go',
};

function codeBlock({ text, lang = 'text' }: Tokens.Code): string {
  const tab = TABS[lang];
  return html`<div class="code" ${tab && html` data-tab="${tab}"`}>
    <pre tabindex="0"><code>${new Html(highlight(text, lang.split(' ')[0]!))}</code></pre>
  </div>`.text;
}
