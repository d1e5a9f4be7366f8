import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Answer, CallOptions, TestApp } from './test-app.js';

/** The eras of the protocol, as the official client negotiates them. */
export const ERAS = ['auto', 'legacy'] as const;
type NegotiatedEra = (typeof ERAS)[number];

interface ConnectOptions {
  readonly era?: NegotiatedEra;
  /** The query of the address, such as `?read_only=1`. */
  readonly query?: string;
  readonly headers?: Record<string, string>;
  /** Answers questions for a person; without it, the client cannot ask. */
  readonly agrees?: (message: string) => boolean;
}

/** Connects the official client to the MCP server of the app. Close it in the end. */
export async function connectMcp(app: TestApp, key: string, options: ConnectOptions = {}): Promise<Client> {
  const { era = 'auto', query = '', headers = {}, agrees } = options;
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    {
      versionNegotiation: { mode: era },
      ...(agrees === undefined ? {} : { capabilities: { elicitation: { form: {} } } }),
    },
  );
  if (agrees !== undefined)
    client.setRequestHandler('elicitation/create', ({ params }) => ({
      action: 'accept',
      content: { agreed: agrees(params.message) },
    }));
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${app.url}/mcp${query}`), {
      requestInit: { headers: { authorization: `Bearer ${key}`, ...headers } },
    }),
  );
  return client;
}

/** Sends one message of the protocol of 2025 and returns the answer of HTTP, whose text may be a stream of events. */
export const sendMcp = (
  app: TestApp,
  key: string | undefined,
  message: unknown,
  { query = '', ...options }: CallOptions & { query?: string } = {},
): Promise<Answer> =>
  app.call('POST', `/mcp${query}`, {
    ...options,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...options.headers,
    },
    body: typeof message === 'string' ? message : JSON.stringify(message),
  });

/** Calls a tool with one message of 2025 and returns the result. */
export async function callTool(
  app: TestApp,
  key: string,
  name: string,
  given: object = {},
  options: CallOptions & { query?: string } = {},
): Promise<any> {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } };
  const { text, status } = await sendMcp(app, key, message, options);
  const data = /^data: (.*)$/m.exec(text)?.[1];
  if (status !== 200 || data === undefined) throw new Error(`${name} answered ${status}: ${text}`);
  const { result, error } = JSON.parse(data) as { result?: unknown; error?: { message: string } };
  return result ?? { refused: error?.message };
}

interface ToolResult {
  readonly content: readonly { readonly text: string }[];
}

/** Returns the error in a result that failed. */
export const errorIn = (result: ToolResult): any => JSON.parse(result.content[0]!.text).error;

/** Returns the answer of the route in a result that succeeded. */
export const answerIn = (result: ToolResult): any => JSON.parse(result.content[0]!.text);
