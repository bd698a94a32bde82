import { after } from 'node:test';
import { openChromium } from './chromium.ts';

const opened = await openChromium();
if (opened === undefined) process.exit();

/** For the tests of one file. Where there is none, the file's tests end here. */
export const browser = opened;
after(() => browser.close());
