import { STATUS_CODES, type Server } from 'node:http';
import type { Socket } from 'node:net';
import type { DomainError } from '../errors/domain-error.js';
import { failureOf } from './failure.js';
import { HeadersTooLarge, MalformedRequest, RequestTimeout } from './http.errors.js';

/**
 * Answers what never becomes a request: bytes that are not HTTP, headers that are too large or too slow. Node would
 * send a bare status line; this sends the error in our shape, with a request id.
 */
export function answerConnectionFaults(server: Server, docsUrl: string, newRequestId: () => string): void {
  server.on('clientError', (fault: NodeJS.ErrnoException, socket: Socket) => {
    if (fault.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const error = refusalOf(fault.code);
    const requestId = newRequestId();
    const { body, contentType } = failureOf(error, requestId, docsUrl, false);
    const text = JSON.stringify(body);
    socket.end([
      `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]!}`,
      `X-Request-Id: ${requestId}`,
      `Content-Type: ${contentType}`,
      `Content-Length: ${Buffer.byteLength(text)}`,
      'Connection: close',
      '',
      text,
    ].join('\r\n'));
  });
}

function refusalOf(code: string | undefined): DomainError {
  if (code === 'HPE_HEADER_OVERFLOW') return new HeadersTooLarge();
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new RequestTimeout();
  return new MalformedRequest();
}
