import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after } from 'node:test';
import type { DemoFile } from '../../src/demo/demo.ts';
import { makeFolder, startProcess } from '../support/process.ts';

const folder = makeFolder();
const settings = { BASE_PATH: '/hourkeep', UNPAID_CANCEL_MINUTES: '2' };
/** Of the folder in which the service has its data: for commands beside it. */
export const place = { DATA_DIR: folder.path };

/** A service with demo data, in a process of its own, under a base path and without a limit that clicking would meet. */
export const service = await startProcess('serve', {
  ...place,
  ...settings,
  RATE_LIMIT_SANDBOX: '0',
  RATE_LIMIT_PRODUCTION: '0',
});
export const demo = JSON.parse(readFileSync(join(folder.path, 'demo.json'), 'utf8')) as DemoFile;
after(async () => {
  await service.end();
  folder.remove();
});
