import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { crc32 } from 'node:zlib';
import { isWellFormedApiKey, newApiKey } from './api-key.ts';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

describe('an API key', () => {
  test('says its environment, then 30 random characters, then 6 of checksum', () => {
    assert.match(newApiKey('production'), /^hk_live_[0-9A-Za-z]{36}$/);
    assert.match(newApiKey('sandbox'), /^hk_test_[0-9A-Za-z]{36}$/);
  });

  test('ends in the CRC32 of what precedes it, in base 62', () => {
    const key = newApiKey('production');
    const value = Array.from(key.slice(-6)).reduce((sum, digit) => sum * 62 + ALPHABET.indexOf(digit), 0);
    assert.equal(value, crc32(key.slice(0, -6)));
  });

  test('is refused with any one character changed', () => {
    const key = newApiKey('production');
    for (let i = 0; i < key.length; i++) {
      const other = key[i] === 'x' ? 'y' : 'x';
      assert.equal(isWellFormedApiKey(key.slice(0, i) + other + key.slice(i + 1)), false, `position ${i}`);
    }
  });

  test('is never made twice', () => {
    assert.equal(new Set(Array.from({ length: 1000 }, () => newApiKey('sandbox'))).size, 1000);
  });
});
