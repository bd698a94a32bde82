const PARTS = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#@]*)(.*)$/s;

/**
 * One address for each server that a DATABASE_URL names, as in postgres://user:password@one:5432,two:5432/database;
 * undefined where it is none. User, database and parameters are those of all servers.
 */
export function serverUrls(url: string): string[] | undefined {
  const [, front = '', hosts = '', rest = ''] = PARTS.exec(url) ?? [];
  if (!hosts.includes(',')) return PARTS.test(url) && URL.canParse(url) ? [url] : undefined;
  const urls = hosts.split(',').map((host) => `${front}${host}${rest}`);
  // An empty name would be this machine, and these parameters would be the same server for all names.
  const fits = (each: string): boolean => {
    const { hostname, searchParams } = URL.parse(each) ?? {};
    return Boolean(hostname) && !searchParams?.has('host') && !searchParams?.has('port');
  };
  return urls.every(fits) ? urls : undefined;
}

/** What messages may tell of an address: its password is left out. */
export function placeOf(url: string): { hosts: string; user: string; database: string } {
  const servers = (serverUrls(url) ?? [url]).map((server) => new URL(server));
  const { username, pathname } = servers[0]!;
  return {
    hosts: servers.map(({ host }) => host).join(','),
    user: decodeURIComponent(username),
    database: decodeURIComponent(pathname.slice(1)),
  };
}
