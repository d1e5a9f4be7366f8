import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';

export type PathHandler = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Answers requests below a path of the API's listener before any route is looked for. Middleware of Express with a path
 * would only be reached after every route was compared. A module adds its own when the process starts.
 */
@Injectable()
export class PathHandlers {
  private readonly handlers: { readonly base: string; readonly handler: PathHandler }[] = [];

  /** @param base such as `/s3`: the handler gets that path and all below it. */
  add(base: string, handler: PathHandler): void {
    this.handlers.push({ base, handler });
  }

  of({ url = '' }: IncomingMessage): PathHandler | undefined {
    return this.handlers.find(({ base }) => isBelow(url, base))?.handler;
  }
}

function isBelow(url: string, base: string): boolean {
  if (!url.startsWith(base)) return false;
  const next = url[base.length];
  return next === undefined || next === '/' || next === '?';
}
