import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { useNameServer } from '../../test/support/name-server.ts';
import { OperatorError } from '../errors.ts';
import { checkUrl, createGuard } from './guard.ts';
import { outboundRequest } from './request.ts';

const NOT_HTTPS = 'must be an https URL';
const NO_HOST = 'must name a host';
const WHITE_SPACE = 'must not contain white space or control characters';
const NOT_PUBLIC = 'must lead to a public address';
const USERINFO = 'must not contain a user name or password';

/** Addresses that are not public, and what each could be good for. */
const NOT_PUBLIC_URLS = wordsOf(`
  # loopback, in every spelling that a URL parser or a C library ever took for it
  https://127.0.0.1/ https://127.0.0.1./ https://127.1/ https://127.0.1/ https://127.255.255.254/
  https://2130706433/ https://0x7f000001/ https://0x7f.1/ https://0x7f.0x0.0x0.0x1/ https://017700000001/
  https://0177.0.0.1/ https://0177.0.0x0.1/ https://127.000.000.001/ https://１２７.０.０.１/ https://①②⑦.⓪.⓪.①/
  https://127。0。0。1/ https://%31%32%37.0.0.1/ https://[::1]/ https://[0:0:0:0:0:0:0:1]/
  https://[0000:0000:0000:0000:0000:0000:0000:0001]/ https://localhost/ https://LOCALHOST./
  https://anything.localhost/
  # this machine, under its other name
  https://0.0.0.0/ https://0/ https://0.1.2.3/ https://[::]/
  # IPv4 inside IPv6
  https://[::ffff:127.0.0.1]/ https://[::ffff:7f00:1]/ https://[::ffff:10.0.0.1]/
  https://[::ffff:169.254.169.254]/ https://[::127.0.0.1]/ https://[::ffff:0:127.0.0.1]/
  https://[64:ff9b::127.0.0.1]/ https://[64:ff9b::a9fe:a9fe]/ https://[64:ff9b:1::10.0.0.1]/
  https://[2002:7f00:1::]/ https://[2002:a9fe:a9fe::1]/ https://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/
  # private and shared
  https://10.0.0.1/ https://10.255.255.255/ https://172.16.0.1/ https://172.31.255.254/
  https://192.168.1.1/ https://192.168.257/ https://167772161/ https://100.64.0.1/ https://100.127.255.254/
  https://[fc00::1]/ https://[fd12:3456:789a::1]/ https://[fec0::1]/
  # link-local and the clouds' metadata services
  https://169.254.0.1/ https://169.254.169.254/latest/meta-data/ https://2852039166/ https://0xa9fea9fe/
  https://100.100.100.200/ https://192.0.0.192/ https://168.63.129.16/ https://[fd00:ec2::254]/
  https://[fe80::1]/ https://[febf::1]/
  # many, none, and examples
  https://224.0.0.1/ https://239.255.255.250/ https://255.255.255.255/ https://240.0.0.1/
  https://192.0.2.1/ https://198.51.100.7/ https://203.0.113.9/ https://198.18.0.1/ https://192.88.99.1/
  https://[ff02::1]/ https://[2001:db8::1]/ https://[3fff::1]/ https://[100::1]/ https://[4000::1]/
  # names
  https://loopback.test/ https://private.test/ https://metadata.test/ https://mapped.test/
  https://ipv6-loopback.test/ https://one-bad.test/ https://one-bad-in-ipv6.test/
  # odd ports do not help
  https://127.0.0.1:22/ https://10.0.0.1:6379/ https://[::1]:65535/
`);

/** What a URL can hide, and the reason it is refused with while nothing is on the allow-list. */
const HOSTILE: readonly (readonly [url: string, reason: string])[] = [
  ...NOT_PUBLIC_URLS.map((url) => [url, NOT_PUBLIC] as const),
  ['https://127.0.0.\t1/', WHITE_SPACE],
  ['https:127.0.0.1', NO_HOST],
  ['https:\\\\127.0.0.1\\', NO_HOST],
  ['https://public.test:0/', 'must not name port 0'],
  ['https://user@public.test/', USERINFO],
  ['https://user:secret@public.test/', USERINFO],
  ['https://public.test@127.0.0.1/', USERINFO],
  ['https://127.0.0.1\\@public.test/', NOT_PUBLIC],
  ['', NOT_HTTPS],
  // other protocols, and what is no URL
  ...wordsOf(`
    http://public.test/ http://127.0.0.1/ http://unknown.test/ ftp://public.test/ file:///etc/passwd
    gopher://127.0.0.1:6379/_FLUSHALL data:text/plain,hello unix:/var/run/docker.sock //public.test/
    public.test https://256.256.256.256/ https://1.2.3.4.5/ https://[fe80::1%25eth0]/
  `).map((url) => [url, NOT_HTTPS] as const),
];

