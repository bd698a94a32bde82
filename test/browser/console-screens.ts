import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { engines } from '../support/engines.ts';
import { insertManyBookings } from '../support/many-bookings.ts';
import { TestClock } from '../support/clock.ts';
import { startWorld, type World } from '../support/world.ts';
import { openChromium, violations } from './chromium.ts';
import { daysFromNow, keepPicture, signIn, visit, WIDE } from './console-support.ts';

// npm run test:browser: spaces, money and webhooks in the console.

const browser = await openChromium();
if (browser !== undefined) inBrowser(browser);

function inBrowser(browser: Browser): void {
  after(() => browser.close());

  describe('the console’s screens', () => {
    let world: World;
    let hostId: string;
    let key: string;
    before(async () => {
      // The page has the machine's clock, so the service starts with it too.
      world = await startWorld(engines[0]!, {}, new TestClock(new Date().toISOString()));
      hostId = await world.addHost();
      ({ key } = await world.addKey(hostId));
    });
    after(() => world.close());

    /** As a host, on one page; fails when the page has complained or asked anybody else. */
    async function asHost(
      path: string,
      use: (page: Page) => Promise<void>,
      options: BrowserContextOptions = WIDE,
      as = key,
    ): Promise<void> {
      const { page, faults, close } = await visit(browser, world.url, path, options);
      await signIn(page, as);
      await use(page);
      assert.deepEqual(faults(), []);
      await close();
    }

    describe('money', () => {
      test('says of both numbers of a month what they count', async () => {
        await asHost('/money', async (page) => {
          await page.getByText(/^These four count all your bookings/).waitFor();
          await page.getByText(/^This counts only bookings made through the API/).waitFor();
        });
      });

      test('a month is read in several ways, and what cannot be read is marked and changes nothing', async () => {
        await asHost('/money?month=2026-01', async (page) => {
          const box = page.getByRole('textbox', { name: 'Month' });
          await page.getByText('There are no API bookings in January 2026.').waitFor();
          await box.fill('March 2026');
          await page.getByText('There are no API bookings in March 2026.').waitFor();
          await box.fill('05/2026');
          await page.getByText('There are no API bookings in May 2026.').waitFor();
          await box.fill('2026-13');
          await page.getByText('Write a month like 2027-03 or March 2027.').waitFor();
          assert.equal(await box.getAttribute('aria-invalid'), 'true');
          assert.deepEqual(await violations(page), []);
          await page.getByText('There are no API bookings in May 2026.').waitFor();
          assert.match(page.url(), /month=2026-05$/);
        });
      });

      test('a long report has pages', async () => {
        const busy = await world.addHost();
        await world.addSpace(busy);
        const days = Array.from({ length: 10 }, (_, day) => `2026-03-${String(day + 10)}`);
        await insertManyBookings(world.ctx.db, {
          hostId: busy,
          environment: 'production',
          days,
          perDay: 12,
          today: daysFromNow(0),
        });
        const { key: busyKey } = await world.addKey(busy);
        const path = '/api-settlement-report/api/v1/settlement/report?month=2026-03';
        const { body } = await world.call('GET', path, { key: busyKey });
        const lines = (body.data as { lines: unknown[] }).lines.length;
        assert.ok(lines > 100 && lines < 150, `${lines} lines make three pages`);
        const options = { ...WIDE, viewport: { width: 1000, height: 800 } };
        await asHost(
          '/money?month=2026-03',
          async (page) => {
            const rows = page.getByRole('table', { name: 'Bookings of the report' }).getByRole('row');
            await page.getByText(`Page 1, ${lines} in all`).waitFor();
            assert.equal(await rows.count(), 51);
            await page.getByRole('button', { name: 'Next page' }).click();
            await page.getByRole('button', { name: 'Next page' }).click();
            await page.getByText(`Page 3, ${lines} in all`).waitFor();
            assert.equal(await rows.count(), lines - 100 + 1);
            assert.ok(await page.getByRole('button', { name: 'Next page' }).isDisabled());
            await keepPicture(page, 'long-report');
          },
          options,
          busyKey,
        );
      });
    });
  });
}
