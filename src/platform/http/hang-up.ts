import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Response } from 'express';
import { CallerHungUp } from '../errors/caller-hung-up.js';

/** A signal that is aborted when the caller goes away before its answer, to end work that it alone waits for. */
export const HangUpSignal = createParamDecorator((_: unknown, context: ExecutionContext): AbortSignal => {
  const response = context.switchToHttp().getResponse<Response>();
  const controller = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) controller.abort(new CallerHungUp());
  });
  return controller.signal;
});
