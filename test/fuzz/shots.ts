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
import { object, valueOf } from './values.ts';

/** One request, written out but for references to things the service has. */
export interface Shot {
  operationId: string;
  method: string;
  path: string;
  headers: [name: string, value: string][];
  body: string | null;
  /** In latin1 a text becomes bytes that often are no UTF-8; in broken UTF-8 they never are. */
  encoding: 'utf8' | 'latin1' | 'broken utf8';
}

/** Requests to every operation of the document: right, nearly right and hostile. */
export function anyShot(contract: Contract): Arbitrary<Shot> {
  return fc.oneof(
    ...contract.endpoints.map((endpoint) => ({
      arbitrary: shotAt(contract, endpoint),
      // There is little to get wrong about what takes no input, and more about what writes.
      weight: endpoint.operation.requestBody !== undefined ? 8 : endpoint.operation.parameters ? 4 : 1,
    })),
  );
}

function shotAt(contract: Contract, endpoint: Endpoint): Arbitrary<Shot> {
  const { method, template, operation } = endpoint;
  const parameters = operation.parameters ?? [];
  return fc
    .record({
      method: weighted<string>([30, fc.constant(method)], [1, fc.constantFrom(...METHODS)]),
      path: pathOf(contract, template, parameters),
      query: queryOf(contract, parameters),
      key: weighted<string | null>(
        [20, fc.constant('Bearer {{key:0}}')],
        [2, fc.constant('Bearer {{sandbox:0}}')],
        [1, fc.constantFrom(null, 'Bearer', 'Basic e30=', 'Bearer hk_live_x', 'bearer  {{key:0}}')],
      ),
      type: weighted<string>([20, fc.constant('application/json')], [1, contentType]),
      extra: weighted<[string, string][]>(
        [6, fc.constant([])],
        [1, fc.array(hostileHeader, { minLength: 1, maxLength: 3 })],
      ),
      body: bodyOf(contract, operation.requestBody?.content['application/json']?.schema),
      encoding: weighted<Shot['encoding']>(
        [30, fc.constant('utf8')],
        [1, fc.constant('latin1')],
        [2, fc.constant('broken utf8')],
      ),
    })
    .map(({ method, path, query, key, type, extra, body, encoding }) => ({
      operationId: operation.operationId,
      method,
      path: query === '' ? path : `${path}?${query}`,
      headers: [
        ...(key === null ? [] : [['authorization', key] as [string, string]]),
        ...(body === null ? [] : [['content-type', type] as [string, string]]),
        ...extra,
      ],
      body,
      encoding,
    }));
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'];

function pathOf(contract: Contract, template: string, parameters: readonly Parameter[]): Arbitrary<string> {
  const values = parameters
    .filter((parameter) => parameter.in === 'path')
    .map(({ name, schema }) =>
      weighted(
        [20, valueOf(contract, schema, name).map(String)],
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

function queryOf(contract: Contract, parameters: readonly Parameter[]): Arbitrary<string> {
  const pairs = parameters
    .filter((parameter) => parameter.in === 'query')
    .map(({ name, schema, required }) =>
      fc
        .option(
          weighted([10, valueOf(contract, schema, name).map(String)], [1, hostileText]).map(
            (value) => `${name}=${reservingReferences(value)}`,
          ),
          { freq: required ? 20 : 2 },
        )
        .map((pair) => pair ?? ''),
    );
  return fc
    .tuple(fc.tuple(...pairs), weighted([10, fc.constant('')], [1, hostileQuery]))
    .map(([named, odd]) => [...named, odd].filter((pair) => pair !== '').join('&'));
}

function reservingReferences(value: string): string {
  return value.startsWith('{{') && value.endsWith('}}') ? value : encoded(value);
}

function bodyOf(contract: Contract, schema: Json | undefined): Arbitrary<string | null> {
  if (schema === undefined) {
    return weighted<string | null>([20, fc.constant(null)], [1, fc.constantFrom('', '{}', 'x')]);
  }
  const right = object(contract, resolved(contract, schema));
  return weighted<string | null>(
    [8, right.map((value) => JSON.stringify(value))],
    [6, nearlyValid(right)],
    [3, hostileBody(right)],
    [1, fc.constant(null)],
  );
}

function resolved(contract: Contract, schema: Json): Json {
  const reach = schema['$ref'];
  if (typeof reach !== 'string') return schema;
  return contract.document.components.schemas[reach.slice(reach.lastIndexOf('/') + 1)]!;
}

function weighted<T>(...choices: [weight: number, arbitrary: Arbitrary<T>][]): Arbitrary<T> {
  return fc.oneof(...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })));
}
