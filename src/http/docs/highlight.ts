import { escapeHtml } from './html.ts';

const KEYWORDS =
  'and array as async await break catch const continue curl def echo else except export false False fn for foreach ' +
  'from func function GET git HTTP if import in jq let new nil None not npm npx null of or package POST print raise ' +
  'range require return string throw true True try use var with';

const PATTERN = new RegExp(
  [
    String.raw`(?<comment>(?<=^|\s)# .*|(?<![:\w"'])//.*|/\*[^]*?\*/)`,
    String.raw`(?<name>"\w+"(?=:))`,
    String.raw`(?<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|\`(?:[^\`\\]|\\.)*\`)`,
    String.raw`(?<word>\b(?:${KEYWORDS.replaceAll(' ', '|')})\b)`,
    String.raw`(?<number>\b\d[\d.]*\b)`,
  ].join('|'),
  'gm',
);

/** Code as HTML, with one pattern for the languages of our samples: enough for short ones. Plain text stays plain. */
export function highlight(code: string, language: string): string {
  if (language === 'text') return escapeHtml(code);
  let html = '';
  let end = 0;
  for (const { 0: text, index, groups = {} } of code.matchAll(PATTERN)) {
    const kind = Object.keys(groups).find((name) => groups[name] !== undefined);
    html += `${escapeHtml(code.slice(end, index))}<span class="t-${kind}">${escapeHtml(text)}</span>`;
    end = index + text.length;
  }
  return html + escapeHtml(code.slice(end));
}
