import type { Document, OperationObject } from './document.ts';
import { html, type Html } from './html.ts';
import { codeBlock, type Markdown } from './markdown.ts';
import { Fields } from './schema.ts';

/** The page of one event. It is a request that we send, so there is nothing to try out: the page explains instead. */
export function eventPage(
  document: Document,
  markdown: Markdown,
  name: string,
  operation: OperationObject,
): Html {
  const fields = new Fields(document, markdown);
  const body = operation.requestBody?.content['application/json'];
  return html`<article class="operation">
    <div class="words">
      <h1>${name}</h1>
      ${markdown.block(operation.description)}
      <p class="callout">
        Hourkeep sends this request to your address. You receive it, so there is no request to try here:
        subscribe with ${markdown.inline('`POST /api-webhooks/api/v1/webhooks`')}, then check and answer each
        delivery as the ${markdown.inline('[webhooks guide](webhooks.md)')} shows.
      </p>
      <h2 id="headers">Headers</h2>
      ${fields.ofParameters(operation.parameters ?? [])}
      <h2 id="body">Body</h2>
      ${body === undefined ? undefined : fields.ofAnswer(body.schema)}
      <h2 id="answers">Your answer</h2>
      <ul class="errors">
        ${Object.entries(operation.responses).map(
          ([status, { description }]) =>
            html`<li><span class="status">${status}</span> <span>${markdown.inline(description)}</span></li>`,
        )}
      </ul>
    </div>
    <div class="actions">
      <section aria-label="Example delivery">
        <h2>What arrives</h2>
        ${codeBlock(headerLines(operation), 'http')}
        ${codeBlock(JSON.stringify(body?.example, null, 2), 'json')}
      </section>
    </div>
  </article>`;
}

function headerLines({ parameters = [] }: OperationObject): string {
  const lines = parameters.map(({ name, example }) => `${name}: ${String(example)}`);
  return ['POST /your/address HTTP/1.1', 'content-type: application/json', ...lines].join('\n');
}
