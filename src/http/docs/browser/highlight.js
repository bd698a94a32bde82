// Used by the service for what it renders and by the page for what it changes.

const SCRIPT = {
  comment: '//.*|/\\*[\\s\\S]*?\\*/',
  words:
    'import from export function const let return if throw try catch new for of await async true false null',
};

/** @type {Record<string, { comment: string, words: string }>} */
const LANGUAGES = {
  json: { comment: '(?!)', words: 'true false null' },
  http: { comment: '(?!)', words: 'POST GET HTTP' },
  sh: { comment: '(?<=^|\\s)#.*', words: 'curl npx npm export git' },
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
  ruby: { comment: '#(?!\\{).*', words: 'def end raise if unless require do' },
  go: {
    comment: '//.*',
    words: 'package import func return if for range nil string error byte err var',
  },
};

const STRING = '"(?:[^"\\\\\\n]|\\\\.)*"|\'(?:[^\'\\\\\\n]|\\\\.)*\'|`(?:[^`\\\\]|\\\\.)*`';

/**
 * Code as HTML with its strings, numbers, comments, words and JSON's names marked. A few patterns, not a parser: good enough for
 * short samples, and a few hundred bytes where a library would be more than the rest of the page.
 * @param {string} code
 * @param {string} language
 * @returns {string}
 */
export function highlight(code, language) {
  const known = LANGUAGES[language];
  if (known === undefined) return escape(code);
  const words = `\\b(?:${known.words.replaceAll(' ', '|')})\\b`;
  const pattern = new RegExp(`(${known.comment})|(${STRING})|(${words})|(\\b\\d[\\d.]*\\b)`, 'gm');
  let html = '';
  let end = 0;
  for (const match of code.matchAll(pattern)) {
    const isName = language === 'json' && code[match.index + match[0].length] === ':';
    const kind = isName ? 'name' : KINDS[match.slice(1).findIndex((group) => group !== undefined)];
    html += `${escape(code.slice(end, match.index))}<span class="t-${kind}">${escape(match[0])}</span>`;
    end = match.index + match[0].length;
  }
  return html + escape(code.slice(end));
}

const KINDS = ['comment', 'string', 'word', 'number'];

/** @param {string} text */
function escape(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
