import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { serverEventsOf } from '@service/client/server-events';
import { textOf } from './failures.js';

/** A message of JSON-RPC, of which only what decides about its way is read. */
interface Message {
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: { readonly requestId?: string | number; readonly _meta?: Record<string, unknown> } & Record<
    string,
    unknown
  >;
  readonly result?: { readonly protocolVersion?: unknown };
}

interface Peers {
  /** The address of the server with its query. */
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly input: Readable;
  readonly output: Writable;
  /** Takes what went wrong with a message that has no answer. */
  readonly note: (text: string) => void;
}

const PARSE_ERROR = -32_700;
const INTERNAL_ERROR = -32_603;
const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';

/** The methods whose target the header `Mcp-Name` repeats, and the parameter that it repeats. */
const TARGETS: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

/**
 * Carries MCP between a client that starts programs (a message a line) and a server of streamable HTTP (a message a
 * request). It understands no more of a message than its way needs, so that it works with versions that come later.
 */
export class McpBridge {
  private readonly running = new Map<string | number, AbortController>();
  private readonly pending = new Set<Promise<void>>();
  private negotiated: string | undefined;

  constructor(private readonly peers: Peers) {}

  /** Resolves when the client has closed its input and everything that it asked is answered. */
  async run(): Promise<void> {
    for await (const line of createInterface({ input: this.peers.input, crlfDelay: Infinity })) {
      if (line.trim() !== '') this.take(line);
    }
    await Promise.all(this.pending);
  }

  private take(line: string): void {
    const message = messageOf(line);
    if (message === undefined) {
      const error = { code: PARSE_ERROR, message: 'The line is no message of JSON-RPC 2.0.' };
      this.write({ jsonrpc: '2.0', id: null, error });
      return;
    }
    if (this.cancels(message)) return;
    const passing = this.pass(message, line).finally(() => this.pending.delete(passing));
    this.pending.add(passing);
  }

  /** Over HTTP a request is cancelled by closing its connection. */
  private cancels({ method, params }: Message): boolean {
    if (method !== 'notifications/cancelled' || params?.requestId === undefined) return false;
    this.running.get(params.requestId)?.abort();
    return true;
  }

  private async pass(message: Message, body: string): Promise<void> {
    const { id, method } = message;
    const isRequest = id != null && method !== undefined;
    const abort = new AbortController();
    if (isRequest) this.running.set(id, abort);
    try {
      const isAnswered = await this.send(message, body, abort.signal);
      if (isRequest && !isAnswered) throw new Error('The service closed the connection before it answered.');
    } catch (error) {
      if (abort.signal.aborted) return;
      const text = textOf(error, this.peers.url.origin);
      if (isRequest) this.write({ jsonrpc: '2.0', id, error: { code: INTERNAL_ERROR, message: text } });
      else this.peers.note(text);
    } finally {
      if (isRequest) this.running.delete(id);
    }
  }

  /** Returns whether the answer to the message arrived. */
  private async send(message: Message, body: string, signal: AbortSignal): Promise<boolean> {
    const response = await fetch(this.peers.url, {
      method: 'POST',
      // The key goes to no other address.
      redirect: 'error',
      headers: { ...this.peers.headers, ...this.headersOf(message) },
      body,
      signal,
    });
    if (isEventStream(response) && response.body !== null) {
      let isAnswered = false;
      for await (const { data } of serverEventsOf(response.body)) {
        if (data !== '') isAnswered = this.deliver(JSON.parse(data) as Message, message) || isAnswered;
      }
      return isAnswered;
    }
    const text = await response.text();
    if (text === '' && response.ok) return false;
    const answer = messageOf(text);
    if (answer === undefined) throw failureOf(response.status, text);
    return this.deliver(answer, message);
  }

  /** Returns whether `answer` is the answer to `asked`. */
  private deliver(answer: Message, asked: Message): boolean {
    if (asked.method === 'initialize' && typeof answer.result?.protocolVersion === 'string')
      this.negotiated = answer.result.protocolVersion;
    // A server that refuses the request as a whole may not have read its id.
    const isRefusal = answer.method === undefined && answer.id === null && asked.method !== undefined;
    this.write(isRefusal ? { ...answer, id: asked.id } : answer);
    return isRefusal || (answer.method === undefined && answer.id === asked.id);
  }

  /** Newer versions say in each message which version it has, and repeat its method and target in headers. */
  private headersOf({ method, params }: Message): Record<string, string> {
    const said = params?._meta?.[VERSION_KEY];
    const headers: Record<string, string> = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    };
    if (typeof said !== 'string')
      return this.negotiated === undefined ? headers : { ...headers, 'mcp-protocol-version': this.negotiated };
    headers['mcp-protocol-version'] = said;
    if (method === undefined) return headers;
    headers['mcp-method'] = method;
    const target = params?.[TARGETS[method] ?? ''];
    return typeof target === 'string' ? { ...headers, 'mcp-name': headerValueOf(target) } : headers;
  }

  private write(message: object): void {
    this.peers.output.write(`${JSON.stringify(message)}\n`);
  }
}

const isEventStream = (response: Response): boolean =>
  (response.headers.get('content-type') ?? '').startsWith('text/event-stream');

/** Returns undefined for what is no message of JSON-RPC, such as an error of the API. */
function messageOf(text: string): Message | undefined {
  try {
    const parsed = JSON.parse(text) as { jsonrpc?: unknown } | null;
    return parsed?.jsonrpc === '2.0' ? (parsed as Message) : undefined;
  } catch {
    return undefined;
  }
}

function failureOf(status: number, text: string): Error {
  try {
    const { error } = JSON.parse(text) as { error: { message: string; hint?: string; docs_url?: string } };
    if (typeof error.message === 'string') {
      const { message, hint, docs_url: docs } = error;
      return new Error(
        [
          message,
          ...(hint === undefined ? [] : [`Hint: ${hint}`]),
          ...(docs === undefined ? [] : [`Docs: ${docs}`]),
        ].join('\n'),
      );
    }
  } catch {
    // It is the page of a proxy, of which the status says enough.
  }
  return new Error(`The service answered with status ${status}.`);
}

/** A header has only printable ASCII. The specification says how everything else is written. */
function headerValueOf(text: string): string {
  const isPlain = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !/^=\?base64\?.*\?=$/.test(text);
  return isPlain ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`;
}
