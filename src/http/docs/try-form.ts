import { bodyOf, type Endpoint, type Parameter } from '../openapi/published.ts';
import { html, type Html } from './html.ts';

/** Sends a real request to the service that the page comes from. Optional parameters are folded away. */
export function tryForm({ method, path, operation }: Endpoint): Html {
  const { parameters = [], security } = operation;
  const needsKey = security.length > 0;
  const optional = parameters.filter(({ required }) => required !== true);
  const body = requiredOf(operation);
  return html`<form class="try" data-method="${method}" data-path="${path}">
    <h2 id="try"><a href="#try">Try it</a></h2>
    ${needsKey ? KEY : undefined}
    ${parameters.filter(({ required }) => required === true).map(parameterField)}
    ${
      optional.length === 0
        ? undefined
        : html`<details>
            <summary>Optional parameters</summary>
            ${optional.map(parameterField)}
          </details>`
    }
    ${
      body === undefined
        ? undefined
        : html`<label for="try-body">Body</label>
            <textarea id="try-body" name="body" spellcheck="false" rows="${body.split('\n').length + 1}">
${body}</textarea>`
    }
    <p class="buttons"><button type="submit">Send request</button></p>
    <p class="note" role="status"></p>
    <div class="answer" aria-live="polite"></div>
    <noscript><p>Sending a request from this page needs JavaScript.</p></noscript>
  </form>`;
}

/** The example's required fields, or all of them where none is. */
function requiredOf(operation: Endpoint['operation']): string | undefined {
  const body = bodyOf(operation);
  if (body === undefined) return undefined;
  const { required = [] } = body.schema;
  const fields = Object.entries(body.example as object);
  // A booking that is no walk-in needs the guest's address too, which no schema says.
  const needed = fields.filter(([name]) => required.includes(name) || name === 'guest_email');
  return JSON.stringify(Object.fromEntries(required.length === 0 ? fields : needed), null, 2);
}

const KEY = html`<label for="try-key">API key</label>
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

function parameterField({ name, in: place, required = false, example, schema }: Parameter): Html {
  const id = `try-${place}-${name}`;
  const value = required && example !== undefined ? String(example) : '';
  return html`<label for="${id}"><code>${name}</code></label>
    <input
      id="${id}"
      name="${name}"
      data-in="${place}"
      value="${value}"
      placeholder="${schema.enum?.join(', ')}"
      autocomplete="off"
      spellcheck="false"
    />`;
}
