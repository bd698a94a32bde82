import { openApiDocument } from '../../src/http/openapi/document.ts';
import { webhookDocuments } from '../../src/webhooks/openapi.ts';
import { problemsOf, type Exchange } from '../contract/check.ts';
import { readContract, type Contract, type OpenApi } from '../contract/document.ts';
import { noteSeen, noteViolation } from '../contract/seen.ts';

/** What a service publishes follows from its settings: of those with the same, one is asked. */
export function publishes(base: string, settings: Record<string, string>): void {
  settingsOf.set(base, JSON.stringify(settings));
}

const settingsOf = new Map<string, string>();

/** The contract that a service publishes, read once. */
export function contractOf(base: string): Promise<Contract> {
  const key = settingsOf.get(base) ?? base;
  let contract = published.get(key);
  if (contract === undefined) {
    contract = download(base);
    // A service that died before it could be asked may be asked again.
    contract.catch(() => published.delete(key));
    published.set(key, contract);
  }
  return contract;
}

const published = new Map<string, Promise<Contract>>();

async function download(base: string): Promise<Contract> {
  const response = await fetch(`${base}/api-openapi`, { headers: { 'accept-encoding': 'identity' } });
  return readContract((await response.json()) as OpenApi);
}

/** Every answer that a test gets is checked here. One that is not as documented fails the test, whatever it is about. */
export function holdToContract(contract: Contract, exchange: Exchange): void {
  const problems = problemsOf(contract, exchange);
  if (problems.length > 0) {
    const message = `${exchange.method} ${exchange.path} answered ${exchange.status} outside the document: ${problems.join('; ')}`;
    noteViolation(message);
    throw new Error(message);
  }
  noteSeen(contract, exchange);
}

/** What every service publishes about deliveries. It depends on no route, so a receiver need not know who sends. */
export function deliveryContract(): Contract {
  deliveries ??= readContract(openApiDocument([], webhookDocuments, '') as OpenApi);
  return deliveries;
}

let deliveries: Contract | undefined;
