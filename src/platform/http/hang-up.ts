import type { ServerResponse } from 'node:http';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Response } from 'express';
import { CallerHungUp } from '../errors/caller-hung-up.js';

/**
 * A signal that is aborted when the caller disconnects before its response, to end work that only this caller needs.
 */
export const HangUpSignal = createParamDecorator((_: unknown, context: ExecutionContext): AbortSignal => {
  return hangUpOf(context.switchToHttp().getResponse<Response>());
});

export function hangUpOf(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  const look = (): void => {
    if (!response.writableFinished) controller.abort(new CallerHungUp());
  };
  // Guards have run before this, and the caller may have disconnected meanwhile.
  if (response.destroyed) look();
  else response.once('close', look);
  return controller.signal;
}
