import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import type { Response } from 'express';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { OAUTH_ERRORS } from '../oauth.errors.js';

/** Answers refusals as clients of OAuth expect them (RFC 6749 §5.2, RFC 7591 §3.2.2). */
@Catch(DomainError)
export class OauthErrorFilter implements ExceptionFilter<DomainError> {
  catch(error: DomainError, host: ArgumentsHost): void {
    const response = host.switchToHttp().getResponse<Response>();
    const { retryAfterSeconds, headers } = error.help;
    for (const [name, value] of Object.entries(headers ?? {})) response.setHeader(name, value);
    if (retryAfterSeconds !== undefined) response.setHeader('Retry-After', retryAfterSeconds);
    response.setHeader('Access-Control-Allow-Origin', '*');
    response.status(error.status).json({ error: codeOf(error), error_description: error.message });
  }
}

function codeOf({ code, status }: DomainError): string {
  if (code === OAUTH_ERRORS.invalid_client_metadata.code) return code;
  return status === 429 || status === 503 ? 'temporarily_unavailable' : 'invalid_request';
}
