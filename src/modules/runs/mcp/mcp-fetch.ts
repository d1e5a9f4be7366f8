import type { OpenAnswer, PublicFailure, PublicFetch } from '../../../platform/egress/public-fetch.js';
import { isSettableHeader } from '../tools/secret-headers.js';

const MAX_ANSWER_BYTES = 4 * 1_048_576;
const TIMEOUT_MS = 120_000;
/** Statuses whose answers have no body. */
const EMPTY = [204, 205, 304];

export interface McpEndpoint {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The server could not be reached, or did not answer as HTTP demands. */
export class McpUnreachable extends Error {
  constructor(readonly failure: PublicFailure) {
    super(`The MCP server could not be reached: ${failure.fault}.`);
  }
}

/** A `fetch` for the client of MCP that reaches one public host, with bounded answers. */
export function mcpFetch(
  fetcher: PublicFetch,
  { url: endpoint, headers: credentials }: McpEndpoint,
  trusted: readonly string[],
): (url: string | URL, init?: RequestInit) => Promise<Response> {
  return async (url, init = {}) => {
    const method = init.method ?? 'GET';
    // Nothing is asked from a server beside calls, so that no stream has to stay open.
    if (method === 'GET') return new Response(null, { status: 405 });
    const headers = [...new Headers(init.headers)].filter(([name]) => isSettableHeader(name));
    const answer = await fetcher.open({
      url: String(url),
      method,
      headers: { 'user-agent': 'service-agent/1.0', ...Object.fromEntries(headers) },
      credentials,
      body: typeof init.body === 'string' ? init.body : undefined,
      hosts: [new URL(endpoint).host],
      trusted,
      maxBytes: MAX_ANSWER_BYTES,
      timeoutMs: TIMEOUT_MS,
      ...(init.signal == null ? {} : { signal: init.signal }),
    });
    if ('fault' in answer) throw new McpUnreachable(answer);
    return responseOf(answer);
  };
}

function responseOf({ status, headers, body, close }: OpenAnswer): Response {
  const kept = ['content-type', 'mcp-session-id', 'mcp-protocol-version', 'retry-after']
    .map((name): [string, unknown] => [name, headers[name]])
    .filter((pair): pair is [string, string] => typeof pair[1] === 'string');
  if (!EMPTY.includes(status)) return new Response(ReadableStream.from(bytesOf(body)), { status, headers: kept });
  close();
  return new Response(null, { status, headers: kept });
}

async function* bytesOf(body: OpenAnswer['body']): AsyncGenerator<Uint8Array> {
  for await (const { part, isLast } of body.parts()) {
    if (isLast) throw new Error('The answer of the MCP server is too large.');
    yield part;
  }
}
