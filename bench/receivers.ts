import { createServer, type Server } from 'node:http';

// Receivers of webhooks in a process of their own, so that they do not slow down the sender they measure.
// Started by fork: `node bench/receivers.ts <healthy>`. Tells its ports, then, when asked, what arrived when.

export interface Receivers {
  healthy: number[];
  hanging: number;
  /** Nobody listens there. */
  refusing: number;
}

/** Which healthy receiver got which event at which moment, in epoch milliseconds with fractions. */
export type Receipt = [receiver: number, eventMark: string, at: number];

if (process.send !== undefined) {
  const receipts: Receipt[] = [];
  const healthy: number[] = [];
  for (let i = 0; i < Number(process.argv[2]); i++) {
    healthy.push(
      await listening(
        createServer((request, response) => {
          const chunks: Buffer[] = [];
          request.on('data', (chunk: Buffer) => chunks.push(chunk));
          request.on('end', () => {
            const at = performance.timeOrigin + performance.now();
            response.writeHead(204).end();
            const body = JSON.parse(Buffer.concat(chunks).toString()) as { data: { space_id: string } };
            receipts.push([i, body.data.space_id, at]);
          });
        }),
      ),
    );
  }
  const hanging = await listening(createServer(() => undefined));
  const closed = createServer();
  const refusing = await listening(closed);
  closed.close();
  process.on('message', (message) => {
    if (message === 'count') process.send?.(receipts.length);
    if (message === 'receipts') process.send?.(receipts.splice(0));
    if (message === 'end') process.exit(0);
  });
  process.send({ healthy, hanging, refusing } satisfies Receivers);
}

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
