import type { Document, Schema } from '../../src/http/openapi/published.ts';
import { errorCodes, eventNames, fail, MADE, nameOf, schemasForOthers, wordsOf } from './types.ts';

// clients/python/hourkeep/document.py: TypedDicts that Python 3.9 can load.

/** Cannot be the name of an argument. The client takes the underscore away. */
const KEYWORDS = new Set(['from']);

export function pythonTypesOf(document: Document): string {
  const classes = new Map<string, string>();
  for (const [name, schema] of schemasForOthers(document)) writeClass(name, schema, classes);
  const floats = [...classes.values()].flatMap((text) => [...text.matchAll(/^ {4}(\w+): float$/gm)]);
  const names = [...new Set(floats.map(([, name]) => name!))].toSorted();
  return [
    `# ${MADE}`,
    'from __future__ import annotations\n\nfrom typing import Any, Dict, List, Literal, Optional, TypedDict, Union',
    ...[...classes.values()].map((text) => `\n${text}`),
    '',
    `FLOATS = frozenset(\n    "${names.join(' ')}".split()\n)\n"""The fields that are \`float\`, or \`Decimal\` from a client with \`decimal=True\`."""`,
    `WebhookEvent = Union[${eventNames(document).join(', ')}]\n"""What a webhook delivers; \`type\` tells which."""`,
    `EventType = ${literal(Object.keys(document.webhooks))}\n"""The events that a webhook can subscribe to."""`,
    `ApiErrorCode = ${literal(errorCodes(document))}\n"""Every code that the API refuses with."""`,
  ].join('\n\n');
}

/** Python 3.9 knows no NotRequired: fields that must be there are in a class of their own. */
function writeClass(name: string, schema: Schema, classes: Map<string, string>): void {
  const { properties = fail(`${name} has no fields`), required = [] } = schema;
  const fields = Object.entries(properties);
  const needed = fields.filter(([field]) => required.includes(field));
  const others = fields.filter(([field]) => !required.includes(field));
  const lines = (some: [string, Schema][]): string[] =>
    some.flatMap(([field, each]) => {
      const type = typeOf(each, name + camel(field), classes);
      const words = wordsOf(each);
      const key = KEYWORDS.has(field) ? `${field}_` : field;
      return [`    ${key}: ${type}`, ...(words === '' ? [] : [docstring(words)])];
    });
  const words = wordsOf(schema);
  const head = words === '' ? [] : [docstring(words) + '\n'];
  const body = (some: [string, Schema][], top: string[]): string =>
    [...top, ...lines(some)].join('\n') || '    pass';
  if (others.length === 0) {
    const text = body(needed, head);
    classes.set(name, `class ${name}(TypedDict):\n${text}`);
  } else if (needed.length === 0) {
    const text = body(others, head);
    classes.set(name, `class ${name}(TypedDict, total=False):\n${text}`);
  } else {
    const first = body(needed, []);
    const second = body(others, head);
    classes.set(
      name,
      `class _${name}(TypedDict):\n${first}\n\n\nclass ${name}(_${name}, total=False):\n${second}`,
    );
  }
}

function typeOf(schema: Schema, name: string, classes: Map<string, string>): string {
  const members = membersOf(schema, name, classes);
  const types = members.filter((type) => type !== 'None');
  const all = types.length === 1 ? types[0]! : `Union[${types.join(', ')}]`;
  return types.length < members.length ? `Optional[${all}]` : all;
}

function membersOf(schema: Schema, name: string, classes: Map<string, string>): string[] {
  if (schema.$ref !== undefined) return [nameOf(schema.$ref)];
  if (schema.const !== undefined) return [literal([schema.const])];
  if (schema.enum !== undefined) return [literal(schema.enum)];
  if (schema.anyOf !== undefined) return schema.anyOf.flatMap((each) => membersOf(each, name, classes));
  return [schema.type ?? []].flat().map((type) => plainType(type, schema, name, classes));
}

function plainType(type: string, schema: Schema, name: string, classes: Map<string, string>): string {
  switch (type) {
    case 'integer':
      return 'int';
    case 'number':
      return 'float';
    case 'string':
      return 'str';
    case 'boolean':
      return 'bool';
    case 'null':
      return 'None';
    case 'array':
      return `List[${typeOf(schema.items ?? fail('an array of nothing'), name, classes)}]`;
    case 'object':
      if (schema.additionalProperties === true) return 'Dict[str, Any]';
      writeClass(name, schema, classes);
      return name;
    default:
      return fail(`no type for ${JSON.stringify(schema)}`);
  }
}

function literal(values: readonly unknown[]): string {
  const shown = values.map((value) => {
    if (value === null) return 'None';
    if (typeof value === 'boolean') return value ? 'True' : 'False';
    return JSON.stringify(value);
  });
  return `Literal[${shown.join(', ')}]`;
}

function docstring(words: string): string {
  return `    """${words.replaceAll('\\', '\\\\')}"""`;
}

function camel(field: string): string {
  return field.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
