import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { headersOfAnswer } from './answer-head.js';
import { PROXY_TIMES } from './proxy-limits.js';

/** A request to upgrade its connection. */
export interface UpgradeRequest {
  readonly request: IncomingMessage;
  readonly socket: Socket;
  /** What the visitor has sent already beyond its request. */
  readonly head: Buffer;
  /** Until the app agrees, this is a request like any other, and may be answered like one. */
  readonly response: ServerResponse;
}

/** Node makes no response for a request to upgrade. Nothing may follow one, so that the connection ends with it. */
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

/** By these the app would be spoken to in HTTP once more, past everything that the proxy checks and adds. */
const HTTP_AGAIN = /^(?:h2c?|http\/.*|tls\/.*)$/;

/** Whether this asks for a protocol that apps may speak with their visitors: WebSocket for the most part. */
export function mayUpgrade(request: IncomingMessage): boolean {
  const { method, headers } = request;
  const hasBody = headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
  const asked = protocolsOf(headers.upgrade);
  return method === 'GET' && !hasBody && asked.length > 0 && asked.every((protocol) => !HTTP_AGAIN.test(protocol));
}

/**
 * The head of a 101 as the visitor gets it; undefined where the app chose what nobody asked for, or cannot be
 * understood.
 */
export function headOfUpgrade(answer: IncomingMessage, request: IncomingMessage): string | undefined {
  const chosen = answer.headers.upgrade ?? '';
  const headers = headersOfAnswer(answer);
  if (headers === undefined || !protocolsOf(request.headers.upgrade).includes(chosen.toLowerCase())) return undefined;
  const lines = ['HTTP/1.1 101 Switching Protocols', 'Connection: Upgrade', `Upgrade: ${chosen}`];
  for (let index = 0; index + 1 < headers.length; index += 2) {
    // There is no body, and nobody may look for one.
    if (headers[index]!.toLowerCase() !== 'content-length') lines.push(`${headers[index]!}: ${headers[index + 1]!}`);
  }
  return `${lines.join('\r\n')}\r\n\r\n`;
}

/** Passes bytes both ways, as they are, until one side ends, falls silent, or has been there for long enough. */
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
  // What the app said last is still on its way.
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
