import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { OperatorError } from '../errors.ts';
import { createResolver, type Resolve } from './resolve.ts';

/** Which addresses a URL that a customer gave us may lead to. */
export interface Guard {
  /** All vetted addresses of a URL's host; a refusal if a single one is not allowed; none if it has none. */
  addresses(url: Pick<URL, 'hostname' | 'protocol'>): Promise<Vetted>;
}

export type Vetted = { allowed: string[] } | { refused: string };

type Address = ReturnType<typeof ipaddr.process>;
type Cidr = ReturnType<typeof ipaddr.parseCIDR>;

/** Only public unicast, over https; and what the operator lists, over http too. */
export function createGuard(allowCidrs: readonly string[], resolve: Resolve = createResolver()): Guard {
  const allowList = allowCidrs.map(parseCidr);
  return {
    addresses: async ({ hostname, protocol }) => {
      const host = hostname.replace(/^\[(.*)\]$/, '$1');
      const addresses = isIP(host) === 0 ? await resolve(host) : [host];
      // One bad address among good ones is how a name is made to look harmless: it refuses them all.
      const refusals = addresses.flatMap((address) => refusal(allowList, address, protocol) ?? []);
      return refusals[0] === undefined ? { allowed: addresses } : { refused: refusals[0] };
    },
  };
}

/**
 * Why this URL cannot be used, or null. Over https a name that does not resolve (yet) is fine here: every connection
 * asks the guard again.
 */
export async function checkUrl(guard: Guard, text: string): Promise<string | null> {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return 'must be an https URL';
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password';
  if (url.port === '0') return 'must not name port 0';
  const vetted = await guard.addresses(url);
  if ('refused' in vetted) return vetted.refused;
  // Plain http is for ranges that the operator opened, and a name without an address is in none of them.
  return url.protocol === 'http:' && vetted.allowed.length === 0 ? NEEDS_HTTPS : null;
}

const NEEDS_HTTPS = 'must be an https URL';

function refusal(allowList: readonly Cidr[], address: string, protocol: string): string | undefined {
  if (!ipaddr.isValid(address)) return NOT_PUBLIC;
  // ::ffff:a.b.c.d is a.b.c.d, to the guard as to the kernel.
  const ip = ipaddr.process(address);
  if (allowList.some(([base, bits]) => base.kind() === ip.kind() && ip.match(base, bits))) return undefined;
  if (protocol !== 'https:') return NEEDS_HTTPS;
  return isPublic(ip) ? undefined : NOT_PUBLIC;
}

/** Without the address: what a name resolves to inside the operator's network is nobody's business. */
const NOT_PUBLIC = 'must lead to a public address';

/** The whole of IPv6 that is given out to the public; tunnels and test ranges in it have names of their own. */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3');
/** Azure answers its machines' metadata questions on an address that looks like any other. */
const AZURE_WIRE_SERVER = '168.63.129.16';

function isPublic(ip: Address): boolean {
  if (ip.range() !== 'unicast') return false;
  return ip.kind() === 'ipv4' ? ip.toString() !== AZURE_WIRE_SERVER : ip.match(GLOBAL_UNICAST);
}

function parseCidr(text: string): Cidr {
  try {
    return ipaddr.parseCIDR(text);
  } catch {
    throw new OperatorError(`WEBHOOK_ALLOW_CIDRS has "${text}", which is not an address range`);
  }
}
