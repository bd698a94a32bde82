import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';

// docs/security.md says what guards against each risk. This says which tests show it: by section, file and title.

const ROOT = join(import.meta.dirname, '../..');
const page = readFileSync(join(ROOT, 'docs/security.md'), 'utf8');

const SHOWN_BY: Record<string, Record<string, string[]>> = {
  API1: {
    'test/authorisation.test.ts': [
      'a key of another host finds nothing, learns nothing and changes nothing',
      'the same host’s key of the other environment finds nothing, learns nothing and changes nothing',
    ],
  },
  API2: {
    'test/authorisation.test.ts': [
      'a key that is missing, unknown, malformed, revoked, expired or without the scope is refused, by its code',
    ],
    'src/http/authenticate.test.ts': [
      'a key in the query string is no key',
      'a revoked key is refused on its very next request',
    ],
    'test/long/many-processes.ts': ['all refuse a key on the next request after it was revoked'],
    'src/api-keys/invitations.test.ts': [
      'that many claim at once makes one key',
      'withdrawn while it is claimed leaves no key that works',
      'leaves its token in no table, log line or export, and the key neither',
      'can be tried 30 times a minute from one address, which a proxy tells',
    ],
    'src/sessions/sessions.test.ts': ['reads no cookie, on any of its paths'],
    'src/ical-feed/access.test.ts': ['every wrong token, space and combination gets the same 401'],
    'src/webhooks/webhooks.test.ts': ['keeps the secret encrypted, and bound to its row'],
    'src/calendars/urls.test.ts': ['is encrypted, and stands nowhere in the database in clear'],
    'test/long/secret-rotation.ts': ['every event arrives, signed with the subscription’s secret'],
  },
  API3: {
    'src/http/input/json-body.test.ts': [
      'an unknown body field is refused and named',
      'a field called like a prototype method is just an unknown field',
    ],
    'test/contract/check.test.ts': ['with a field that nobody has described'],
    'src/ical-feed/calendar.test.ts': [
      'a booking and a block are entries in UTC without a word about the guest',
    ],
    'src/webhooks/webhooks.test.ts': ['answers 201 with the record and, this once, the secret'],
  },
  API4: {
    'src/rate-limit/rate-limit.test.ts': ['of 300 requests with a production key exactly 100 are admitted'],
    'test/long/many-processes.ts': ['share one limit: of 300 requests at once exactly 100 are admitted'],
    'src/http/input/json-body.test.ts': [
      'over 256 KiB is 413',
      'an answer to a hostile body is smaller than the body',
    ],
    'src/http/connection.test.ts': [
      'that waits for 100 Continue gets its refusal instead, and is closed',
      'with headers beyond what a server takes gets 431 with the envelope',
    ],
    'src/mcp/route.test.ts': ['rejects a batch'],
    'test/deploy.test.ts': ['counts who sends something else than a key or a session of the console'],
    'test/contract.test.ts': [
      'when more is asked at once than it can serve, and all is well again when they have gone',
    ],
    'test/long/body-cost.ts': ['takes at most three times the CPU of one mistake and of parsing it together'],
    'src/http/overload.test.ts': ['those who do not read their answers keep nobody out'],
    'src/http/callers.test.ts': [
      'gets 503 for one more, with Retry-After and before the rate limit counts it',
    ],
    'src/webhooks/webhooks.test.ts': ['the twenty-first is 422, also when many come at once'],
    'src/outbound/hostile-receiver.test.ts': ['stops a bomb at the limit'],
    'test/fuzz/fuzz.test.ts': ['200 requests: no failure, no answer outside the document'],
  },
  API5: {
    'test/authorisation.test.ts': [
      'every operation has a row, every row an operation, and the document names the same scope',
      'a key that is missing, unknown, malformed, revoked, expired or without the scope is refused, by its code',
      'a key with the one scope that an operation asks for is enough',
    ],
    'src/api-keys/own-keys.test.ts': [
      'never have a scope that their maker lacks, nor keys:write',
      'expire no later than their maker',
    ],
  },
  API6: {
    'src/bookings/velocity.test.ts': [
      'of 40 racing bookings of one guest exactly 10 stand, the rest are GUEST_BOOKING_VELOCITY',
    ],
    'src/bookings/rules.test.ts': [
      'the host cannot be the guest, in any case and with any plus-tag',
      'is told with the price of one that exceeds it',
    ],
  },
  API7: {
    'src/outbound/guard.test.ts': ['the address guard', 'the reason does not tell what a name resolves to'],
    'src/outbound/request.test.ts': [
      'is asked once per connection: the address that was vetted is the one connected to',
      'follows no redirect',
      'ignores proxies in the environment',
    ],
    'src/webhooks/webhooks.test.ts': ['refuses loopback, which only development opens'],
    'src/spaces/listing-calendars.test.ts': ['refuses to connect a calendar at'],
  },
  API8: {
    'test/contract/check.test.ts': ['if a cache may keep it'],
    'src/http/protocol.test.ts': ['runs nothing but its own files, cannot be framed and sends no referrer'],
    'test/deploy.test.ts': ['in the service’s envelope, and does not name its version'],
    'test/long/service.ts': [
      'NODE_ENV=production seeds nothing and demands SECRET_KEY',
      'a SECRET_KEY that is not the database’s stops the start',
    ],
    'test/contract.test.ts': ['500 when a table is not there'],
    'src/http/authenticate.test.ts': ['neither the key nor the header nor guest data ever reaches the log'],
    'test/long/openapi-lint.ts': ['passes Spectral with the OWASP API Security rules without an error'],
  },
  API9: {
    'src/http/openapi/document.test.ts': [
      'has exactly the endpoints of the specification',
      'a route that nobody has described cannot be served',
    ],
    'test/contract.test.ts': ['there is a way to every status that is documented'],
    'test/examples.test.ts': ['every request is answered with what its example shows'],
    'test/docs/curl.test.ts': ['every curl line of the documentation works as it stands'],
  },
  API10: {
    'test/long/hostile-calendars.ts': ['the service stays responsive and its memory bounded'],
    'src/calendars/poll.test.ts': [
      'a suddenly empty calendar is believed after three scheduled polls over an hour',
      'keeps the last good hours and shows in the list',
    ],
    'src/outbound/hostile-receiver.test.ts': ['that sends a body without end is cut at the limit'],
    'src/outbound/request.test.ts': ['with a certificate nobody vouches for is refused'],
  },
  'Sessions of the console': {
    'src/sessions/sessions.test.ts': [
      'cannot be begun by a form of another site',
      'without the header is none, so no page of another site can use it',
      'has a token of its own, whatever cookie came with the sign-in, and ends the one before',
      'ends with signing out, and its cookie is of no use to whoever stole it',
      'stops at both with the next request after its key was revoked',
      'stops while its host is not active, and goes on when it is again',
      'is over for a minute after ten of one address, for a right key too',
      'is told no more by sending many together',
      'has a cookie for its own path, which is not sent in the clear',
      'counts for nothing where the browser sends two: one was put there by somebody else',
    ],
  },
  'Guest data': {
    'src/guests/guests.test.ts': [
      'is erased everywhere: both environments, all hosts, both sources, every spelling of the address',
      'leaves hours, money, the feed and the neighbours as they are',
      'goes from what people wrote, word by word, and from an idempotency key',
      'is exported and erased with what the caller wrote about the booking, in its events and in one moved too',
      'is not in a delivery that is sent after the erasure',
      'who keeps booking and is cancelled meanwhile leaves nothing behind but what came after',
    ],
    'test/long/wipe.ts': [
      'has neither address nor name, though SQLite had left copies in unused parts of pages',
      'is searched again by a repeated run, which knows only the address, for every spelling of it',
      'is not called clean while an inner page of an index holds a text, which VACUUM removes',
    ],
    'test/long/guest-commands.ts': [
      'erase exits with 1 while a reader keeps the log from being emptied, and a second run mends it',
      'erase leaves the guest nowhere: not in an export, the log, or the files of the database',
    ],
  },
  'Rotate the secret key': {
    'test/long/rotate-key.ts': [
      'that a process lacks is not replaced by its old one: new secrets are 503, and nothing is stored',
      'is changed in what a process with the old one stores meanwhile, or that is refused',
    ],
    'src/calendars/urls.test.ts': [
      'waits in a process without its key, and is encrypted anew by secret rotate',
    ],
    'src/doctor/doctor.test.ts': [
      'fails for webhook secrets that are encrypted with a key the database had before, and rotating mends it',
    ],
  },
};

describe('docs/security.md', () => {
  test('has a section for each of the ten risks, and each is shown by tests', () => {
    for (let risk = 1; risk <= 10; risk++) assert.ok(`API${risk}` in SHOWN_BY, `API${risk} has no tests`);
    const headings = [...page.matchAll(/^## (.+)$/gm)].map(([, heading = '']) => heading);
    for (const section of Object.keys(SHOWN_BY))
      assert.ok(
        headings.some((heading) => heading === section || heading.startsWith(`${section}: `)),
        `no section "${section}"`,
      );
  });

  for (const [section, files] of Object.entries(SHOWN_BY))
    test(`${section} is shown by tests that exist, by the titles they have`, () => {
      for (const [file, titles] of Object.entries(files)) {
        assert.ok(existsSync(join(ROOT, file)), file);
        const text = readFileSync(join(ROOT, file), 'utf8');
        for (const title of titles) assert.ok(text.includes(title), `${file} has no test called "${title}"`);
      }
    });
});
