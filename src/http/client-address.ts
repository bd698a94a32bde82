import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';

const PUBLIC = 'unicast';

/**
 * Where a request comes from. A proxy beside the service, told by its inner address, adds the address it saw at the end of
 * X-Forwarded-For; whatever stands before that, or comes from elsewhere, anybody can write.
 */
export function clientAddress({ socket, headers }: IncomingMessage): string {
  const peer = socket.remoteAddress ?? '';
  const last = String(headers['x-forwarded-for'] ?? '')
    .split(',')
    .at(-1)!
    .trim();
  const isBehindProxy = ipaddr.isValid(peer) && ipaddr.process(peer).range() !== PUBLIC;
  return isBehindProxy && ipaddr.isValid(last) ? last : peer;
}
