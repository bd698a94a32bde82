import { samplesOf, type SampleRequest } from './browser/samples.js';
import { resolve, type Document, type Endpoint, type Parameter, type Response } from './document.ts';
import { html, type Html } from './html.ts';
import { methodBadge } from './layout.ts';
import { codeBlock, sampleTabs, type Markdown } from './markdown.ts';
import { Fields } from './schema.ts';

/** The page of one endpoint: what it takes, what it answers, samples, and a form that sends a real request. */
export function operationPage(document: Document, markdown: Markdown, endpoint: Endpoint): Html {
  const { method, path, operation } = endpoint;
  const fields = new Fields(document, markdown);
  const body = operation.requestBody?.content['application/json'];
  return html`<article class="operation">
    <div class="words">
      <h1>${operation.summary}</h1>
      <p class="address">
        ${methodBadge(method)} <code>${path}</code> <a class="jump" href="#try">Try it</a>
      </p>
      ${markdown.block(operation.description)} ${parameterSections(operation.parameters ?? [], fields)}
      ${
        body === undefined
          ? undefined
          : html`<h2 id="body">Body</h2>
              ${fields.ofRequest(body.schema)}`
      }
      ${answers(document, markdown, endpoint, fields)}
    </div>
    <div class="actions">
      ${sampleTabs(samplesOf(exampleRequest(document, endpoint)))} ${tryForm(endpoint)}
      ${exampleAnswer(operation.responses)}
    </div>
  </article>`;
}

const PLACES = [
  ['path', 'Path'],
  ['query', 'Query'],
  ['header', 'Headers'],
] as const;

function parameterSections(parameters: readonly Parameter[], fields: Fields): Html[] {
  return PLACES.flatMap(([place, title]) => {
    const found = parameters.filter((parameter) => parameter.in === place);
    return found.length === 0
      ? []
      : html`<h2 id="${place}">${title}</h2>
          ${fields.ofParameters(found)}`;
  });
}

function answers(document: Document, markdown: Markdown, { operation }: Endpoint, fields: Fields): Html {
  const all = Object.entries(operation.responses);
  const good = all.filter(([status]) => Number(status) < 400);
  const bad = all.filter(([status]) => Number(status) >= 400);
  return html`${good.map(
      ([status, response]) =>
        html`<h2 id="answer-${status}">Answer ${status}</h2>
          ${markdown.block(response.description)}
          ${Object.values(response.content ?? {}).map(({ schema }) => fields.ofAnswer(schema))}
          ${headers(document, markdown, response)}`,
    )}
    <h2 id="errors">Errors</h2>
    <ul class="errors">
      ${bad.flatMap(([status, response]) =>
        Object.values(response.content ?? {}).flatMap(({ examples = {} }) =>
          Object.entries(examples).map(
            ([code, { value }]) =>
              html`<li>
                <span class="status">${status}</span> ${markdown.inline(`\`${code}\``)}
                <span>${messageOf(value)}</span>
              </li>`,
          ),
        ),
      )}
    </ul>`;
}

function messageOf(failure: unknown): string {
  return (failure as { error?: { message?: string } }).error?.message ?? '';
}

function headers(document: Document, markdown: Markdown, { headers = {} }: Response): Html | undefined {
  const named = Object.entries(headers);
  if (named.length === 0) return undefined;
  return html`<details>
    <summary>Headers</summary>
    <ul class="fields">
      ${named.map(
        ([name, header]) =>
          html`<li>
            <code class="name">${name}</code> ${markdown.block(
              resolve(document, header as never as { description: string }).description,
            )}
          </li>`,
      )}
    </ul>
  </details>`;
}

/** With the values of the document's examples; the page puts in others as the reader changes them. */
export function exampleRequest(document: Document, { method, path, operation }: Endpoint): SampleRequest {
  const parameters: Record<string, string> = {};
  const query = new URLSearchParams();
  let filled = path;
  for (const { name, in: place, example } of operation.parameters ?? []) {
    if (example === undefined || place === 'header') continue;
    parameters[name] = String(example);
    if (place === 'path') filled = filled.replace(`{${name}}`, encodeURIComponent(String(example)));
    else query.set(name, String(example));
  }
  return {
    operation: operation.operationId,
    method,
    base: document.servers[0]?.url ?? '',
    path: query.size === 0 ? filled : `${filled}?${query.toString()}`,
    parameters,
    authenticated: operation.security.length > 0,
    headers: {},
    body: operation.requestBody?.content['application/json']?.example,
  };
}

function tryForm({ method, path, operation }: Endpoint): Html {
  const body = operation.requestBody?.content['application/json'];
  const needsKey = operation.security.length > 0;
  return html`<form
    class="try"
    data-operation="${operation.operationId}"
    data-method="${method}"
    data-path="${path}"
    data-key="${needsKey ? 'yes' : 'no'}"
  >
    <h2 id="try">Try it</h2>
    ${needsKey ? keyField() : undefined} ${(operation.parameters ?? []).map(parameterField)}
    ${
      body === undefined
        ? undefined
        : html`<label for="try-body">Body</label>
            <textarea id="try-body" name="body" spellcheck="false" rows="${lineCount(body.example)}">
${JSON.stringify(body.example, null, 2)}</textarea>`
    }
    <p class="buttons"><button type="submit">Send request</button></p>
    <p class="note" role="status"></p>
    <div class="answer" aria-live="polite"></div>
    <noscript><p>Sending a request from this page needs JavaScript.</p></noscript>
  </form>`;
}

function keyField(): Html {
  return html`<label for="try-key">API key</label>
    <input
      id="try-key"
      name="key"
      type="password"
      autocomplete="off"
      spellcheck="false"
      placeholder="hk_test_…"
      aria-describedby="try-key-note"
    />
    <p class="hint" id="try-key-note">
      Kept in this browser tab until you close it.
      <button type="button" class="demo-key" hidden>Use the demo key</button>
    </p>`;
}

function parameterField({ name, in: place, required = false, example, schema }: Parameter): Html {
  const id = `try-${place}-${name}`;
  const value = example === undefined || place === 'header' ? '' : String(example);
  const label = html`<label for="${id}"><code>${name}</code>${required ? undefined : ' (optional)'}</label>`;
  if (schema.enum !== undefined) {
    return html`${label}<select id="${id}" name="${name}" data-in="${place}">
        ${required ? undefined : html`<option value="">any</option>`}
        ${schema.enum.map((item) => html`<option${String(item) === value ? html` selected` : undefined}>${String(item)}</option>`)}
      </select>`;
  }
  return html`${label}<input
      id="${id}"
      name="${name}"
      data-in="${place}"
      value="${value}"
      autocomplete="off"
      spellcheck="false"
    />`;
}

function lineCount(example: unknown): number {
  return JSON.stringify(example, null, 2).split('\n').length + 1;
}

function exampleAnswer(responses: Endpoint['operation']['responses']): Html | undefined {
  const [status, response] = Object.entries(responses)[0]!;
  const [type, media] = Object.entries(response.content ?? {})[0] ?? [];
  if (type === undefined || media?.example === undefined) return undefined;
  const isText = typeof media.example === 'string';
  const text = isText ? media.example : JSON.stringify(media.example, null, 2);
  return html`<section aria-label="Example answer">
    <h2>Answer ${status}</h2>
    ${codeBlock(text, isText ? 'text' : 'json')}
  </section>`;
}
