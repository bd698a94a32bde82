import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { JSON_SCHEMA } from './file.ts';
import { Mistakes, planFor } from './steps.ts';

const HOST = {
  ref: 'harbor',
  name: 'Harbor Light',
  email: 'harbor@example.com',
  timezone: 'Europe/Vienna',
  currency: 'EUR',
};
const SPACE = { ref: 'attic', title: 'Attic', price_per_hour: 45 };
const KEY = { ref: 'pms', name: 'PMS' };
const ofHost = (fields: object): object => ({ hosts: [{ ...HOST, ...fields }] });
const ofSpace = (fields: object): object => ofHost({ spaces: [{ ...SPACE, ...fields }] });
const ofKey = (fields: object): object => ofHost({ keys: [{ ...KEY, ...fields }] });

/** A file and what is said about it; nothing where it is good. */
const files: [file: unknown, ...said: string[]][] = [
  [{ hosts: [] }],
  [ofHost({})],
  [
    ofSpace({
      description: null,
      capacity: null,
      amenities: [],
      calendars: [{ ref: 'airbnb', url: 'https://example.com/a.ics' }],
    }),
  ],
  [ofKey({ scopes: ['spaces:read'], expires_at: null, invite: false })],
  [[], 'the file must be a JSON object'],
  [null, 'the file must be a JSON object'],
  [{}, 'hosts is required'],
  [{ hosts: {} }, 'hosts must be an array'],
  [{ hosts: [HOST], spaces: [] }, 'spaces is not a known field'],
  [
    { hosts: [{ ...HOST, name: undefined }, 7].map((host) => JSON.parse(JSON.stringify(host))) },
    'hosts[0] (harbor).name is required',
    'hosts[1] must be a JSON object',
  ],
  [ofHost({ ref: ' ' }), 'hosts[0].ref must not be blank'],
  [ofHost({ colour: 'red' }), 'hosts[0] (harbor).colour is not a known field'],
  [ofHost({ commission_rate: 1.1 }), 'hosts[0] (harbor).commission_rate must be 1 or less'],
  [
    ofHost({ settlement_modes: ['cash'] }),
    'hosts[0] (harbor).settlement_modes[0] must be one of host_settled, platform_settled',
  ],
  [ofSpace({ price_per_hour: '45' }), 'hosts[0] (harbor).spaces[0].price_per_hour must be a number'],
  [ofSpace({ capacity: 1.5 }), 'hosts[0] (harbor).spaces[0].capacity must be a whole number or null'],
  [
    ofSpace({ operating_hours: { start_hour: 24, end_hour: 24 } }),
    'hosts[0] (harbor).spaces[0].operating_hours.start_hour must be 23 or less',
  ],
  [
    ofSpace({ calendars: [{ url: 'https://example.com/a.ics' }] }),
    'hosts[0] (harbor).spaces[0].calendars[0].ref is required',
  ],
];

/** What the schema alone does not know. */
const beyondTheSchema: typeof files = [
  [ofHost({ email: 'nobody' }), 'hosts[0] (harbor).email must be an email address'],
  [
    ofSpace({ price_per_hour: 45.001 }),
    'hosts[0] (harbor).spaces[0].price_per_hour must be an amount in EUR with at most 2 decimals',
  ],
  [
    ofSpace({ calendars: [{ ref: 'airbnb' }] }),
    'hosts[0] (harbor).spaces[0].calendars[0].url is required for a calendar that is not there',
  ],
  [
    ofSpace({ calendars: ['https', 'webcal'].map((ref) => ({ ref, url: `${ref}://example.com/a.ics` })) }),
    'hosts[0] (harbor).spaces[0].calendars[1].url is that of an entry before it',
  ],
  [
    ofSpace({
      calendars: ['a', 'b'].map((name) => ({ ref: 'twin', url: `https://example.com/${name}.ics` })),
    }),
    'hosts[0] (harbor).spaces[0].calendars[1].ref stands for what an entry before it is about',
  ],
  [
    ofHost({ spaces: [SPACE, { ...SPACE, title: 'Twin' }] }),
    'hosts[0] (harbor).spaces[1].ref stands for what an entry before it is about',
  ],
  [
    ofKey({ invite: true }),
    'hosts[0] (harbor).keys[0].invite cannot be true with CONSOLE=off: invitations are links to the console',
  ],
];

function mistakesIn(file: unknown): string {
  const mistakes = new Mistakes();
  planFor(new Map(), { now: 0, canInvite: false }, file, mistakes);
  try {
    mistakes.refuse();
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}

describe('the check of a file', () => {
  const ajv = new Ajv2020({ strict: false });
  (addFormats as unknown as (instance: Ajv2020) => void)(ajv);
  const isValid = ajv.compile(JSON.parse(JSON.stringify(JSON_SCHEMA)) as object);

  for (const [file, ...said] of files)
    test(
      said.length === 0 ? `takes ${JSON.stringify(file)}` : `says: ${said.join('; ').slice(0, 100)}`,
      () => {
        assert.equal(mistakesIn(file), said.join('\n'));
        assert.equal(isValid(file), said.length === 0, 'Ajv agrees');
      },
    );

  for (const [file, ...said] of beyondTheSchema)
    test(`says: ${said.join()}`, () => assert.equal(mistakesIn(file), said.join()));
});
