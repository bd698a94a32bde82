import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readConfig } from './config.ts';

describe('a bad setting', () => {
  const cases: [setting: string, value: string, line: RegExp][] = [
    ['PORT', 'eighty', /PORT must be a whole number from 0 to 65535, not "eighty"/],
    ['PORT', '70000', /PORT must be a whole number/],
    ['DATABASE_URL', 'mysql://secret:word@db/x', /DATABASE_URL must be sqlite:<path> or postgres:\/\//],
    ['PUBLIC_URL', 'example.com', /PUBLIC_URL must be an http or https address/],
    ['BASE_PATH', 'no slash', /BASE_PATH must be a path/],
    ['BASE_PATH', '/../x', /BASE_PATH must be a path such as \/hourkeep, not "\/\.\.\/x"/],
    ['BASE_PATH', '/x/.', /BASE_PATH must be a path/],
    ['SECRET_KEY', 'secret:word', /SECRET_KEY must have at least 16 characters \(for example: openssl/],
    ['RATE_LIMIT_PRODUCTION', '-1', /RATE_LIMIT_PRODUCTION must be/],
    ['LOG_LEVEL', 'loud', /LOG_LEVEL must be one of/],
    ['WEBHOOK_ALLOW_CIDRS', '10.0.0.1', /WEBHOOK_ALLOW_CIDRS must be/],
  ];
  for (const [name, value, line] of cases) {
    test(`${name}=${value} is refused with a line that says what it must be`, () => {
      assert.throws(() => readConfig({ [name]: value }), { name: 'OperatorError', message: line });
      assert.throws(
        () => readConfig({ [name]: value }),
        ({ message }: Error) => !message.includes('secret:word'),
      );
    });
  }
});
