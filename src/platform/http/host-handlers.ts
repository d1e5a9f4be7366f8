import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { hostNameOf } from './host-name.js';

/** Answers requests for some host names of a listener that several modules share. */
export interface HostHandler {
  /** True for a host that this handler answers. It is called for every request, so it must be fast. */
  owns(host: string): boolean;
  answer(request: IncomingMessage, response: ServerResponse): void;
}

/** The handlers of host names, beside those of deploys. A module adds its own when the process starts. */
@Injectable()
export class HostHandlers {
  private readonly handlers: HostHandler[] = [];

  add(handler: HostHandler): void {
    this.handlers.push(handler);
  }

  of({ headers }: IncomingMessage): HostHandler | undefined {
    if (this.handlers.length === 0) return undefined;
    const host = hostNameOf(headers.host);
    return host === undefined ? undefined : this.handlers.find((handler) => handler.owns(host));
  }
}
