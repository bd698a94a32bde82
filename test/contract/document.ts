import { hash } from 'node:crypto';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

export type Json = Record<string, unknown>;

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  description: string;
  schema: Json;
  example?: string | number;
}

interface Media {
  schema: Json;
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
}

export interface DocumentedResponse {
  headers: Record<string, { $ref: string }>;
  content?: Record<string, Media>;
}

interface Operation {
  operationId: string;
  security: { apiKey: string[] }[];
  parameters?: Parameter[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, DocumentedResponse>;
}

interface Header {
  required?: boolean;
  schema: Json;
}

export interface OpenApi {
  paths: Record<string, Record<string, Operation>>;
  /** What this service sends, by the type of event. */
  webhooks: Record<string, { post: Pick<Operation, 'parameters' | 'requestBody'> }>;
  components: { schemas: Record<string, Json>; headers: Record<string, Header> };
}

export interface Endpoint {
  method: string;
  /** As in the document: `/spaces/{space_id}`. */
  template: string;
  operation: Operation;
}

/** The published document in a form that answers questions about requests and responses. */
export interface Contract {
  document: OpenApi;
  endpoints: readonly Endpoint[];
  find(method: string, path: string): Endpoint | 'no such path' | 'no such method';
  header(ref: string): Header;
  /** What is wrong with a value by the schema at these steps into the document; empty when nothing is. */
  errors(steps: readonly string[], value: unknown): string[];
}

/** Compiled once for each content: the documents of the services in a test run differ in their port alone. */
const contracts = new Map<string, Contract>();

export function readContract(document: OpenApi): Contract {
  const { paths, webhooks, components } = document;
  const digest = hash('sha256', JSON.stringify({ paths, webhooks, components }));
  let contract = contracts.get(digest);
  if (contract === undefined) {
    contract = compile(document);
    contracts.set(digest, contract);
  }
  return contract;
}

function compile(document: OpenApi): Contract {
  const endpoints = Object.entries(document.paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      template,
      operation,
    })),
  );
  const patterns = endpoints.map(({ template }) => pathPattern(template));
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  (addFormats as unknown as (instance: Ajv2020) => void)(ajv);
  ajv.addSchema({ $id: 'document', ...(closed(document) as object) });
  const validators = new Map<string, ValidateFunction>();
  return {
    document,
    endpoints,
    find: (method, path) => {
      const wanted = method === 'HEAD' ? 'GET' : method;
      // A path with a trailing slash is the same path.
      const here = endpoints.filter((_, i) => patterns[i]!.test(path.replace(/\/$/, '')));
      return here.find((each) => each.method === wanted) ?? (here[0] ? 'no such method' : 'no such path');
    },
    header: (ref) => document.components.headers[ref.slice(ref.lastIndexOf('/') + 1)]!,
    errors: (steps, value) => {
      const pointer = `document#${steps.map(pointerStep).join('')}`;
      let validate = validators.get(pointer);
      if (validate === undefined) {
        validate = ajv.compile({ $ref: pointer });
        validators.set(pointer, validate);
      }
      if (validate(value)) return [];
      return (validate.errors ?? []).map(
        ({ instancePath, message, params }) =>
          `${instancePath === '' ? 'it' : instancePath} ${message} ${JSON.stringify(params)}`,
      );
    },
  };
}

/** A parameter is one segment, even an empty one. */
function pathPattern(template: string): RegExp {
  return new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]*')}$`);
}

function pointerStep(step: string): string {
  return `/${encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))}`;
}

/**
 * A copy in which objects allow no properties but those they list, unless they say so themselves. Clients may ignore a
 * field that they do not know; here it is a mistake, because nobody has described it.
 */
function closed(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(closed);
  const schema = value as Json;
  if ('allOf' in schema) throw new Error('a composed schema would have to be closed as a whole');
  const copy = Object.fromEntries(Object.entries(schema).map(([name, item]) => [name, closed(item)]));
  const open = [schema['type']].flat().includes('object') && typeof schema['properties'] === 'object';
  return open && !('additionalProperties' in schema) ? { ...copy, additionalProperties: false } : copy;
}
