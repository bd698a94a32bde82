import type { Document, Schema } from '../../src/http/openapi/published.ts';
import { errorCodes, eventNames, fail, MADE, nameOf, schemasForOthers, wordsOf } from './types.ts';

// clients/php/src/Document.php: array shapes, which PHPStan, Psalm and editors read from comments.

export function phpTypesOf(document: Document): string {
  const types = schemasForOthers(document).map(([name, schema]) => {
    const words = wordsOf(schema);
    return `${words === '' ? '' : `${words}\n`}@phpstan-type ${name} ${typeOf(schema, '')}`;
  });
  const all = [
    ...types,
    `What a webhook delivers; \`type\` tells which.\n@phpstan-type WebhookEvent ${eventNames(document).join('|')}`,
    `The events that a webhook can subscribe to.\n@phpstan-type EventType ${literals(Object.keys(document.webhooks))}`,
    `Every code that the API refuses with.\n@phpstan-type ApiErrorCode ${literals(errorCodes(document))}`,
  ];
  const comment = [MADE, ...all]
    .join('\n\n')
    .split('\n')
    .map((line) => ` * ${line}`.trimEnd());
  return [
    '<?php',
    '',
    'declare(strict_types=1);',
    '',
    'namespace Hourkeep;',
    '',
    '/**',
    ...comment,
    ' */',
    'final class Document',
    '{',
    '}',
  ].join('\n');
}

function typeOf(schema: Schema, indent: string): string {
  if (schema.$ref !== undefined) return nameOf(schema.$ref);
  if (schema.const !== undefined) return literals([schema.const]);
  if (schema.enum !== undefined) return literals(schema.enum);
  if (schema.anyOf !== undefined) return schema.anyOf.map((each) => typeOf(each, indent)).join('|');
  return [schema.type ?? []]
    .flat()
    .map((type) => plainType(type, schema, indent))
    .join('|');
}

function plainType(type: string, schema: Schema, indent: string): string {
  switch (type) {
    case 'integer':
      return 'int';
    case 'number':
      return 'int|float';
    case 'boolean':
      return 'bool';
    case 'string':
    case 'null':
      return type;
    case 'array':
      return `list<${typeOf(schema.items ?? fail('an array of nothing'), indent)}>`;
    case 'object':
      return schema.additionalProperties === true ? 'array<string, mixed>' : shape(schema, indent);
    default:
      return fail(`no type for ${JSON.stringify(schema)}`);
  }
}

function shape({ properties = {}, required = [] }: Schema, indent: string): string {
  const inner = `${indent}  `;
  const lines = Object.entries(properties).map(
    ([name, schema]) => `${inner}${name}${required.includes(name) ? '' : '?'}: ${typeOf(schema, inner)},`,
  );
  return `array{\n${lines.join('\n')}\n${indent}}`;
}

function literals(values: readonly unknown[]): string {
  return values.map((value) => (typeof value === 'string' ? `'${value}'` : String(value))).join('|');
}
