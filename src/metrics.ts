import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client';

const registry = new Registry();

export const requestDuration = new Histogram({
  name: 'hourkeep_http_request_duration_seconds',
  help: 'How long requests took, by route pattern and status',
  labelNames: ['method', 'route', 'status'] as const,
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
  registers: [registry],
});

export const refusedRequests = new Counter({
  name: 'hourkeep_http_refused_requests_total',
  help: 'Requests rejected with 503 in overload, not counted by any other metric',
  registers: [registry],
});

export const deliveryDuration = new Histogram({
  name: 'hourkeep_webhook_attempt_duration_seconds',
  help: 'How long attempts to deliver webhooks took, by result',
  labelNames: ['result'] as const,
  buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
  registers: [registry],
});

/** Serves Prometheus' text format on an address of its own. What is to be told beyond requests is added to the registry first. */
export async function serveMetrics(
  { host, port }: { host: string; port: number },
  addTo: (registry: Registry) => void,
): Promise<Server> {
  collectDefaultMetrics({ register: registry });
  // Sums of figures that are there by type, and gauges with the name of a counter, which promtool refuses.
  for (const what of ['handles', 'requests', 'resources'])
    registry.removeSingleMetric(`nodejs_active_${what}_total`);
  addTo(registry);
  const server = createServer((_request, response) => {
    registry.metrics().then(
      (text) => response.writeHead(200, { 'content-type': registry.contentType }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  await once(server.listen(port, host), 'listening');
  return server;
}
