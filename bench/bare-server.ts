import { readFileSync } from 'node:fs';
import fastify from 'fastify';

// The yardstick: Fastify as it comes, with one route that answers the bytes it was given and asks no database.
// Arguments: port, file with the bytes.

const [port, file] = process.argv.slice(2);
const body = readFileSync(file!, 'utf8');
const app = fastify();
app.route({
  method: ['GET', 'POST'],
  url: '/x',
  handler: async (_request, reply) => {
    reply.type('application/json; charset=utf-8');
    return body;
  },
});
await app.listen({ host: '127.0.0.1', port: Number(port) });
