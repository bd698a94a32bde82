import { parsed } from './check.ts';
import type { Contract } from './document.ts';

export interface Delivered {
  headers: Readonly<Record<string, unknown>>;
  text: string;
}

/** Everything about a delivery that the document's `webhooks` do not allow; empty when it is as documented. */
export function deliveryProblems(contract: Contract, { headers, text }: Delivered): string[] {
  const body = parsed(text) as { id?: unknown; type?: unknown } | undefined;
  const type = String(body?.type);
  const webhook = contract.document.webhooks[type];
  if (webhook === undefined) return [`the document has no webhook of the type ${type}`];
  const steps = ['webhooks', type, 'post'];
  const found = (webhook.post.parameters ?? []).flatMap(({ name }, i) => {
    const errors = contract.errors([...steps, 'parameters', String(i), 'schema'], headers[name]);
    return errors.map((error) => `${name} (${String(headers[name])}): ${error}`);
  });
  if (headers['content-type'] !== 'application/json')
    found.push(`the content type is ${String(headers['content-type'])}`);
  if (headers['webhook-id'] !== body?.id) found.push('webhook-id is not the id of the event');
  const content = [...steps, 'requestBody', 'content', 'application/json', 'schema'];
  return [...found, ...contract.errors(content, body)];
}
