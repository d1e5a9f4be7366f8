import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { headersOfAnswer } from './answer-head.js';
import { PROXY_TIMES } from './proxy-limits.js';

/** A request to upgrade its connection. */
export interface UpgradeRequest {
  readonly request: IncomingMessage;
  readonly socket: Socket;
  /** The bytes that the visitor has sent after the request. */
  readonly head: Buffer;
  /** Until the app agrees to upgrade, the request can be answered like any other. */
  readonly response: ServerResponse;
}

/** Node creates no response for an upgrade request. No other request may follow it, so the connection ends with it. */
export function upgradeRequestOf(request: IncomingMessage, duplex: Duplex, head: Buffer): UpgradeRequest {
  const socket = duplex as Socket;
  socket.on('error', ignore);
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.on('error', ignore);
  response.once('finish', () => {
    socket.destroySoon();
  });
  response.assignSocket(socket);
  return { request, socket, head, response };
}

/** With these protocols a visitor would speak HTTP to the app, bypassing everything that the proxy checks and adds. */
const HTTP_AGAIN = /^(?:h2c?|http\/.*|tls\/.*)$/;

/** True when the request asks for a protocol that apps may use with their visitors, usually WebSocket. */
export function mayUpgrade(request: IncomingMessage): boolean {
  const { method, headers } = request;
  const hasBody = headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
  const asked = protocolsOf(headers.upgrade);
  return method === 'GET' && !hasBody && asked.length > 0 && asked.every((protocol) => !HTTP_AGAIN.test(protocol));
}

/**
 * Returns the head of the 101 answer for the visitor. Returns undefined when it is malformed, or when the app chose a
 * protocol that was not requested.
 */
export function headOfUpgrade(answer: IncomingMessage, request: IncomingMessage): string | undefined {
  const chosen = answer.headers.upgrade ?? '';
  const headers = headersOfAnswer(answer);
  if (headers === undefined || !protocolsOf(request.headers.upgrade).includes(chosen.toLowerCase())) return undefined;
  const lines = ['HTTP/1.1 101 Switching Protocols', 'Connection: Upgrade', `Upgrade: ${chosen}`];
  for (let index = 0; index + 1 < headers.length; index += 2) {
    // A 101 answer has no body.
    if (headers[index]!.toLowerCase() !== 'content-length') lines.push(`${headers[index]!}: ${headers[index + 1]!}`);
  }
  return `${lines.join('\r\n')}\r\n\r\n`;
}

/** Passes bytes both ways unchanged, until one side ends, is idle for too long, or reaches the time limit. */
export function joinEnds({ socket, head }: UpgradeRequest, other: Duplex, otherHead: Buffer): void {
  const endBoth = (): void => {
    socket.destroy();
    other.destroy();
  };
  const life = setTimeout(endBoth, PROXY_TIMES.upgradeLifeMs).unref();
  socket.setTimeout(PROXY_TIMES.upgradeIdleMs, endBoth);
  socket.on('error', endBoth);
  other.on('error', endBoth);
  socket.once('close', () => {
    clearTimeout(life);
    other.destroy();
  });
  // The last bytes of the app still have to reach the visitor.
  other.once('close', () => {
    socket.destroySoon();
  });
  if (otherHead.length > 0) socket.write(otherHead);
  if (head.length > 0) other.write(head);
  socket.pipe(other);
  other.pipe(socket);
}

const protocolsOf = (header: string | undefined): string[] =>
  (header ?? '')
    .toLowerCase()
    .split(',')
    .map((protocol) => protocol.trim())
    .filter(Boolean);

const ignore = (): void => undefined;
