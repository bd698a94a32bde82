import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bookingRows, toCsv } from '../../console/src/csv.ts';
import { exampleBooking } from '../../src/bookings/fields.ts';

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
