import { accessSync, constants } from 'node:fs';

const PARTS = /^(postgres(?:ql)?:\/\/)((?:[^/?#]*@)?)([^/?#@]*)(.*)$/s;

/**
 * One address for each server that a DATABASE_URL names, as in postgres://user:password@one:5432,two:5432/database;
 * undefined where it is none. User, database and parameters are those of all servers.
 */
export function serverUrls(url: string): string[] | undefined {
  const [, protocol = '', login = '', hosts = '', rest = ''] = PARTS.exec(url) ?? [];
  if (protocol === '') return undefined;
  if (!hosts.includes(',')) {
    const one = hosts === '' && login !== '' ? ofSocket(protocol + login, rest) : url;
    return one !== undefined && URL.canParse(one) ? [asLibpq(one)] : undefined;
  }
  const urls = hosts.split(',').map((host) => `${protocol}${login}${host}${rest}`);
  // An empty name would be this machine, and these parameters would be the same server for all names.
  const fits = (each: string): boolean => {
    const { hostname, searchParams } = URL.parse(each) ?? {};
    return Boolean(hostname) && !searchParams?.has('host') && !searchParams?.has('port');
  };
  return urls.every(fits) ? urls.map(asLibpq) : undefined;
}

/** postgres://user@/database?host=/folder is no URL by the standard that Node follows; with the folder as its host it is. */
function ofSocket(front: string, rest: string): string | undefined {
  const read = URL.parse(`postgres://localhost${rest}`);
  if (read === null) return undefined;
  const host = read.searchParams.get('host') ?? 'localhost';
  read.searchParams.delete('host');
  return front + encodeURIComponent(host) + read.pathname + read.search;
}

const SSL_MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'];

/**
 * pg takes every mode for verify-full unless it is told to read them as libpq does. It does not know `allow`, nor the
 * certificates of the system by that name: it has its own list of authorities where no file is named.
 */
function asLibpq(url: string): string {
  const read = new URL(url);
  const { searchParams } = read;
  const mode = searchParams.get('sslmode');
  if (mode === null) return url;
  if (mode === 'allow') searchParams.set('sslmode', 'prefer');
  if (searchParams.get('sslrootcert') === 'system') searchParams.delete('sslrootcert');
  searchParams.set('uselibpqcompat', 'true');
  return read.href;
}

/** What is wrong with the encryption that an address asks for; undefined where nothing is. */
export function sslTrouble(url: string): string | undefined {
  const { searchParams } = new URL(serverUrls(url)![0]!);
  const mode = searchParams.get('sslmode');
  if (mode === null) return undefined;
  if (!SSL_MODES.includes(mode)) return `sslmode must be one of ${SSL_MODES.join(', ')}`;
  if (mode === 'verify-ca' && !searchParams.has('sslrootcert'))
    return 'sslmode=verify-ca needs sslrootcert, the file with the authority’s certificate';
  for (const name of ['sslrootcert', 'sslcert', 'sslkey']) {
    const file = searchParams.get(name);
    if (file !== null && !isReadable(file)) return `${name} names ${file}, which cannot be read`;
  }
  return undefined;
}

function isReadable(file: string): boolean {
  try {
    accessSync(file, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

/** What messages may tell of an address: its password is left out. */
export function placeOf(url: string): { hosts: string; user: string; database: string } {
  const servers = (serverUrls(url) ?? [url]).map((server) => new URL(server));
  const { username, pathname } = servers[0]!;
  return {
    hosts: servers
      .map(({ host, searchParams }) => searchParams.get('host') ?? decodeURIComponent(host))
      .join(','),
    user: decodeURIComponent(username),
    database: decodeURIComponent(pathname.slice(1)),
  };
}
