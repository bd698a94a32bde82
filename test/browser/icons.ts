import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openChromium } from './chromium.ts';

// npm run icons: the console's icons, drawn by Chromium from the one logo. Run it after a change of the logo.

const ROOT = join(import.meta.dirname, '../..');
const logo = readFileSync(join(ROOT, 'src/http/docs/browser/logo.svg'), 'utf8');

/** Systems cut these into a shape of their own: the ground fills the square, and the rest lies inside of the circle that none cuts. */
const fullBleed = logo
  .replace('rx="8" ', '')
  .replace('<path', '<g transform="translate(3.2 3.2) scale(.8)"><path')
  .replace('</svg>', '</g></svg>');

const browser = await openChromium();
if (browser === undefined) process.exit(1);
for (const [name, svg, size] of [
  ['icon-192', logo, 192],
  ['icon-512', logo, 512],
  ['icon-maskable-512', fullBleed, 512],
  ['apple-touch-icon', fullBleed, 180],
] as const) {
  const page = await browser.newPage({ viewport: { width: size, height: size } });
  await page.setContent(`<style>body { margin: 0 } svg { display: block; width: 100vw }</style>${svg}`);
  const png = await page.screenshot({ omitBackground: true });
  writeFileSync(join(ROOT, `console/public/${name}.png`), png);
}
await browser.close();
