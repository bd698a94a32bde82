import { PassThrough } from 'node:stream';
import { Hourkeep } from '../../client/src/hourkeep.ts';
import { systemClock } from '../time/clock.ts';
import { baseUrl, readConfig } from '../config.ts';
import { OperatorError } from '../errors.ts';
import type { Document } from '../http/openapi/published.ts';
import { command, flag } from './command.ts';

export const mcp = command('mcp', {
  about: 'let an AI agent use the API: speaks the Model Context Protocol on standard input and output',
  options: {
    write: flag('also offer the tools that book, cancel, block, change listings and webhooks'),
  },
  notes: `Settings:
  HOURKEEP_API_KEY: the key that the agent works with; its scopes and environment bound what it can do
  HOURKEEP_URL: the API (default: where the settings say it is)

docs/guides/agents.md shows how to add it to agent programs.`,
  examples: ['HOURKEEP_API_KEY=hk_test_… hourkeep mcp --write'],
  start: async ({ write = false }) => {
    const apiKey = process.env['HOURKEEP_API_KEY']?.trim();
    if (!apiKey) throw new OperatorError('HOURKEEP_API_KEY must be the API key that the agent works with');
    const url = process.env['HOURKEEP_URL']?.trim() || baseUrl(readConfig(process.env));
    // Loaded here: the help of all commands needs no protocol.
    const { serveStdio, StdioServerTransport } = await import('@modelcontextprotocol/server/stdio');
    const { createMcpServer } = await import('../mcp/server.ts');
    const hk = new Hourkeep({ apiKey, baseUrl: url });
    const document = await readDocument(url);
    // The SDK drops responses in flight when its input ends. So its input never does: the process ends by itself, once standard
    // input has ended and no request is left.
    const transport = new StdioServerTransport(process.stdin.pipe(new PassThrough(), { end: false }));
    serveStdio(
      () => createMcpServer(hk, document, systemClock, ({ writes }) => write || writes === undefined),
      { transport },
    );
  },
});

async function readDocument(url: string): Promise<Document> {
  const address = `${url.replace(/\/+$/, '')}/api-openapi`;
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(10_000) });
    const document = (await response.json()) as Document;
    if (response.ok && typeof document.paths === 'object') return document;
  } catch {
    // As if it had answered something else.
  }
  throw new OperatorError(
    `no response from a Hourkeep API at ${url}; is "hourkeep serve" running? (HOURKEEP_URL sets another URL)`,
  );
}
