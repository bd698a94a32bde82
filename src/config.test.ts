import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { knownSettings, readConfig } from './config.ts';

const DATABASE_URL = 'postgres://app:secret@pooler:6432/hourkeep';

test('an empty value counts as unset', () => {
  const empty = Object.fromEntries(knownSettings().map((name) => [name, '']));
  assert.deepEqual(readConfig(empty), readConfig({}));
});

describe('a bad setting', () => {
  const cases: [settings: Record<string, string>, line: RegExp][] = [
    [{ PORT: 'eighty' }, /PORT must be a whole number from 0 to 65535, not "eighty"/],
    [{ PORT: '70000' }, /PORT must be a whole number/],
    [{ DATABASE_URL: 'mysql://secret:word@db/x' }, /DATABASE_URL must be sqlite:<path> or postgres:\/\//],
    [
      { DATABASE_URL: 'postgres://u:p@one,,two/x' },
      /DATABASE_URL must be .*\(several servers: @one:5432,two:5432\/\)/,
    ],
    [{ DATABASE_POOLER: 'transaction' }, /DATABASE_POOLER is for PostgreSQL: DATABASE_URL must be postgres:/],
    [{ DATABASE_DIRECT_URL: 'postgres://a:secret:word@db/x' }, /DATABASE_DIRECT_URL is for PostgreSQL/],
    [{ PUBLIC_URL: 'example.com' }, /PUBLIC_URL must be an http or https address/],
    [{ BASE_PATH: 'no slash' }, /BASE_PATH must be a path/],
    [{ BASE_PATH: '/../x' }, /BASE_PATH must be a path such as \/hourkeep, not "\/\.\.\/x"/],
    [{ BASE_PATH: '/x/.' }, /BASE_PATH must be a path/],
    [{ SECRET_KEY: 'secret:word' }, /SECRET_KEY must have at least 16 characters \(for example: openssl/],
    [{ RATE_LIMIT_PRODUCTION: '-1' }, /RATE_LIMIT_PRODUCTION must be/],
    [{ UNPAID_CANCEL_MINUTES: '43201' }, /UNPAID_CANCEL_MINUTES must be a whole number from 0 to 43200, not/],
    [{ LOG_LEVEL: 'loud' }, /LOG_LEVEL must be one of/],
    [{ WEBHOOK_ALLOW_CIDRS: '10.0.0.1' }, /WEBHOOK_ALLOW_CIDRS must be/],
    [
      { DATABASE_URL, DATABASE_POOLER: 'statement' },
      /^DATABASE_POOLER must be session or transaction, not "statement"$/,
    ],
    [
      { DATABASE_URL, DATABASE_POOLER: 'transaction' },
      /^DATABASE_DIRECT_URL must be postgres:.* with DATABASE_POOLER=transaction: the server itself, past the pooler$/,
    ],
    [
      { DATABASE_URL, DATABASE_DIRECT_URL: 'mysql://app:secret@server/x' },
      /^DATABASE_DIRECT_URL must be postgres:[^ ]*: the server itself, past the pooler$/,
    ],
  ];
  for (const [settings, line] of cases) {
    const [name, value] = Object.entries(settings).at(-1)!;
    test(`${name}=${value} is refused with a line that says what it must be`, () => {
      const read = (): unknown => readConfig(settings);
      assert.throws(read, { name: 'OperatorError', message: line });
      assert.throws(read, ({ message }: Error) => !message.includes('secret'));
    });
  }
});

describe('a pooler in front of PostgreSQL', () => {
  const DATABASE_DIRECT_URL = 'postgres://app:secret@server:5432/hourkeep';

  test('in transaction mode has two addresses', () => {
    assert.deepEqual(
      readConfig({ DATABASE_URL, DATABASE_POOLER: 'transaction', DATABASE_DIRECT_URL }).database,
      { engine: 'postgres', url: DATABASE_URL, pooler: 'transaction', directUrl: DATABASE_DIRECT_URL },
    );
  });

  test('in session mode needs no other, and neither does no pooler', () => {
    const database = { engine: 'postgres', url: DATABASE_URL, pooler: undefined, directUrl: undefined };
    assert.deepEqual(readConfig({ DATABASE_URL, DATABASE_POOLER: 'session' }).database, {
      ...database,
      pooler: 'session',
    });
    assert.deepEqual(readConfig({ DATABASE_URL, DATABASE_POOLER: '' }).database, database);
  });
});
