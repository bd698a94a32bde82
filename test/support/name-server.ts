import { createSocket } from 'node:dgram';
import { isIPv4 } from 'node:net';
import { after, before } from 'node:test';
import { createResolver } from '../../src/outbound/resolve.ts';

/**
 * A real name server for made-up names, for the tests of a suite. A function as the answer sees how often it was asked before; a name
 * mapped to null is never answered; others do not exist.
 */
export function useNameServer(
  zone: Readonly<Record<string, readonly string[] | null | ((asked: number) => readonly string[])>>,
) {
  const asked = new Map<string, number>();
  const socket = createSocket('udp4');
  socket.on('message', (query, peer) => {
    const { name, type, end } = question(query);
    const entry = zone[name];
    if (entry === null) return;
    const before = asked.get(`${name} ${type}`) ?? 0;
    asked.set(`${name} ${type}`, before + 1);
    const all = typeof entry === 'function' ? entry(before) : entry;
    const records = (all ?? []).filter((address) => isIPv4(address) === (type === A));
    socket.send(answer(query, end, type, records, all === undefined), peer.port, peer.address);
  });
  before(() => new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve)));
  after(() => socket.close());
  return {
    /** Asks it. */
    resolver: () => createResolver([`127.0.0.1:${socket.address().port}`]),
    /** How often the addresses of this name were asked for. */
    asked: (name: string): number => asked.get(`${name} ${A}`) ?? 0,
  };
}

const A = 1;
const NO_SUCH_NAME = 3;
const HEADER_BYTES = 12;

function question(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function answer(query: Buffer, end: number, type: number, addresses: string[], unknown: boolean): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  query.copy(header, 0, 0, 2);
  header.writeUInt16BE(0x8180 | (unknown ? NO_SUCH_NAME : 0), 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(addresses.length, 6);
  const records = addresses.map((address) => {
    const data = bytesOf(address);
    const record = Buffer.alloc(12);
    record.writeUInt16BE(0xc000 | HEADER_BYTES, 0);
    record.writeUInt16BE(type, 2);
    record.writeUInt16BE(1, 4);
    record.writeUInt16BE(data.length, 10);
    return Buffer.concat([record, data]);
  });
  return Buffer.concat([header, query.subarray(HEADER_BYTES, end), ...records]);
}

function bytesOf(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number));
  // The URL parser writes IPv4 tails as groups; what is left is filling in the double colon.
  const [head = '', tail = ''] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const groups = (text: string): string[] => (text === '' ? [] : text.split(':'));
  const missing = 8 - groups(head).length - groups(tail).length;
  const all = [...groups(head), ...Array<string>(missing).fill('0'), ...groups(tail)];
  return Buffer.from(all.map((group) => group.padStart(4, '0')).join(''), 'hex');
}
