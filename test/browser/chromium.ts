import { accessSync, constants, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import axe, { type AxeResults } from 'axe-core';
import { chromium, type Browser, type BrowserContext, type LaunchOptions, type Page } from 'playwright-core';

const PROGRAM = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

/** Debian's Chromium, or undefined after a loud line. In CI a missing browser is a failure. */
export async function openChromium(): Promise<Browser | undefined> {
  try {
    accessSync(PROGRAM, constants.X_OK);
  } catch {
    const line = '!'.repeat(100);
    process.stderr.write(
      `${line}\nNo Chromium at ${PROGRAM} (Debian: apt-get install chromium; or name another in CHROMIUM).\n` +
        `What people see in a browser is NOT TESTED in this run.\n${line}\n`,
    );
    if (process.env['CI'] === 'true') throw new Error('CI must have Chromium');
    return undefined;
  }
  return chromium.launch(LAUNCH);
}

/** A person's own window, whose profile lies in a folder: what a window without a past cannot do, such as installing an app. */
export async function openProfile(folder: string): Promise<BrowserContext> {
  return chromium.launchPersistentContext(folder, LAUNCH);
}

const LAUNCH: LaunchOptions = {
  executablePath: PROGRAM,
  // As root, and without asking anybody's servers for anything.
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
};

/** What a page must not do: errors, complaints, and requests to anybody but the service. */
export function watch(page: Page, origin: string): string[] {
  const found: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') found.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => found.push(`error: ${error.message}`));
  page.on('request', (request) => {
    if (!request.url().startsWith(`${origin}/`)) found.push(`asked for ${request.url()}`);
  });
  return found;
}

/** Everything that axe finds against accessibility on the page as it is now, or in one part of it. */
export async function violations(page: Page, part = 'html'): Promise<string[]> {
  // By the debugger, not as a script of the page: its content security policy would refuse that, as it should.
  await page.evaluate(axe.source);
  const run = `axe.run('${part}', { resultTypes: ['violations'] })`;
  const { violations } = (await page.evaluate(run)) as AxeResults;
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`,
  );
}

/** SHOTS=<folder> keeps pictures of what is looked at. */
export async function keepPicture(page: Page, name: string): Promise<void> {
  const folder = process.env['SHOTS'];
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`) });
}
