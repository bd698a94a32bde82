import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { OperatorError } from '../errors.ts';
import { createResolver, type Resolve } from './resolve.ts';

/** Decides which addresses a URL from a customer may lead to. */
export interface Guard {
  /** The addresses of a URL's host, if all of them are allowed, else why not. An empty list if the host has none. */
  addresses(url: Pick<URL, 'hostname' | 'protocol'>): Promise<{ allowed: string[] } | { refused: string }>;
}

type Address = ReturnType<typeof ipaddr.process>;
type Cidr = ReturnType<typeof ipaddr.parseCIDR>;

/** Allows public addresses over https, and the operator's `allowCidrs` over http too. */
export function createGuard(allowCidrs: readonly string[], resolve: Resolve = createResolver()): Guard {
  const allowList = allowCidrs.map(parseCidr);
  return {
    addresses: async ({ hostname, protocol }) => {
      const host = hostname.replace(/^\[(.*)\]$/, '$1');
      const addresses = isIP(host) === 0 ? await resolve(host) : [host];
      // One address that is not allowed refuses them all: a hostile name may have a public address beside a private one.
      const refusals = addresses.flatMap((address) => refusal(allowList, address, protocol) ?? []);
      return refusals[0] === undefined ? { allowed: addresses } : { refused: refusals[0] };
    },
  };
}

/**
 * Why this URL cannot be used, or null. Over https a name that does not resolve (yet) is accepted: the guard is asked
 * again at every connection.
 */
export async function checkUrl(guard: Guard, text: string): Promise<string | null> {
  // Of the text as it is stored. The parser leaves line breaks out, and takes the path of `https:///path` for a host.
  if (/[\p{White_Space}\p{Cc}]/u.test(text)) return 'must not contain white space or control characters';
  if (!/^https?:/i.test(text)) return NEEDS_HTTPS;
  if (!/^https?:\/\/[^/\\?#:]/i.test(text)) return 'must name a host';
  const url = URL.parse(text);
  if (url === null) return NEEDS_HTTPS;
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
  // Turns ::ffff:a.b.c.d into a.b.c.d, which is what the kernel connects to.
  const ip = ipaddr.process(address);
  if (allowList.some(([base, bits]) => base.kind() === ip.kind() && ip.match(base, bits))) return undefined;
  if (protocol !== 'https:') return NEEDS_HTTPS;
  return isPublic(ip) ? undefined : NOT_PUBLIC;
}

/** Does not name the address: that would tell customers how names resolve inside the operator's network. */
const NOT_PUBLIC = 'must lead to a public address';

/** Why a URL cannot be used, for the operator, who can open ranges: customers are not told of settings. */
export function withSetting(reason: string): string {
  const isRange = reason.endsWith(NOT_PUBLIC) || reason.endsWith(NEEDS_HTTPS);
  return isRange ? `${reason}; WEBHOOK_ALLOW_CIDRS opens private address ranges, for http too` : reason;
}

/** All public IPv6 addresses. The ranges in it that are for tunnels and tests are not "unicast" to ipaddr.js. */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3');
/** Azure's metadata service has an address that looks public. */
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
