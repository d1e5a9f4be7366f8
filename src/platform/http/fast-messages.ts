import { IncomingMessage, type ServerOptions, ServerResponse } from 'node:http';
import express, { type Express, type Request, type Response } from 'express';

const expressIp = Object.getOwnPropertyDescriptor(express.request, 'ip')!;

/** A request of Express that works the caller's address out once: guards, limits and the log all ask for it. */
export class FastRequest extends IncomingMessage {
  private knownIp: string | undefined;

  get ip(): string | undefined {
    return (this.knownIp ??= expressIp.get!.call(this) as string | undefined);
  }
}

/**
 * A response of Express with default headers: those that every answer carries unless something sets them itself. They
 * are written with the head, all at once; `setHeader` would check, keep and look up each by itself, on every call.
 */
export class FastResponse extends ServerResponse<FastRequest> {
  /** Names and values in turns. */
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

  /** Sends a whole answer; a content type that was set before stays. */
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

/** Adds headers that the answer carries unless something sets them itself: names and values in turns. */
export function addDefaultHeaders(response: ServerResponse, headers: readonly string[]): void {
  (response as FastResponse).defaultHeaders.push(...headers);
}

// They inherit what Express adds to requests and responses.
Object.setPrototypeOf(FastRequest.prototype, express.request);
Object.setPrototypeOf(FastResponse.prototype, express.response);

/**
 * Classes of these for one application. Express gives every request and response the prototypes of its application;
 * here they are made with them, so that this changes nothing: a changed prototype costs V8 what it has learnt of an
 * object.
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
