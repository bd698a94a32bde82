import { readFileSync } from 'node:fs';
import fastify from 'fastify';

// The yardstick: Fastify as it comes, with routes /0, /1, … that answer the bytes they were given and ask no database.
// Arguments: port, a file with the bytes of each route.

const [port, ...files] = process.argv.slice(2);
const app = fastify();
for (const [i, file] of files.entries()) {
  const body = readFileSync(file, 'utf8');
  app.route({
    method: ['GET', 'POST'],
    url: `/${i}`,
    handler: async (_request, reply) => {
      reply.type('application/json; charset=utf-8');
      return body;
    },
  });
}
await app.listen({ host: '127.0.0.1', port: Number(port) });
