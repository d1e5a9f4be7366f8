import { createMcpHandler, fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import type { HttpPeer } from './http-peer.js';

export interface ServedTool {
  description: string;
  schema: Record<string, unknown>;
  readOnly?: boolean;
  act: (input: any) => { text?: string; structured?: Record<string, unknown>; isError?: boolean };
}

/** Serves the tools at `/mcp` of the peer, with the server of the SDK. They may be changed between requests. */
export function serveMcp(peer: HttpPeer, tools: Map<string, ServedTool>): void {
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 'test', version: '1.0.0' });
    for (const [name, { description, schema, readOnly, act }] of tools)
      server.registerTool(
        name,
        {
          description,
          inputSchema: fromJsonSchema(schema as never),
          ...(readOnly === undefined ? {} : { annotations: { readOnlyHint: readOnly } }),
        },
        (input: unknown) => {
          const { text, structured, isError = false } = act(input);
          return {
            content: text === undefined ? [] : [{ type: 'text' as const, text }],
            ...(structured === undefined ? {} : { structuredContent: structured }),
            isError,
          };
        },
      );
    return server;
  });
  peer.handlers.set('/mcp', (response, request) => {
    const body = peer.seen.at(-1)!.body;
    const asked = new Request(peer.at('/mcp'), {
      method: request.method!,
      headers: Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)]),
      ...(body === '' ? {} : { body }),
    });
    void handler.fetch(asked).then(async (answer) => {
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      response.end(Buffer.from(await answer.arrayBuffer()));
    });
  });
}
