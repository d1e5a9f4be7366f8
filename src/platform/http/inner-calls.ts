import { type IncomingMessage, type OutgoingHttpHeaders, request as httpRequest, type Server } from 'node:http';
import { type Duplex, duplexPair, type Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { Config } from '../config/config.js';
import { Tracing } from '../tracing/tracing.js';

/**
 * Who makes a call inside of the process. It belongs to the socket, so that no header can pretend to be one. The outer
 * request was counted, so this call is not.
 */
export interface InnerOrigin {
  /** The address of the outer caller, which the inner request reports as its own. */
  readonly address: string;
  /** What the authentication reads; this folder does not know its form. */
  readonly caller: unknown;
  /** What the call is made through, for the audit log: `mcp:create_project`. */
  readonly via?: string;
}

export interface InnerCall {
  readonly method: string;
  /** The path with its query, both already encoded. */
  readonly path: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: Buffer | Readable;
  readonly origin: InnerOrigin;
  /** Ends the call when the outer caller hangs up. */
  readonly signal: AbortSignal;
}

const ORIGINS = new WeakMap<object, InnerOrigin>();

/** Returns who makes an inner call, or undefined for every request that came over the network. */
export const innerOriginOf = ({ socket }: Pick<IncomingMessage, 'socket'>): InnerOrigin | undefined =>
  ORIGINS.get(socket);

/** True for a connection that never came over the network, so that no limit of connections applies to it. */
export const isInnerSocket = (socket: Duplex): boolean => ORIGINS.has(socket);

/**
 * Makes calls of the service's own API without the network. A call passes the same server, guards and handlers as one
 * from outside, over a pair of streams instead of a socket.
 */
@Injectable()
export class InnerCalls {
  private readonly host: string;

  constructor(
    private readonly adapters: HttpAdapterHost,
    { publicUrl }: Config,
    private readonly tracing: Tracing,
  ) {
    this.host = new URL(publicUrl).host;
  }

  /**
   * Sends the request and returns the response as soon as its headers arrive. Its body is a stream: read it, or destroy
   * it.
   *
   * @throws {Error} when the signal is aborted before the response, or when the server breaks the connection off.
   */
  open({ method, path, headers = {}, body, origin, signal }: InnerCall): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const request = httpRequest({
        method,
        path,
        headers: { ...headers, ...this.tracing.headers, host: this.host, ...lengthOf(body) },
        createConnection: () => this.connect(origin),
        signal,
      });
      request.once('response', resolve);
      // A caller that hangs up after the response breaks off its body, whose reader sees the error.
      request.on('error', reject);
      if (body === undefined || Buffer.isBuffer(body)) request.end(body);
      else sendStream(body, request);
    });
  }

  private connect(origin: InnerOrigin): Duplex {
    const [ours, theirs] = duplexPair();
    ORIGINS.set(theirs, origin);
    Object.defineProperty(theirs, 'remoteAddress', { value: origin.address });
    joinEnds(ours, theirs);
    const server = this.adapters.httpAdapter.getHttpServer() as Server;
    server.emit('connection', theirs);
    return ours;
  }
}

/** Reads a body up to a limit. What follows is not read, and `isCut` is true. */
export async function readUpTo(body: Readable, limitBytes: number): Promise<{ bytes: Buffer; isCut: boolean }> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    // Leaving the loop destroys the body.
    if (length > limitBytes) return { bytes: Buffer.concat(chunks).subarray(0, limitBytes), isCut: true };
  }
  return { bytes: Buffer.concat(chunks), isCut: false };
}

/** Without a length, a body would be sent in chunks, and a request without a body would announce one. */
function lengthOf(body: InnerCall['body']): OutgoingHttpHeaders {
  return Buffer.isBuffer(body) ? { 'content-length': body.length } : {};
}

function sendStream(body: Readable, request: NodeJS.WritableStream & { destroy(error?: Error): unknown }): void {
  body.once('error', (error: Error) => {
    request.destroy(error);
  });
  body.pipe(request);
}

/** Each end sees when the other one is gone, as with a socket. */
function joinEnds(ours: Duplex, theirs: Duplex): void {
  ours.on('error', () => undefined);
  theirs.on('error', () => undefined);
  ours.once('close', () => {
    theirs.destroy();
  });
  theirs.once('close', () => {
    if (!theirs.writableFinished) ours.destroy();
  });
}
