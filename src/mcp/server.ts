import {
  fromJsonSchema,
  McpServer,
  type CallToolResult,
  type jsonSchemaValidator,
  type JsonSchemaValidator,
} from '@modelcontextprotocol/server';
import { HourkeepError } from '../../client/src/error.ts';
import type { Hourkeep } from '../../client/src/hourkeep.ts';
import type { Document } from '../http/openapi/published.ts';
import type { Clock } from '../time/clock.ts';
import { VERSION } from '../version.ts';
import { schemasOf, scopeOf, type SpelledOut, type ToolSchemas } from './schemas.ts';
import { INSTRUCTIONS, TOOLS, type Tool } from './tools.ts';

/** A server of the Model Context Protocol whose tools are operations of the API. */
export function createMcpServer(
  hk: Hourkeep,
  document: Document,
  clock: Clock,
  offers: (tool: Tool, scopes: readonly string[]) => boolean,
): McpServer {
  const server = new McpServer(
    { name: 'hourkeep', version: VERSION },
    { instructions: INSTRUCTIONS, capabilities: { tools: { listChanged: false } } },
  );
  // The SDK looks a tool up by its name in a plain object, which inherits names such as "constructor".
  Object.setPrototypeOf(server['_registeredTools'], null);
  const spelledOut: SpelledOut = new Map();
  for (const tool of TOOLS) {
    if (!offers(tool, [scopeOf(document, tool.operationId), ...(tool.alsoNeeds ?? [])])) continue;
    const ofOperation = schemasOf(document, tool, spelledOut);
    const schemas = tool.adapt?.(ofOperation) ?? ofOperation;
    server.registerTool(
      tool.name,
      {
        title: tool.title,
        description: tool.description,
        inputSchema: fromJsonSchema(schemas.input, ACCEPT_ALL),
        outputSchema: fromJsonSchema(schemas.output, ACCEPT_ALL),
        annotations: annotationsOf(tool),
      },
      async (input, ctx) => call(hk, tool, schemas, input, ctx.mcpReq.signal, clock.now()),
    );
  }
  return server;
}

/** The API judges what it is sent, and its refusal has a code; it answers as its document says. */
const ACCEPT_ALL: jsonSchemaValidator = {
  getValidator<T>(): JsonSchemaValidator<T> {
    return (input) => ({ valid: true, data: input as T, errorMessage: undefined });
  },
};

function annotationsOf({ writes }: Tool) {
  return {
    readOnlyHint: writes === undefined,
    destructiveHint: writes?.destructive ?? false,
    idempotentHint: writes === undefined || writes.idempotent === true,
    openWorldHint: writes?.reachesOut === true,
  };
}

async function call(
  hk: Hourkeep,
  tool: Tool,
  { demanded }: ToolSchemas,
  input: unknown,
  signal: AbortSignal,
  now: number,
): Promise<CallToolResult> {
  try {
    const given = input as Record<string, unknown>;
    for (const name of demanded) demandText(name, given[name]);
    const data = await tool.run(hk, input as never, { signal }, now);
    const text = tool.text?.(data as never) ?? JSON.stringify(data);
    return { content: [{ type: 'text', text }], structuredContent: { ...data } };
  } catch (error) {
    if (!(error instanceof HourkeepError)) throw error;
    return { content: [{ type: 'text', text: refusal(error) }], isError: true };
  }
}

/** A path cannot be made without it, so the API cannot be asked what is wrong with it. */
function demandText(name: string, value: unknown): void {
  if (value === undefined) throw new HourkeepError('VALIDATION_ERROR', `${name} is required`);
  if (typeof value !== 'string') throw new HourkeepError('VALIDATION_ERROR', `${name} must be a string`);
  if (value === '') throw new HourkeepError('VALIDATION_ERROR', `${name} must not be empty`);
}

/** The code first: an agent decides by it. */
function refusal({ code, message, details, requestId }: HourkeepError): string {
  return [
    `${code}: ${message}`,
    ...(details === undefined ? [] : [`Details: ${JSON.stringify(details)}`]),
    ...(requestId === undefined ? [] : [`Request: ${requestId}`]),
  ].join('\n');
}
