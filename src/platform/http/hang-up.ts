import type { ServerResponse } from 'node:http';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Response } from 'express';
import { CallerHungUp } from '../errors/caller-hung-up.js';

/** A signal that is aborted when the caller goes away before its answer, to end work that it alone waits for. */
export const HangUpSignal = createParamDecorator((_: unknown, context: ExecutionContext): AbortSignal => {
  return hangUpOf(context.switchToHttp().getResponse<Response>());
});

export function hangUpOf(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  const look = (): void => {
    if (!response.writableFinished) controller.abort(new CallerHungUp());
  };
  // Who he is was asked first, and he may have gone meanwhile.
  if (response.destroyed) look();
  else response.once('close', look);
  return controller.signal;
}
