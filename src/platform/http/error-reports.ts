import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import type { DomainError } from '../errors/domain-error.js';
import { Log } from '../logging/log.js';
import { RecentErrors } from './recent-errors.js';
import { stateOf } from './request-state.js';

/** Reports errors that are the fault of the service and not of the caller. */
@Injectable()
export class ErrorReports {
  constructor(
    private readonly log: Log,
    private readonly recent: RecentErrors,
  ) {}

  report(error: DomainError, request: Request): void {
    const { requestId, traceId, logFields } = stateOf(request);
    const cause = error.cause ?? error;
    this.log.error({ requestId, traceId, ...logFields, code: error.code, error: cause }, error.message);
    this.recent.note({
      requestId,
      method: request.method,
      route: (request.route as { path?: string } | undefined)?.path ?? 'unmatched',
      status: error.status,
      code: error.code,
      name: cause instanceof Error ? cause.constructor.name : typeof cause,
    });
  }
}
