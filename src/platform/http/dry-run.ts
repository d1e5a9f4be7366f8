import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { RequestInvalid } from '../errors/request-invalid.js';

/** True when a write is only to be checked, authorized and priced. @throws {RequestInvalid} `invalid_request` */
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

/** The value of {@link isDryRun}, for handlers that act outside of the database and so must honor it themselves. */
export const DryRun = createParamDecorator((_: unknown, context: ExecutionContext): boolean =>
  isDryRun(context.switchToHttp().getRequest<Request>()),
);
