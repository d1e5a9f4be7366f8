import { Catch, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { ErrorFilter } from '../../../platform/http/error.filter.js';

/** Shows errors to git, which prompts for a password on 401 and prints plain text. */
@Catch()
@Injectable()
export class GitRefusals extends ErrorFilter {
  protected override rephrase(error: DomainError): DomainError {
    return error.status === 401 ? new PasswordWanted(error) : error;
  }

  protected override bodyOf(
    error: DomainError,
    request: Request,
    response: Response,
  ): { contentType: string; text: string } {
    if (!request.headers['user-agent']?.startsWith('git/')) return super.bodyOf(error, request, response);
    return {
      contentType: 'text/plain; charset=utf-8',
      text: [error.message, error.help.hint].filter(Boolean).join('\n') + '\n',
    };
  }
}

/** The same refusal with the authentication scheme that git uses. */
class PasswordWanted extends DomainError {
  constructor({ definition, message }: DomainError) {
    super(definition, message, {
      hint: 'Enter any user name, and an API key as the password.',
      headers: { 'WWW-Authenticate': 'Basic realm="API key as the password", charset="UTF-8"' },
    });
  }
}
