import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { freePort } from '../test/support/cluster.ts';
import { listening } from '../test/support/listening.ts';

// Receivers of webhooks in a process of their own, so that they do not slow down the sender they measure.
// Tells its ports. Whenever it is sent a number, it waits until so many have arrived and hands them over.

export interface Ports {
  readonly healthy: readonly number[];
  readonly hanging: number;
  /** Nobody listens there. */
  readonly refusing: number;
}

/** Which event arrived at which moment, in epoch milliseconds with fractions. */
export type Receipt = readonly [eventMark: string, at: number];

let receipts: Receipt[] = [];
let wanted = Infinity;
process.on('message', (count: number) => {
  wanted = count;
  handOver();
});

const healthy: number[] = [];
for (let i = 0; i < Number(process.argv[2]); i++) healthy.push(await portOf(receive));
const hanging = await portOf(() => undefined);
const refusing = await freePort();
process.send?.({ healthy, hanging, refusing } satisfies Ports);

function receive(request: IncomingMessage, response: ServerResponse): void {
  void text(request).then((body) => {
    const at = performance.timeOrigin + performance.now();
    response.writeHead(204).end();
    receipts.push([(JSON.parse(body) as { data: { space_id: string } }).data.space_id, at]);
    handOver();
  });
}

function handOver(): void {
  if (receipts.length < wanted) return;
  process.send?.(receipts);
  [receipts, wanted] = [[], Infinity];
}

async function portOf(listener: RequestListener): Promise<number> {
  return (await listening(createServer(listener))).port;
}
