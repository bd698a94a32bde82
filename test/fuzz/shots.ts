import fc, { type Arbitrary } from 'fast-check';
import type { Contract, Endpoint, Json, Parameter } from '../contract/document.ts';
import {
  contentType,
  encoded,
  hostileBody,
  hostileHeader,
  hostileQuery,
  hostileText,
  nearlyValid,
} from './hostile.ts';
import { valueOf, type Sources } from './values.ts';

/** What the service has: keys, and ids. */
export interface Things {
  readonly key: string;
  readonly sandboxKey: string;
  readonly spaces: readonly string[];
  readonly tokens: readonly string[];
  readonly bookings: readonly string[];
  readonly webhooks: readonly string[];
  /** Somebody else's. */
  readonly foreign: readonly string[];
}

export interface Shot {
  operationId: string;
  method: string;
  path: string;
  headers: [name: string, value: string][];
  body: string | null;
  /** In latin1 a text becomes bytes that often are no UTF-8; in broken UTF-8 they never are. */
  encoding: 'utf8' | 'latin1' | 'broken utf8';
}

/** Values that mean something, by the names of their fields. */
function namedValues({ spaces, tokens, bookings, webhooks, foreign }: Things) {
  /** Mostly one that exists; sometimes somebody else's, sometimes nobody's. */
  const oneOf = (ids: readonly string[]): Arbitrary<string> =>
    weighted([8, fc.constantFrom(...ids)], [1, fc.constantFrom(...foreign)], [1, fc.uuid()]);
  return {
    space_id: oneOf(spaces),
    booking_id: oneOf(bookings),
    id: oneOf(webhooks),
    token: oneOf(tokens),
    url: fc.nat(99).map((n) => `http://127.0.0.1:9/${n}`),
    settlement_mode: fc.constantFrom('host_settled', 'platform_settled', 'cash'),
    guest_email: fc.nat(200).map((n) => `guest-${n}@example.com`),
    idempotency_key: fc.nat(50).map((n) => `order-${n}`),
  };
}

/** Requests to every operation of the document: right, nearly right and hostile. */
export function anyShot({ endpoints, document }: Contract, things: Things): Arbitrary<Shot> {
  const sources = { schemas: document.components.schemas, named: namedValues(things) };
  return fc.oneof(
    ...endpoints.map((endpoint) => ({
      arbitrary: shotAt(sources, things, endpoint),
      // There is little to get wrong about what takes no input, and more about what writes.
      weight: endpoint.operation.requestBody !== undefined ? 8 : endpoint.operation.parameters ? 4 : 1,
    })),
  );
}

function shotAt(sources: Sources, { key, sandboxKey }: Things, endpoint: Endpoint): Arbitrary<Shot> {
  const { method, template, operation } = endpoint;
  const parameters = operation.parameters ?? [];
  return fc
    .record({
      method: weighted<string>([30, fc.constant(method)], [1, fc.constantFrom(...METHODS)]),
      path: pathOf(sources, template, parameters),
      query: queryOf(sources, parameters),
      authorization: weighted<string | null>(
        [20, fc.constant(`Bearer ${key}`)],
        [2, fc.constant(`Bearer ${sandboxKey}`)],
        [1, fc.constantFrom(null, 'Bearer', 'Basic e30=', 'Bearer hk_live_x', `bearer  ${key}`)],
      ),
      type: weighted<string>([20, fc.constant('application/json')], [1, contentType]),
      extra: weighted<[string, string][]>(
        [6, fc.constant([])],
        [1, fc.array(hostileHeader, { minLength: 1, maxLength: 3 })],
      ),
      body: bodyOf(sources, operation.requestBody?.content['application/json']?.schema),
      encoding: weighted<Shot['encoding']>(
        [30, fc.constant('utf8')],
        [1, fc.constant('latin1')],
        [2, fc.constant('broken utf8')],
      ),
    })
    .map(({ method, path, query, authorization, type, extra, body, encoding }) => ({
      operationId: operation.operationId,
      method,
      path: query === '' ? path : `${path}?${query}`,
      headers: [
        ...(authorization === null ? [] : [['authorization', authorization] as [string, string]]),
        ...(body === null ? [] : [['content-type', type] as [string, string]]),
        ...extra,
      ],
      body,
      encoding,
    }));
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'];

function pathOf(sources: Sources, template: string, parameters: readonly Parameter[]): Arbitrary<string> {
  const values = parameters
    .filter((parameter) => parameter.in === 'path')
    .map(({ name, schema }) =>
      weighted(
        [20, valueOf(sources, schema, name).map(String)],
        [2, hostileText.map(encoded)],
        [
          1,
          fc.constantFrom('..', '.', '%2e%2e', '%00', '%zz', '%', 'a'.repeat(101), '%F0%9F%98%80', ';', '*'),
        ],
      ).map((value) => [name, value] as const),
    );
  return fc
    .tuple(fc.tuple(...values), weighted([15, fc.constant('')], [1, fc.constantFrom('/', '//', '/x', '%2f')]))
    .map(([filled, tail]) => {
      const byName = new Map(filled);
      return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => byName.get(name)!) + tail;
    });
}

function queryOf(sources: Sources, parameters: readonly Parameter[]): Arbitrary<string> {
  const pairs = parameters
    .filter((parameter) => parameter.in === 'query')
    .map(({ name, schema, required }) =>
      fc
        .option(
          weighted([10, valueOf(sources, schema, name).map(String)], [1, hostileText]).map(
            (value) => `${name}=${encoded(value)}`,
          ),
          { freq: required ? 20 : 2 },
        )
        .map((pair) => pair ?? ''),
    );
  return fc
    .tuple(fc.tuple(...pairs), weighted([10, fc.constant('')], [1, hostileQuery]))
    .map(([named, odd]) => [...named, odd].filter((pair) => pair !== '').join('&'));
}

function bodyOf(sources: Sources, schema: Json | undefined): Arbitrary<string | null> {
  if (schema === undefined) {
    return weighted<string | null>([20, fc.constant(null)], [1, fc.constantFrom('', '{}', 'x')]);
  }
  const right = valueOf(sources, schema) as Arbitrary<Record<string, unknown>>;
  return weighted<string | null>(
    [8, right.map((value) => JSON.stringify(value))],
    [6, nearlyValid(right)],
    [3, hostileBody(right)],
    [1, fc.constant(null)],
  );
}

function weighted<T>(...choices: [weight: number, arbitrary: Arbitrary<T>][]): Arbitrary<T> {
  return fc.oneof(...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })));
}
