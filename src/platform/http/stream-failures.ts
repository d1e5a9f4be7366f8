import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { Config } from '../config/config.js';
import { knownErrorOf } from '../errors/known-error.js';
import { InternalError } from '../errors/platform.errors.js';
import { ErrorReports } from './error-reports.js';
import { failureOf } from './failure.js';
import { stateOf } from './request-state.js';

/** Turns errors into data of a stream whose status was already sent. */
@Injectable()
export class StreamFailures {
  constructor(
    private readonly config: Config,
    private readonly reports: ErrorReports,
  ) {}

  /** Returns the body that the error would have as a response of its own. */
  bodyOf(thrown: unknown, request: Request): object {
    const error = knownErrorOf(thrown) ?? new InternalError(thrown);
    if (error.status >= 500) this.reports.report(error, request);
    return failureOf(error, stateOf(request).requestId, this.config, false).body;
  }
}
