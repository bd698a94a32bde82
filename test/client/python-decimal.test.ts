import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import * as payments from '../../src/payments/payments.ts';
import { missingClients } from '../conformance/client-process.ts';
import { openDesk } from '../support/booking.ts';
import { onOneEngine } from '../support/engines.ts';
import { operator } from '../support/operator.ts';
import { playExample, table } from '../support/worked-example.ts';
import { useWorld } from '../support/world.ts';

// That Python is there in CI, the conformance suite asks.
if (!missingClients().includes('Python'))
  onOneEngine('the Python client with decimal=True', (engine) => {
    const world = useWorld(engine);

    const read = async (key: string, ...months: string[]): Promise<unknown[]> => {
      const file = join(import.meta.dirname, 'python-decimal.py');
      const env = { ...process.env, HOURKEEP_API_KEY: key, HOURKEEP_URL: world.url };
      const { stdout } = await promisify(execFile)('python3', [file, ...months], { env });
      const lines = stdout.trim().split('\n');
      return lines.map((line) => JSON.parse(line) as unknown);
    };

    test('reads amounts as Decimal, which add up to the sums of closed months', async () => {
      const { key } = await playExample(world);
      const closing = table('field').find((row) => row['field'] === 'closing_balance')!;
      assert.deepEqual(await read(key, '2027-03', '2027-04'), [
        ['2027-03', String(Number(closing['March']))],
        ['2027-04', closing['April']],
      ]);
    });

    // Floats add up to 0.30000000000000004, and KRW has whole amounts alone.
    for (const [currency, price, balance] of [
      ['KWD', 0.1, '0.34'],
      ['KRW', 9000, '30600'],
    ] as const)
      test(`adds up what is in ${currency}`, async () => {
        const desk = await openDesk(world, { currency, commission_rate: 0.15 }, { price_per_hour: price });
        for (const hour of [10, 11, 12, 13]) {
          const made = await desk.book({
            start_hour: hour,
            end_hour: hour + 1,
            settlement_mode: 'platform_settled',
          });
          await payments.confirm(world.ctx, operator, made.body.data.booking.id, null);
        }
        assert.deepEqual(await read(desk.key, '2027-06'), [['2027-06', balance]]);
      });
  });
