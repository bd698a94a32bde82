import { ratioText, spreadText, type Report, type Row } from './report.ts';

const WIDTH = 1060;
const LABEL = 490;
const BAR = 250;
const LATENCY = LABEL + BAR + 90;
const LATENCY_WIDTH = WIDTH - LATENCY - 40;
const LINE = 18;
const GAP = 10;
/** The ends of the latency axis, in milliseconds; each tenfold is as wide as the next. */
const [FASTEST, SLOWEST] = [0.1, 1000];

/** Throughput as bars and latency from p50 to p99, of every comparison that has both. An SVG file that needs nothing. */
export function chart(reports: readonly Report[], captions: readonly string[]): string {
  const parts: string[] = [];
  let y = 34 + captions.length * 18;
  for (const { title, rows = [] } of reports) {
    const drawn = rows.filter(({ ours, reference }) => (ours.perSecond ?? reference.perSecond) !== undefined);
    if (drawn.length === 0) continue;
    parts.push(text(16, y + 14, title, 'title'));
    y += 26;
    const most = Math.max(
      ...drawn.flatMap(({ ours, reference }) => [ours.perSecond ?? 0, reference.perSecond ?? 0]),
    );
    for (const row of drawn) {
      parts.push(
        measured(labelOf(row), row.ours, most, y, 'ours'),
        measured(row.against, row.reference, most, y + LINE, 'other'),
      );
      y += 2 * LINE + GAP;
    }
    y += GAP;
  }
  const axis = [0.1, 1, 10, 100, 1000].map(
    (ms) => `<path class="grid" d="M${at(ms)} 52V${y}"/>${text(at(ms), y + 16, `${ms} ms`, 'tick')}`,
  );
  const head = [
    text(16, 24, 'Hourkeep: requests per second, and latency from p50 to p99', 'head'),
    ...captions.map((caption, i) => text(16, 44 + i * 16, caption, 'caption')),
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${y + 30}" role="img">
<title>Throughput and latency of Hourkeep</title>
<style>${STYLE}</style>
<rect width="100%" height="100%" class="paper"/>
${[...axis, ...head, ...parts].join('\n')}
</svg>
`;
}

/** With the ratio and its spread, which is what a bar cannot show. */
function labelOf(row: Row): string {
  return row.spread === undefined ? row.what : `${row.what}: ${ratioText(row)} (${spreadText(row)})`;
}

const STYLE = `
  text { font: 13px system-ui, sans-serif; fill: #1d2733 }
  .head { font-size: 16px; font-weight: 600 } .title { font-weight: 600 }
  .caption, .tick, .other { fill: #5c6b7a } .tick { text-anchor: middle; font-size: 11px }
  .paper { fill: #fff } .grid { stroke: #e3e8ee }
  rect.ours { fill: #2563a8 } rect.other { fill: #b9c4d0 }
  path.ours { stroke: #2563a8 } path.other { stroke: #8b99a8 } path { stroke-width: 3; stroke-linecap: round }
  path.grid { stroke-width: 1 }`;

function measured(
  label: string,
  { perSecond, p50, p99 }: Row['ours'],
  most: number,
  y: number,
  kind: 'ours' | 'other',
): string {
  const parts = [text(28, y + 13, label, kind)];
  if (perSecond !== undefined) {
    const width = (perSecond / most) * BAR;
    parts.push(
      `<rect class="${kind}" x="${LABEL}" y="${y + 3}" width="${width.toFixed(1)}" height="${LINE - 5}" rx="2"/>`,
    );
    parts.push(text(LABEL + width + 6, y + 13, Math.round(perSecond).toLocaleString('en'), kind));
  }
  if (p50 !== undefined && p99 !== undefined)
    parts.push(`<path class="${kind}" d="M${at(p50)} ${y + 9}H${at(p99)}"/>`);
  return parts.join('');
}

function at(ms: number): string {
  const bounded = Math.min(Math.max(ms, FASTEST), SLOWEST);
  return (LATENCY + (Math.log(bounded / FASTEST) / Math.log(SLOWEST / FASTEST)) * LATENCY_WIDTH).toFixed(1);
}

function text(x: number | string, y: number, content: string, kind: string): string {
  const escaped = content.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<text x="${x}" y="${y}" class="${kind}">${escaped}</text>`;
}
