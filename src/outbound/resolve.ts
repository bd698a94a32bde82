import { lookup, Resolver } from 'node:dns/promises';
import { readFileSync } from 'node:fs';

/** All addresses of a name; an empty list when it has none or the question fails. */
export type Resolve = (name: string) => Promise<string[]>;

/** Two tries of this are shorter than every connect timeout that we use. */
const ANSWER_TIMEOUT_MS = 1500;

/**
 * Asks the name servers directly. The system's getaddrinfo runs on libuv's thread pool, two at a time: two receivers whose
 * name servers hang would hold up the look-ups of all others.
 */
export function createResolver(servers?: readonly string[]): Resolve {
  const resolver = new Resolver({ timeout: ANSWER_TIMEOUT_MS, tries: 2 });
  if (servers !== undefined) resolver.setServers(servers);
  return async (name) => {
    const plain = name.toLowerCase().replace(/\.$/, '');
    const known = namedLocally(plain);
    if (known.length > 0) return known;
    // A name without a dot belongs to the operator's own network, whose search list only the system knows.
    if (!plain.includes('.')) return orNone(lookup(plain, { all: true }).then((all) => all.map(addressOf)));
    const [v4, v6] = await Promise.all([orNone(resolver.resolve4(plain)), orNone(resolver.resolve6(plain))]);
    return [...v4, ...v6];
  };
}

/** The hosts file, and localhost, which is loopback whatever a name server says (RFC 6761). */
function namedLocally(name: string): string[] {
  if (name === 'localhost' || name.endsWith('.localhost')) return ['127.0.0.1', '::1'];
  return hostsFile().flatMap(([address, ...names]) =>
    address !== undefined && names.includes(name) ? [address] : [],
  );
}

function hostsFile(): string[][] {
  try {
    return readFileSync('/etc/hosts', 'utf8')
      .toLowerCase()
      .split('\n')
      .map((line) => line.replace(/#.*/, '').trim().split(/\s+/));
  } catch {
    return [];
  }
}

function addressOf(answer: { address: string }): string {
  return answer.address;
}

async function orNone(answer: Promise<string[]>): Promise<string[]> {
  try {
    return await answer;
  } catch {
    return [];
  }
}
