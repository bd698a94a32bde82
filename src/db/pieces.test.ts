import assert from 'node:assert/strict';
import { test } from 'node:test';
import { joinPieces, piecesOf, wholeText, type Pieces } from './pieces.ts';

const PIECES: Pieces = {
  rows: [
    { columns: 's.title', from: 'spaces s', where: 's.host_id = $1 and s.id = $3' },
    { columns: 'h.email', from: 'hosts h', where: 'h.id = $1' },
  ],
  values: { booked: 'select count(*) from bookings where host_id = $1 and date = $2' },
};

test('a row of several tables is one statement, or one for each table with the values that it takes', () => {
  assert.equal(
    wholeText(PIECES),
    'select s.title, h.email, (select count(*) from bookings where host_id = $1 and date = $2) as booked ' +
      'from spaces s join hosts h on h.id = $1 where s.host_id = $1 and s.id = $3',
  );
  assert.deepEqual(piecesOf(PIECES), [
    { text: 'select s.title from spaces s where s.host_id = $1 and s.id = $2', takes: [0, 2] },
    { text: 'select h.email from hosts h where h.id = $1', takes: [0] },
    { text: 'select count(*) from bookings where host_id = $1 and date = $2', takes: [0, 1] },
  ]);
});

test('what the tables have found is one row, or none where a table has none', () => {
  const [space, host] = [{ title: 'Studio' }, { email: 'a@example.com' }];
  assert.deepEqual(joinPieces(PIECES, [space, host, { count: 2 }]), { ...space, ...host, booked: 2 });
  assert.deepEqual(joinPieces(PIECES, [space, host, undefined]), { ...space, ...host, booked: null });
  assert.equal(joinPieces(PIECES, [space, undefined, { count: 2 }]), undefined);
});
