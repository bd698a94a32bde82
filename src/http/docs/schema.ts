import { resolve, type Document, type Parameter, type Schema } from './document.ts';
import { html, type Html } from './html.ts';
import type { Markdown } from './markdown.ts';

/** `data`, and the record in it. */
const OPEN_LEVELS = 2;

type Mark = (required: boolean) => Html | undefined;

/** How the fields of a schema are shown: in the document's order, each with its type, bounds, values and meaning. */
export class Fields {
  readonly #document: Document;
  readonly #markdown: Markdown;

  constructor(document: Document, markdown: Markdown) {
    this.#document = document;
    this.#markdown = markdown;
  }

  ofParameters(parameters: readonly Parameter[]): Html {
    const schema = {
      properties: Object.fromEntries(
        parameters.map(({ name, schema, description }) => [
          name,
          { ...schema, ...(description === undefined ? {} : { description }) },
        ]),
      ),
      required: parameters.flatMap(({ name, required }) => (required === true ? name : [])),
    };
    return this.ofRequest(schema) ?? html``;
  }

  /** What a client sends: says which fields are required. */
  ofRequest(schema: Schema): Html | undefined {
    return this.#of(schema, (required) =>
      required ? html`<span class="required">required</span>` : undefined,
    );
  }

  /** What a client receives: says which fields may be absent. */
  ofAnswer(schema: Schema): Html | undefined {
    return this.#of(schema, (required) =>
      required ? undefined : html`<span class="type">may be absent</span>`,
    );
  }

  /** The fields of an object, or of the objects in a list. The outermost are shown at once, deeper ones on request. */
  #of(schema: Schema, mark: Mark, depth = 0): Html | undefined {
    const { properties, required = [], items, anyOf, oneOf } = resolve(this.#document, schema);
    if (properties !== undefined) {
      const fields = Object.entries(properties);
      return list(
        fields.map(([name, field]) => this.#field(name, field, mark(required.includes(name)), mark, depth)),
      );
    }
    if (items !== undefined) return this.#of(items, mark, depth);
    const shapes = (anyOf ?? oneOf ?? []).flatMap((shape) => this.#of(shape, mark, depth) ?? []);
    return shapes.length === 0 ? undefined : html`${shapes}`;
  }

  #field(name: string, given: Schema, marked: Html | undefined, mark: Mark, depth: number): Html {
    const schema = resolve(this.#document, given);
    const inside = this.#of(schema, mark, depth + 1);
    const open = depth < OPEN_LEVELS ? html` open` : undefined;
    return html`<li>
      <div class="field">
        <code class="name">${name}</code> <span class="type">${this.#type(schema)}</span> ${marked}
      </div>
      ${schema.description === undefined ? undefined : this.#markdown.block(schema.description)}
      ${valuesOf(schema)}
      ${inside && html`<details${open}><summary>Fields of ${name}</summary>${inside}</details>`}
    </li>`;
  }

  #type(given: Schema): string {
    const schema = resolve(this.#document, given);
    const shapes = schema.anyOf ?? schema.oneOf;
    if (shapes !== undefined) return shapes.map((shape) => this.#type(shape)).join(' or ');
    const types = [schema.type ?? typeOfValues(schema)].flat();
    const named = types.map((type) =>
      type === 'array' && schema.items !== undefined ? `list of ${this.#type(schema.items)}` : type,
    );
    return [named.join(' or '), ...bounds(schema)].join(', ');
  }
}

function list(fields: readonly Html[]): Html {
  return html`<ul class="fields">
    ${fields}
  </ul>`;
}

function typeOfValues({ enum: values, const: value, properties }: Schema): string {
  if (properties !== undefined) return 'object';
  const types = new Set((values ?? [value]).map((item) => (item === null ? 'null' : typeof item)));
  return types.has('undefined') ? 'any' : [...types].join(' or ');
}

/** In words for people. `int32` is a hint for generators and says nothing here. */
function bounds(schema: Schema): string[] {
  const { format, minimum, maximum, minLength, maxLength, minItems, maxItems } = schema;
  const most = maximum !== undefined && maximum >= Number.MAX_SAFE_INTEGER ? undefined : maximum;
  return [
    ...(format === undefined || /^int\d/.test(format) ? [] : [FORMATS[format] ?? format]),
    ...range(minimum, most, ''),
    ...(format === undefined && schema.enum === undefined ? range(minLength, maxLength, ' characters') : []),
    ...range(minItems, maxItems, ' items'),
  ];
}

const FORMATS: Readonly<Record<string, string>> = {
  'date-time': 'RFC 3339',
  uri: 'address',
};

function range(low: number | undefined, high: number | undefined, unit: string): string[] {
  if (low !== undefined && high !== undefined) return [`${low} to ${high}${unit}`];
  if (high !== undefined) return [`at most ${high}${unit}`];
  return low === undefined ? [] : [`at least ${low}${unit}`];
}

function valuesOf(schema: Schema): Html | undefined {
  const { enum: values, items, anyOf, const: value, examples = [], default: standard } = schema;
  // One of several shapes: an enum that may be null.
  const choice = anyOf?.find((shape) => shape.enum !== undefined)?.enum;
  // Examples stand where any text is let through, since a wrong value has an error code of its own.
  const allowed = values ?? items?.enum ?? choice ?? (value === undefined ? examples : [value]);
  const shown = allowed.map((item) => html` <code>${String(item)}</code>`);
  if (shown.length === 0 && standard === undefined) return undefined;
  return html`<p class="values">
    ${shown.length === 0 ? undefined : html`${value === undefined ? 'One of' : 'Always'}${shown}`}
    ${standard === undefined ? undefined : html`<span>Default <code>${String(standard)}</code></span>`}
  </p>`;
}
