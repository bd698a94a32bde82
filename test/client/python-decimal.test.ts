import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { missingClients } from '../conformance/client-process.ts';
import { onBothEngines } from '../support/engines.ts';
import { playExample, table } from '../support/worked-example.ts';
import { useWorld } from '../support/world.ts';

// That Python is there in CI, the conformance suite asks.
if (!missingClients().includes('Python'))
  onBothEngines('the Python client with decimal=True', (engine) => {
    const world = useWorld(engine);

    test('reads amounts as Decimal, which add up to the sums of the reports', async () => {
      const { key } = await playExample(world);
      const { stdout } = await promisify(execFile)(
        'python3',
        [join(import.meta.dirname, 'python-decimal.py'), '2027-03', '2027-04'],
        { env: { ...process.env, HOURKEEP_API_KEY: key, HOURKEEP_URL: world.url } },
      );
      const closing = table('field').find((row) => row['field'] === 'closing_balance')!;
      assert.deepEqual(
        stdout
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line) as unknown),
        [
          ['2027-03', String(Number(closing['March']))],
          ['2027-04', closing['April']],
        ],
      );
    });
  });
