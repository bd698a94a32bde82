import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

// docs/security.md says what guards against each risk. These tests show it.

const SHOWN_BY: Record<string, string[]> = {
  API1: ['test/authorisation.test.ts'],
  API2: [
    'test/authorisation.test.ts',
    'src/http/authenticate.test.ts',
    'test/long/many-processes.ts',
    'src/api-keys/invitations.test.ts',
    'src/sessions/sessions.test.ts',
    'src/ical-feed/access.test.ts',
    'src/webhooks/webhooks.test.ts',
    'src/calendars/urls.test.ts',
    'test/long/secret-rotation.ts',
  ],
  API3: [
    'src/http/input/json-body.test.ts',
    'test/contract/check.test.ts',
    'src/ical-feed/calendar.test.ts',
    'src/webhooks/webhooks.test.ts',
  ],
  API4: [
    'src/rate-limit/rate-limit.test.ts',
    'test/long/many-processes.ts',
    'src/http/input/json-body.test.ts',
    'src/http/connection.test.ts',
    'src/mcp/route.test.ts',
    'test/deploy.test.ts',
    'test/contract.test.ts',
    'test/long/body-cost.ts',
    'src/http/overload.test.ts',
    'src/http/callers.test.ts',
    'src/webhooks/webhooks.test.ts',
    'src/outbound/request.test.ts',
    'test/fuzz/fuzz.test.ts',
  ],
  API5: ['test/authorisation.test.ts', 'src/api-keys/own-keys.test.ts'],
  API6: ['src/bookings/velocity.test.ts', 'src/bookings/rules.test.ts'],
  API7: [
    'src/outbound/guard.test.ts',
    'src/outbound/request.test.ts',
    'src/webhooks/webhooks.test.ts',
    'src/spaces/listing-calendars.test.ts',
  ],
  API8: [
    'test/contract/check.test.ts',
    'src/http/protocol.test.ts',
    'test/deploy.test.ts',
    'test/long/service.ts',
    'test/contract.test.ts',
    'src/http/authenticate.test.ts',
    'test/long/openapi-lint.ts',
  ],
  API9: [
    'src/http/openapi/document.test.ts',
    'test/contract.test.ts',
    'test/examples.test.ts',
    'test/docs/curl.test.ts',
  ],
  API10: ['test/long/hostile-calendars.ts', 'src/calendars/poll.test.ts', 'src/outbound/request.test.ts'],
  'Sessions of the console': ['src/sessions/sessions.test.ts'],
  'Guest data': ['src/guests/guests.test.ts', 'test/long/wipe.ts', 'test/long/guest-commands.ts'],
  'Rotate the secret key': [
    'test/long/rotate-key.ts',
    'src/calendars/urls.test.ts',
    'src/doctor/doctor.test.ts',
  ],
};

test('every section of docs/security.md is shown by tests that exist', () => {
  const ROOT = join(import.meta.dirname, '../..');
  const page = readFileSync(join(ROOT, 'docs/security.md'), 'utf8');
  const sections = new Set([...page.matchAll(/^## ([^:\n]+)/gm)].map(([, heading]) => heading));
  sections.delete('Your part as the operator');
  assert.deepEqual([...sections], Object.keys(SHOWN_BY));
  const missing = Object.values(SHOWN_BY)
    .flat()
    .filter((file) => !existsSync(join(ROOT, file)));
  assert.deepEqual(missing, []);
});
