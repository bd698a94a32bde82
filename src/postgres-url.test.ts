import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { placeOf, serverUrls } from './postgres-url.ts';

describe('a DATABASE_URL', () => {
  const cases: [title: string, url: string, servers?: string[]][] = [
    ['with one server stays as it is', 'postgres://u:p@h1/db', ['postgres://u:p@h1/db']],
    ['may have no host at all', 'postgres:///db?host=/run/pg', ['postgres:///db?host=/run/pg']],
    [
      'with several servers is one address for each, with the same parameters',
      'postgres://u:p@h1:5432,h2:6432/db?application_name=x',
      ['postgres://u:p@h1:5432/db?application_name=x', 'postgres://u:p@h2:6432/db?application_name=x'],
    ],
    [
      'has the modes of TLS that libpq has',
      'postgres://h1/db?sslmode=allow&sslrootcert=system',
      ['postgres://h1/db?sslmode=prefer&uselibpqcompat=true'],
    ],
    [
      'may name a folder of sockets, as libpq takes it',
      'postgres://u:p@/db?host=/run/pg&port=5433',
      ['postgres://u:p@%2Frun%2Fpg/db?port=5433'],
    ],
    ['may have a user and no host', 'postgres://u:p@/db', ['postgres://u:p@localhost/db']],
    ['may leave ports out', 'postgresql://h1,h2:6432/db', ['postgresql://h1/db', 'postgresql://h2:6432/db']],
    [
      'may have addresses of IPv6 in brackets',
      'postgres://u@[::1]:5432,[fe80::2]/db',
      ['postgres://u@[::1]:5432/db', 'postgres://u@[fe80::2]/db'],
    ],
    [
      'may have a comma in the password',
      'postgres://u:a,b@h1,h2/db',
      ['postgres://u:a,b@h1/db', 'postgres://u:a,b@h2/db'],
    ],
    ['cannot have an empty name in the list', 'postgres://u@h1,,h2/db'],
    ['cannot have a comma at the end', 'postgres://u@h1,/db'],
    ['cannot have a port that is none', 'postgres://u@h1:5432,h2:99999/db'],
    ['cannot have an address of IPv6 without brackets', 'postgres://u@h1:5432,::1:5432/db'],
    ['cannot have a parameter that names the server again', 'postgres://u@h1,h2/db?host=h3'],
    ['cannot have another protocol', 'mysql://u@h1,h2/db'],
  ];
  for (const [title, url, servers] of cases) test(title, () => assert.deepEqual(serverUrls(url), servers));

  test('is shown without its password', () => {
    assert.deepEqual(placeOf('postgres://a%20b:secret@h1:5432,[::1]/my%20db'), {
      hosts: 'h1:5432,[::1]',
      user: 'a b',
      database: 'my db',
    });
  });
});