/** The words of a text, but for lines that begin with #. */
function wordsOf(text: string): string[] {
  return text
    .replaceAll(/^ *#.*$/gm, '')
    .trim()
    .split(/\s+/);
}

const MALFORMED: readonly (readonly [url: string, reason: string])[] = [
  ...wordsOf(String.raw`
    https:// https: https:/// https:///public.test/ https:public.test https:/public.test/ https:\\public.test\
    https://\public.test/ https://?public.test https://#public.test https://:443/
  `).map((url) => [url, NO_HOST] as const),
  ...[' https://public.test/', 'https://pub\nlic.test/', 'ht\ttps://public.test/'].map(
    (url) => [url, WHITE_SPACE] as const,
  ),
  ...[
    ' ',
    'a b',
    '?a=b c',
    '\r\nX-Injected: 1',
    '\u0000',
    '\u007f',
    '\u0085',
    '\u00a0',
    '\u2028',
    '\u3000',
  ].map((text) => [`https://public.test/${text}`, WHITE_SPACE] as const),
];

const ZONE = {
  'public.test': ['93.184.215.14', '2606:2800:21f:cb07:6820:80da:af6b:8b2c'],
  'loopback.test': ['127.0.0.1'],
  'private.test': ['10.1.2.3'],
  'metadata.test': ['169.254.169.254'],
  'mapped.test': ['::ffff:127.0.0.1'],
  'ipv6-loopback.test': ['::1'],
  'one-bad.test': ['93.184.215.14', '192.168.0.1'],
  'one-bad-in-ipv6.test': ['93.184.215.14', 'fd00::1'],
};

describe('the address guard', () => {
  const names = useNameServer(ZONE);
  const guardFor = (...cidrs: string[]) => createGuard(cidrs, names.resolver());

  for (const [url, reason] of [...HOSTILE, ...MALFORMED]) {
    test(`refuses ${JSON.stringify(url)} when it is given`, async () => {
      assert.equal(await checkUrl(guardFor(), url), reason);
    });
  }

  const connectable = HOSTILE.filter(
    ([url, reason]) =>
      (reason !== NOT_HTTPS || /^http:.*(?:1|public\.test)\/$/.test(url)) && !url.endsWith(':0/'),
  );
  for (const [url] of connectable) {
    test(`does not connect to ${JSON.stringify(url)}`, async () => {
      const outcome = await outboundRequest(guardFor(), { ...GET, url });
      assert.equal(outcome.ok ? 'connected' : outcome.error, 'blocked_address');
    });
  }

  for (const url of [
    'https://public.test/hook?x=1',
    'https://public.test:8443/',
    'https://public.test:22/',
    'https://93.184.215.14/',
    'https://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]/',
    'https://[::ffff:93.184.215.14]/',
    'https://172.32.0.1/',
    'https://unknown.test/',
  ]) {
    test(`accepts ${url}`, async () => {
      assert.equal(await checkUrl(guardFor(), url), null);
    });
  }

  test('the reason does not tell what a name resolves to', async () => {
    const outcome = await outboundRequest(guardFor(), { ...GET, url: 'https://private.test/' });
    assert.deepEqual(outcome, {
      ok: false,
      error: 'blocked_address',
      message: 'the URL must lead to a public address',
    });
  });

  test('with an allow-list opens its ranges, over http too', async () => {
    const guard = guardFor('127.0.0.0/8', '::1/128', '10.1.0.0/16');
    for (const url of [
      'http://127.0.0.1:3000/',
      'https://127.8.9.10/',
      'http://2130706433/',
      'http://[::1]:3000/',
      'http://[::ffff:127.0.0.1]/',
      'http://localhost:3000/hook',
      'http://loopback.test/',
      'http://private.test/',
    ]) {
      assert.equal(await checkUrl(guard, url), null, url);
    }
  });

  test('with an allow-list opens nothing else', async () => {
    const guard = guardFor('127.0.0.0/8', '10.1.0.0/16');
    assert.equal(await checkUrl(guard, 'https://10.2.0.1/'), NOT_PUBLIC);
    assert.equal(await checkUrl(guard, 'https://[::1]/'), NOT_PUBLIC);
    assert.equal(await checkUrl(guard, 'https://metadata.test/'), NOT_PUBLIC);
    assert.equal(await checkUrl(guard, 'http://public.test/'), NOT_HTTPS);
    assert.equal(await checkUrl(guard, 'http://one-bad.test/'), NOT_HTTPS);
  });

  test('with an allow-list opens no http name that does not resolve: it is in none of the ranges', async () => {
    assert.equal(await checkUrl(guardFor('10.0.0.0/8'), 'http://unknown.test/'), NOT_HTTPS);
    assert.equal(await checkUrl(guardFor('10.0.0.0/8'), 'https://unknown.test/'), null);
  });

  test('whose allow-list names no address range stops the start with one line', () => {
    assert.throws(
      () => createGuard(['10.0.0.0/33']),
      new OperatorError('WEBHOOK_ALLOW_CIDRS has "10.0.0.0/33", which is not an address range'),
    );
  });
});

const GET = {
  method: 'GET',
  headers: {},
  connectTimeoutMs: 2000,
  totalTimeoutMs: 4000,
  maxBodyBytes: 1000,
} as const;
