import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Config } from '../config/config.js';
import { CallerHungUp } from '../errors/caller-hung-up.js';
import type { DomainError } from '../errors/domain-error.js';
import { knownErrorOf } from '../errors/known-error.js';
import { InternalError } from '../errors/platform.errors.js';
import { ErrorReports } from './error-reports.js';
import { FailureHeaders } from './failure-headers.js';
import { failureOf, wantsProblem } from './failure.js';
import { MalformedRequest } from './http.errors.js';
import { stateOf } from './request-state.js';
import { UnknownRoutes } from './unknown-routes.js';

/** The clients of OpenAI and Anthropic would wait for hours, or send again too early. They obey `X-Should-Retry`. */
const LONGEST_WAIT_SECONDS = 60;

/** The only place where an error becomes a response, so that every failure has the same shape. */
@Catch()
@Injectable()
export class ErrorFilter implements ExceptionFilter {
  constructor(
    private readonly config: Config,
    private readonly reports: ErrorReports,
    private readonly headers: FailureHeaders,
    private readonly unknownRoutes: UnknownRoutes,
  ) {}

  async catch(thrown: unknown, host: ArgumentsHost): Promise<void> {
    const http = host.switchToHttp();
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    if (thrown instanceof CallerHungUp) return;
    const error = this.rephrase(this.domainErrorOf(thrown, request));
    if (error.status >= 500) this.reports.report(error, request);

    // The status of a broken stream was already sent, so only a closed connection can signal the failure.
    if (response.headersSent) {
      response.destroy();
      return;
    }
    await this.headers.complete(request, response, error.status);
    this.send(error, request, response);
  }

  private send(error: DomainError, request: Request, response: Response): void {
    const { contentType, text } = this.bodyOf(error, request, response);
    response.statusCode = error.status;
    for (const [name, value] of Object.entries(error.help.headers ?? {})) response.setHeader(name, value);
    const { retryAfterSeconds } = error.help;
    if (retryAfterSeconds !== undefined) response.setHeader('Retry-After', retryAfterSeconds);
    if ((retryAfterSeconds ?? 0) > LONGEST_WAIT_SECONDS) response.setHeader('X-Should-Retry', 'false');
    response.setHeader('content-type', contentType);
    response.setHeader('content-length', Buffer.byteLength(text));
    response.end(text);
  }

  /** A hook for applications that phrase errors differently for their callers. */
  protected rephrase(error: DomainError): DomainError {
    return error;
  }

  /** The content of the answer. A subclass may also set headers of its own on the response. */
  protected bodyOf(...[error, request]: readonly [error: DomainError, request: Request, response: Response]): {
    contentType: string;
    text: string;
  } {
    const { body, contentType } = failureOf(error, stateOf(request).requestId, this.config, wantsProblem(request));
    return { contentType, text: JSON.stringify(body) };
  }

  private domainErrorOf(thrown: unknown, request: Request): DomainError {
    const known = knownErrorOf(thrown);
    if (known !== undefined) return known;
    if (thrown instanceof HttpException && thrown.getStatus() === 404) {
      return this.unknownRoutes.refusalOf(request);
    }
    // Express could not decode the path, for example `/docs/errors/%zz`.
    if (thrown instanceof HttpException && thrown.getStatus() < 500)
      return new MalformedRequest('The path of the request is not valid percent-encoding.');
    return new InternalError(thrown);
  }
}
