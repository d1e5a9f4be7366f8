import { type IncomingMessage, type RequestListener, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { DomainError } from '../errors/domain-error.js';
import type { Log } from '../logging/log.js';
import { boundConnections, type ConnectionBounds } from './connection-bounds.js';
import { HeadersTooLarge, MalformedRequest, RequestTimeout } from './http.errors.js';
import { mayTakeLong } from './long-request.js';
import { maskedPath } from './masked-path.js';
import { faultOf } from './request-rules.js';

/** The body of a refusal: JSON for callers of the API, a page for visitors of apps. */
export interface RefusalBody {
  readonly contentType: string;
  readonly text: string;
}

export interface ListenerRules {
  readonly connections: Omit<ConnectionBounds, 'log'>;
  /** @param request undefined when the bytes could not be parsed as a request. */
  readonly render: (error: DomainError, requestId: string, request: IncomingMessage | undefined) => RefusalBody;
  /** What every refusal has beside its body. Names and values alternate. */
  readonly headers: readonly string[];
  readonly newRequestId: () => string;
  readonly log: Log;
}

/** How long a connection may stay open after a refusal was sent. */
const CLOSE_WITHIN_MS = 2_000;

type UpgradeListener = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** A socket with the response that Node had begun to prepare for a request whose body never arrived completely. */
type BusySocket = Socket & {
  readonly _httpMessage?: ServerResponse | null;
  readonly parser?: { readonly incoming?: IncomingMessage | null } | null;
};

/**
 * The rules of every public listener: how many connections there may be, which requests its handlers may see, and a
 * response in the right shape for what never becomes a request. Call it once all handlers are attached.
 */
export function guardListener(server: Server, rules: ListenerRules): void {
  boundConnections(server, { ...rules.connections, log: rules.log });
  guardRequests(server, rules);
  guardUpgrades(server, rules);
  server.on('clientError', (fault: NodeJS.ErrnoException, socket: BusySocket) => {
    answerFault(fault, socket, rules);
  });
}

function guardRequests(server: Server, rules: ListenerRules): void {
  const handlers = server.listeners('request') as RequestListener[];
  server.removeAllListeners('request');
  server.on('request', (request, response) => {
    const error = faultOf(request);
    if (error !== undefined) refuse(error, request, response, rules);
    else for (const handler of handlers) handler.call(server, request, response);
  });
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    refuse(new MalformedRequest('The only supported Expect value is 100-continue.'), request, response, rules);
  });
}

/** Node creates no response for upgrades, and all bytes that follow would belong to another protocol. */
function guardUpgrades(server: Server, rules: ListenerRules): void {
  const refuseSocket = (error: DomainError, request: IncomingMessage, socket: Duplex): void => {
    socket.on('error', () => undefined);
    writeRefusal(socket as Socket, error, { requestId: report(error, request, rules), request, rules });
  };
  server.on('connect', (request: IncomingMessage, socket: Duplex) => {
    refuseSocket(faultOf(request) ?? new MalformedRequest(), request, socket);
  });
  const handlers = server.listeners('upgrade') as UpgradeListener[];
  // With a listener of its own, Node would no longer pass upgradable requests to the usual handlers.
  if (handlers.length === 0) return;
  server.removeAllListeners('upgrade');
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const error = faultOf(request);
    if (error !== undefined) refuseSocket(error, request, socket);
    else for (const handler of handlers) handler.call(server, request, socket, head);
  });
}

function refuse(error: DomainError, request: IncomingMessage, response: ServerResponse, rules: ListenerRules): void {
  const requestId = report(error, request, rules);
  const { contentType, text } = rules.render(error, requestId, request);
  response.on('error', () => undefined);
  for (const [name, value] of pairsOf(rules.headers)) response.setHeader(name, value);
  response.writeHead(error.status, {
    ...error.help.headers,
    'X-Request-Id': requestId,
    'Content-Type': contentType,
    'Content-Length': Buffer.byteLength(text),
    // It is not certain where such a request ends.
    Connection: 'close',
  });
  response.end(text);
}

/** Node would send a bare status line. This sends the error in the service's shape, with the id that is in the log. */
function answerFault(fault: NodeJS.ErrnoException, socket: BusySocket, rules: ListenerRules): void {
  const response = socket._httpMessage ?? undefined;
  if (fault.code === 'ERR_HTTP_REQUEST_TIMEOUT' && response !== undefined && mayTakeLong(response)) return;
  // These are the remaining bytes of a request that was already answered; another response would be taken for that of
  // the next one.
  const wasAnswered = response === undefined && socket.parser?.incoming?.complete === false;
  if (fault.code === 'ECONNRESET' || !socket.writable || wasAnswered) {
    socket.destroy();
    return;
  }
  const error = errorOf(fault.code);
  const begun = response?.getHeader('x-request-id');
  // A request that had begun has a log line of its own, written when its connection closes.
  const requestId = typeof begun === 'string' ? begun : report(error, undefined, rules);
  if (response?.headersSent === true) socket.destroy();
  else writeRefusal(socket, error, { requestId, request: response?.req, rules });
}

interface Refusal {
  readonly requestId: string;
  readonly request: IncomingMessage | undefined;
  readonly rules: ListenerRules;
}

function writeRefusal(socket: Socket, error: DomainError, { requestId, request, rules }: Refusal): void {
  const { contentType, text } = rules.render(error, requestId, request);
  socket.end(
    [
      `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]!}`,
      ...pairsOf(rules.headers).map(([name, value]) => `${name}: ${value}`),
      ...Object.entries(error.help.headers ?? {}).map(([name, value]) => `${name}: ${value}`),
      `X-Request-Id: ${requestId}`,
      `Content-Type: ${contentType}`,
      `Content-Length: ${Buffer.byteLength(text)}`,
      'Connection: close',
      '',
      text,
    ].join('\r\n'),
  );
  // The client has time to read this while it still sends, but one that never closes must not keep the socket.
  const late = setTimeout(() => {
    socket.destroy();
  }, CLOSE_WITHIN_MS).unref();
  socket.once('close', () => {
    clearTimeout(late);
  });
}

function report(
  { status }: DomainError,
  request: IncomingMessage | undefined,
  { log, newRequestId }: ListenerRules,
): string {
  const requestId = newRequestId();
  const path = maskedPath(request?.url?.split('?', 1)[0] ?? '');
  log.info({ requestId, method: request?.method ?? '', path, status, durationMs: 0 });
  return requestId;
}

const pairsOf = (list: readonly string[]): (readonly [string, string])[] =>
  list.flatMap((name, index) => (index % 2 === 0 ? [[name, list[index + 1]!] as const] : []));

function errorOf(code: string | undefined): DomainError {
  if (code === 'HPE_HEADER_OVERFLOW') return new HeadersTooLarge();
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new RequestTimeout();
  return new MalformedRequest();
}
