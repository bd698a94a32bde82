import { escapeHtml } from './html.ts';

const SCRIPT = {
  comment: '//.*|/\\*[\\s\\S]*?\\*/',
  words:
    'import from export function const let return if throw try catch new for of await async true false null',
};

const LANGUAGES: Readonly<Record<string, { comment: string; words: string }>> = {
  json: { comment: '(?!)', words: 'true false null' },
  http: { comment: '(?!)', words: 'POST GET HTTP' },
  sh: { comment: '(?<=^|\\s)#.*', words: 'curl jq npx npm export git' },
  ts: SCRIPT,
  js: SCRIPT,
  python: {
    comment: '#.*',
    words: 'import from def class return if else not raise try except for in with as and or True False None',
  },
  php: {
    comment: '/\\*[\\s\\S]*?\\*/|//.*',
    words:
      'function fn use require return echo if throw try catch new foreach as array string true false null',
  },
  go: { comment: '//.*', words: 'package import func return if for range nil string error byte err var' },
};

const STRING = '"(?:[^"\\\\\\n]|\\\\.)*"|\'(?:[^\'\\\\\\n]|\\\\.)*\'|`(?:[^`\\\\]|\\\\.)*`';
const KINDS = ['comment', 'string', 'word', 'number'];

/** Code as HTML with its strings, numbers, comments, keywords and JSON's names marked: enough for short samples. */
export function highlight(code: string, language: string): string {
  const known = LANGUAGES[language];
  if (known === undefined) return escapeHtml(code);
  const words = `\\b(?:${known.words.replaceAll(' ', '|')})\\b`;
  const pattern = new RegExp(`(${known.comment})|(${STRING})|(${words})|(\\b\\d[\\d.]*\\b)`, 'gm');
  let html = '';
  let end = 0;
  for (const match of code.matchAll(pattern)) {
    const isName = language === 'json' && code[match.index + match[0].length] === ':';
    const kind = isName ? 'name' : KINDS[match.slice(1).findIndex((group) => group !== undefined)];
    html += `${escapeHtml(code.slice(end, match.index))}<span class="t-${kind}">${escapeHtml(match[0])}</span>`;
    end = match.index + match[0].length;
  }
  return html + escapeHtml(code.slice(end));
}
