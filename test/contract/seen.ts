import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Contract, OpenApi } from './document.ts';
import { endpointOf, parsed, type Exchange } from './check.ts';

// Test files run in processes of their own, so what they have seen is gathered in a folder that test/run.ts names.

const folder = process.env['CONTRACT_SEEN'] ?? '';
const noted = new Set<string>();

/** Remembers the status of an answer, and the code of a refusal, for the judgement at the end. */
export function noteSeen(contract: Contract, exchange: Exchange): void {
  const endpoint = endpointOf(contract, exchange);
  if (folder === '' || typeof endpoint === 'string' || exchange.method === 'HEAD') return;
  const { error } = (exchange.status >= 400 ? parsed(exchange.text) : {}) as { error?: { code: string } };
  note('seen', seenLine(endpoint.operation.operationId, String(exchange.status), error?.code));
  const published = join(folder, `document-${process.pid}.json`);
  if (!existsSync(published)) writeFileSync(published, JSON.stringify(contract.document));
}

/** Remembers that a receiver has got a delivery of this type, and that it was as documented. */
export function noteDelivered(type: string): void {
  note('seen', deliveredLine(type));
}

/** The error is thrown as well, but some tests would take it for a lost connection and go on. */
export function noteViolation(text: string): void {
  note('violations', text);
}

function note(file: 'seen' | 'violations', line: string): void {
  if (folder === '' || noted.has(line)) return;
  noted.add(line);
  mkdirSync(folder, { recursive: true });
  appendFileSync(join(folder, `${file}-${process.pid}`), `${line}\n`);
}

/** After all tests: answers outside the document, and documented answers and deliveries that no test has seen. */
export function judge(gathered: string): string[] {
  const files = existsSync(gathered) ? readdirSync(gathered) : [];
  const read = (prefix: string): string[] =>
    files.filter((name) => name.startsWith(prefix)).map((name) => readFileSync(join(gathered, name), 'utf8'));
  const lines = (prefix: string): string[] =>
    read(prefix).flatMap((text) => text.split('\n').filter((line) => line !== ''));
  const seen = new Set(lines('seen-'));
  const [document] = read('document-');
  if (document === undefined) return [...lines('violations-'), 'no test has seen any answer'];
  const unseen = documentedLines(JSON.parse(document) as OpenApi).filter((line) => !seen.has(line));
  return [...lines('violations-'), ...unseen.map((line) => `documented but never seen: ${line}`)];
}

function documentedLines({ paths, webhooks }: OpenApi): string[] {
  const answers = Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap(({ operationId, responses }) =>
      Object.entries(responses).flatMap(([status, { content }]) => {
        const codes = Number(status) < 400 ? [undefined] : Object.keys(Object.values(content!)[0]!.examples!);
        return codes.map((code) => seenLine(operationId, status, code));
      }),
    );
  return [...answers, ...Object.keys(webhooks).map(deliveredLine)];
}

function seenLine(operationId: string, status: string, code: string | undefined): string {
  return [operationId, status, ...(code === undefined ? [] : [code])].join(' ');
}

function deliveredLine(type: string): string {
  return `delivery of ${type}`;
}
