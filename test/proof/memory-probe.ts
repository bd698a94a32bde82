import { appendFileSync } from 'node:fs';

// Loaded into a service before anything else (NODE_OPTIONS=--import=…): on SIGUSR2 it collects all garbage and adds a line to the
// file that MEMORY_PROBE names. What is left then is what the service keeps: between two collections the heap says only how long ago
// the last one was. bin/hourkeep exposes `gc`.

const file = process.env['MEMORY_PROBE'];
if (file !== undefined) {
  process.on('SIGUSR2', () => {
    globalThis.gc?.();
    const { heapUsed, external, rss } = process.memoryUsage();
    appendFileSync(file, `${JSON.stringify({ at: Date.now(), heap: heapUsed + external, rss })}\n`);
  });
}
