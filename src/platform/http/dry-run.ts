import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { RequestInvalid } from '../errors/request-invalid.js';

/** Whether a write is only to be checked, allowed and priced. @throws {RequestInvalid} `invalid_request` */
export function isDryRun({ headers }: Request): boolean {
  const value = headers['dry-run'];
  if (value === undefined || value === 'false') return false;
  if (value === 'true') return true;
  throw new RequestInvalid([
    {
      path: 'Dry-Run',
      in: 'header',
      code: 'is_in',
      message: 'Dry-Run must be true or false.',
      expected: ['true', 'false'],
    },
  ]);
}

/** {@link isDryRun}, for handlers that act outside the database and so have to see to it themselves. */
export const DryRun = createParamDecorator((_: unknown, context: ExecutionContext): boolean =>
  isDryRun(context.switchToHttp().getRequest<Request>()),
);
