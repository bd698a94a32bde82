import type { Figure } from './measure.ts';
import { ratioText, spreadText, type Report } from './report.ts';

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
  const parts = [text(16, 24, 'Hourkeep: requests per second, and latency from p50 to p99', 'head')];
  parts.push(...captions.map((caption, i) => text(16, 44 + i * 16, caption, 'caption')));
  let y = 34 + captions.length * 18;
  for (const { title, rows = [] } of reports) {
    const drawn = rows.filter(({ ours, reference }) => ours.perSecond ?? reference.perSecond);
    if (drawn.length === 0) continue;
    parts.push(text(16, y + 14, title, 'title'));
    y += 26;
    const most = Math.max(
      ...drawn.flatMap((row) => [row.ours, row.reference]).map((side) => side.perSecond ?? 0),
    );
    for (const row of drawn) {
      // With the ratio and its spread, which is what a bar cannot show.
      const spread = spreadText(row) === '' ? '' : `: ${ratioText(row)} (${spreadText(row)})`;
      parts.push(line(row.what + spread, row.ours, most, y, 'ours'));
      parts.push(line(row.against, row.reference, most, y + LINE, 'other'));
      y += 2 * LINE + GAP;
    }
    y += GAP;
  }
  const axis = [0.1, 1, 10, 100, 1000].map(
    (ms) => `<path class="grid" d="M${at(ms)} 52V${y}"/>${text(at(ms), y + 16, `${ms} ms`, 'tick')}`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${y + 30}" role="img">
<title>Throughput and latency of Hourkeep</title>
<style>${STYLE}</style>
<rect width="100%" height="100%" class="paper"/>
${[...axis, ...parts].join('\n')}
</svg>
`;
}

const STYLE = `
  text { font: 13px system-ui, sans-serif; fill: #1d2733 }
  .head { font-size: 16px; font-weight: 600 } .title { font-weight: 600 }
  .caption, .tick, .other { fill: #5c6b7a } .tick { text-anchor: middle; font-size: 11px }
  .paper { fill: #fff } .grid { stroke: #e3e8ee }
  rect.ours { fill: #2563a8 } rect.other { fill: #b9c4d0 }
  path.ours { stroke: #2563a8 } path.other { stroke: #8b99a8 } path { stroke-width: 3; stroke-linecap: round }
  path.grid { stroke-width: 1 }`;

/** The label, the bar with its number, and the latency. */
function line(label: string, { perSecond, ms, p99 }: Figure, most: number, y: number, kind: string): string {
  const width = ((perSecond ?? 0) / most) * BAR;
  const bar = `x="${LABEL}" y="${y + 3}" width="${width.toFixed(1)}" height="${LINE - 5}" rx="2"`;
  const count = perSecond === undefined ? '' : Math.round(perSecond).toLocaleString('en');
  const latency = ms && p99 ? `<path class="${kind}" d="M${at(ms)} ${y + 9}H${at(p99)}"/>` : '';
  return [
    text(28, y + 13, label, kind),
    `<rect class="${kind}" ${bar}/>`,
    text(LABEL + width + 6, y + 13, count, kind),
    latency,
  ].join('');
}

function at(ms: number): string {
  const bounded = Math.min(Math.max(ms, FASTEST), SLOWEST);
  return (LATENCY + (Math.log(bounded / FASTEST) / Math.log(SLOWEST / FASTEST)) * LATENCY_WIDTH).toFixed(1);
}

function text(x: number | string, y: number, content: string, kind: string): string {
  const escaped = content.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<text x="${x}" y="${y}" class="${kind}">${escaped}</text>`;
}
