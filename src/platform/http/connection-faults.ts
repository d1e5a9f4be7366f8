import { STATUS_CODES, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { DomainError } from '../errors/domain-error.js';
import type { Log } from '../logging/log.js';
import { failureOf } from './failure.js';
import { mayTakeLong } from './long-request.js';
import { HeadersTooLarge, MalformedRequest, RequestTimeout } from './http.errors.js';

interface Ground {
  readonly docsUrl: string;
  readonly log: Log;
  readonly newRequestId: () => string;
}

/** The answer that Node had begun to prepare for a request whose body never came whole. */
type BusySocket = Socket & { readonly _httpMessage?: ServerResponse | null };

/**
 * Answers what never becomes a whole request: bytes that are not HTTP, headers that are too large, parts that are too
 * slow. Node would send a bare status line; this sends the error in our shape, with the id that is in the log.
 */
export function answerConnectionFaults(server: Server, { docsUrl, log, newRequestId }: Ground): void {
  server.on('clientError', (fault: NodeJS.ErrnoException, socket: BusySocket) => {
    if (fault.code === 'ERR_HTTP_REQUEST_TIMEOUT' && socket._httpMessage && mayTakeLong(socket._httpMessage)) return;
    if (fault.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const error = refusalOf(fault.code);
    const begun = socket._httpMessage?.getHeader('x-request-id');
    const requestId = typeof begun === 'string' ? begun : newRequestId();
    // What had begun has a line of its own, written when its connection closes.
    if (begun === undefined) log.info({ requestId, method: '', path: '', status: error.status, durationMs: 0 });
    if (socket._httpMessage?.headersSent) socket.destroy();
    else socket.end(answerOf(error, requestId, docsUrl));
  });
}

function answerOf(error: DomainError, requestId: string, docsUrl: string): string {
  const { body, contentType } = failureOf(error, requestId, docsUrl, false);
  const text = JSON.stringify(body);
  return [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]!}`,
    `X-Request-Id: ${requestId}`,
    `Content-Type: ${contentType}`,
    `Content-Length: ${Buffer.byteLength(text)}`,
    'Connection: close',
    '',
    text,
  ].join('\r\n');
}

function refusalOf(code: string | undefined): DomainError {
  if (code === 'HPE_HEADER_OVERFLOW') return new HeadersTooLarge();
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new RequestTimeout();
  return new MalformedRequest();
}
