import { PassThrough } from 'node:stream';
import type { Command } from 'commander';
import { baseUrl, readConfig } from '../config.ts';
import { OperatorError } from '../errors.ts';
import type { OpenApi } from '../mcp/schemas.ts';

export function addMcpCommand(program: Command): void {
  program
    .command('mcp')
    .description(
      'let an AI agent use the API: speaks the Model Context Protocol on standard input and output',
    )
    .option('--write', 'also offer the tools that book, cancel, block, change listings and webhooks')
    .addHelpText(
      'after',
      `
Settings:
  HOURKEEP_API_KEY  the key that the agent works with; its scopes and environment bound what it can do
  HOURKEEP_URL      the API (default: where the settings say it is)

Example:
  HOURKEEP_API_KEY=hk_test_… hourkeep mcp --write

docs/guides/agents.md tells how to add it to agent programs.`,
    )
    .action(serveAgent);
}

async function serveAgent({ write = false }: { write?: boolean }): Promise<void> {
  const apiKey = process.env['HOURKEEP_API_KEY']?.trim();
  if (!apiKey) throw new OperatorError('HOURKEEP_API_KEY must be the API key that the agent works with');
  const url = process.env['HOURKEEP_URL']?.trim() || baseUrl(readConfig(process.env));
  // Loaded here: nothing else needs the protocol.
  const [{ serveStdio, StdioServerTransport }, { createMcpServer }, { Hourkeep }] = await Promise.all([
    import('@modelcontextprotocol/server/stdio'),
    import('../mcp/server.ts'),
    import('../../client/src/index.ts'),
  ]);
  const hk = new Hourkeep({ apiKey, baseUrl: url });
  const document = await readDocument(url);
  // The SDK drops answers in flight when its input ends. So its input never does: the process ends by itself, once standard
  // input has ended and nothing is left to answer.
  const transport = new StdioServerTransport(process.stdin.pipe(new PassThrough(), { end: false }));
  serveStdio(() => createMcpServer(hk, document, ({ writes }) => write || writes === undefined), {
    transport,
  });
}

async function readDocument(url: string): Promise<OpenApi> {
  const address = `${url.replace(/\/+$/, '')}/api-openapi`;
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(10_000) });
    const document = (await response.json()) as OpenApi;
    if (response.ok && typeof document.paths === 'object') return document;
  } catch {
    // As if it had answered something else.
  }
  throw new OperatorError(
    `no Hourkeep API answers at ${url}; is "hourkeep serve" running? (HOURKEEP_URL names another)`,
  );
}
