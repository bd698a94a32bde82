import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bookingRows, statementRows, toCsv } from '../../console/src/csv.ts';
import { exampleBooking } from '../../src/bookings/fields.ts';
import { getSettlementReport } from '../../src/settlement/operations.ts';
import type { SettlementReport } from '../../src/settlement/schemas.ts';

test('exported bookings have the columns that people read first, and then every other field', () => {
  const booking = { ...exampleBooking, cancellation_reason: '=1+1', newer: 'a, b' };
  const [header, row] = toCsv(bookingRows([booking], () => 'Riverside Studio')).split('\r\n');
  assert.match(
    header!,
    /^\uFEFFDate,Time,Hours,Space,Guest,Email,Phone,Status,Price,Currency,Settlement,Payment,Source,Id,/,
  );
  assert.match(row!, /^2027-03-18,10:00–12:00,2,Riverside Studio,Ada Miller,ada@example.com,/);
  assert.match(header!, /,newer$/);
  assert.match(row!, /,"a, b"$/);
  assert.ok(row!.includes(`,"'=1+1",`));
  const names = header!.split(',').slice(14);
  assert.deepEqual(
    names.filter((name) => !(name in booking)),
    [],
  );
  assert.equal(names.length + 14, Object.keys(booking).length);
});

test('amounts have all decimals of their currency, and only texts are kept from being formulas', () => {
  const dear = { ...exampleBooking, total_price: 1250, price_per_hour: 625, currency: 'KWD' };
  const [header, row] = toCsv(bookingRows([dear], () => '\tTab')).split('\r\n');
  assert.equal(row!.split(',')[header!.split(',').indexOf('Price')], '1250.000');
  assert.ok(row!.includes(',"\'\tTab",'));
  const report = getSettlementReport.example.data as SettlementReport;
  const rows = toCsv(statementRows({ ...report, closing_balance: -12.5 }))
    .trim()
    .split('\r\n');
  assert.match(rows.at(-1)!, /,closing_balance,.*,-12\.50$/);
  assert.match(
    rows.find((each) => each.includes(',total,'))!,
    /,2027-03,total,/,
  );
});
