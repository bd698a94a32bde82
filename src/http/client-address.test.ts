import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { describe, test } from 'node:test';
import { clientAddress } from './client-address.ts';

describe('the address of a client', () => {
  const cases: [what: string, peer: string | undefined, header: string | undefined, found: string][] = [
    ['is the peer’s', '198.51.100.7', undefined, '198.51.100.7'],
    ['is the peer’s, whatever one from outside says', '8.8.8.8', '1.1.1.1', '8.8.8.8'],
    ['is the last one that a proxy on this machine adds', '127.0.0.1', '9.9.9.9, 1.1.1.1', '1.1.1.1'],
    ['is the last one that a proxy on an inner network adds', '::ffff:172.18.0.2', '1.1.1.1', '1.1.1.1'],
    ['may be IPv6', '::1', '2001:db8::1', '2001:db8::1'],
    ['is the proxy’s where it tells none', '10.0.0.1', 'unknown', '10.0.0.1'],
    ['is nothing on a socket that is gone', undefined, '1.1.1.1', ''],
  ];
  for (const [what, remoteAddress, header, found] of cases)
    test(what, () => {
      const headers = header === undefined ? {} : { 'x-forwarded-for': header };
      assert.equal(clientAddress({ socket: { remoteAddress }, headers } as IncomingMessage), found);
    });
});
