import { IncomingMessage, type ServerOptions, ServerResponse } from 'node:http';
import express, { type Express, type Request, type Response } from 'express';

const expressIp = Object.getOwnPropertyDescriptor(express.request, 'ip')!;

/** An Express request that computes the caller's address once, because guards, limits and the log all need it. */
export class FastRequest extends IncomingMessage {
  private knownIp: string | undefined;

  get ip(): string | undefined {
    return (this.knownIp ??= expressIp.get!.call(this) as string | undefined);
  }
}

/**
 * An Express response with default headers, which every response carries unless something sets them itself. They are
 * written together with the status line; `setHeader` would check, store and look up each one on every call.
 */
export class FastResponse extends ServerResponse<FastRequest> {
  /** Names and values alternate. */
  readonly defaultHeaders: string[] = [];

  override getHeader(name: string): ReturnType<ServerResponse['getHeader']> {
    return super.getHeader(name) ?? this.defaultOf(name);
  }

  override hasHeader(name: string): boolean {
    return super.hasHeader(name) || this.defaultOf(name) !== undefined;
  }

  override writeHead(...args: unknown[]): this {
    const { defaultHeaders } = this;
    for (let at = 0; at < defaultHeaders.length; at += 2) {
      const name = defaultHeaders[at]!;
      if (!super.hasHeader(name)) this.setHeader(name, defaultHeaders[at + 1]!);
    }
    return super.writeHead(...(args as Parameters<ServerResponse['writeHead']>));
  }

  /** Sends a whole response. A content type that was set before is kept. */
  sendText(text: string, contentType: string): this {
    const length = String(Buffer.byteLength(text));
    if (this.getHeaderNames().length === 0) {
      this.defaultHeaders.push('content-type', contentType, 'content-length', length);
      super.writeHead(this.statusCode, this.defaultHeaders);
    } else {
      if (!super.hasHeader('content-type')) this.setHeader('content-type', contentType);
      this.setHeader('content-length', length);
    }
    return this.end(text);
  }

  private defaultOf(name: string): string | undefined {
    const wanted = name.toLowerCase();
    for (let at = 0; at < this.defaultHeaders.length; at += 2) {
      if (this.defaultHeaders[at]!.toLowerCase() === wanted) return this.defaultHeaders[at + 1];
    }
    return undefined;
  }
}

/** Adds headers that the response carries unless something sets them itself. Names and values alternate. */
export function addDefaultHeaders(response: ServerResponse, headers: readonly string[]): void {
  (response as FastResponse).defaultHeaders.push(...headers);
}

/**
 * Writes the status and all headers of a response at once, which costs a fraction of setting each. Names are in lower
 * case. Headers that were set before are sent as well.
 */
export function writeHeadAtOnce(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string | number>>,
): void {
  if (response.getHeaderNames().length > 0) {
    for (const name in headers) response.setHeader(name, headers[name]!);
    response.writeHead(status);
    return;
  }
  const { defaultHeaders = [] } = response as Partial<Pick<FastResponse, 'defaultHeaders'>>;
  const sent: string[] = [];
  for (let at = 0; at < defaultHeaders.length; at += 2) {
    const name = defaultHeaders[at]!;
    if (headers[name.toLowerCase()] === undefined) sent.push(name, defaultHeaders[at + 1]!);
  }
  for (const name in headers) sent.push(name, String(headers[name]!));
  ServerResponse.prototype.writeHead.call(response, status, sent);
}

// Both classes inherit what Express adds to requests and responses.
Object.setPrototypeOf(FastRequest.prototype, express.request);
Object.setPrototypeOf(FastResponse.prototype, express.response);

/**
 * Creates the two classes for one application. Express sets the prototypes of its application on every request and
 * response. Objects of these classes already have them, so nothing changes: a changed prototype would discard V8's
 * optimizations for an object.
 */
export function messagesOf(app: Express): Required<Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'>> {
  class AppRequest extends FastRequest {}
  class AppResponse extends FastResponse {}
  for (const { prototype } of [AppRequest, AppResponse])
    Object.defineProperty(prototype, 'app', { value: app, configurable: true, writable: true });
  app.request = AppRequest.prototype as unknown as Request;
  app.response = AppResponse.prototype as unknown as Response;
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse as unknown as typeof ServerResponse };
}
