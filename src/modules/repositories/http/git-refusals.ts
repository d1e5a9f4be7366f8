import { Catch, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { ErrorFilter } from '../../../platform/http/error.filter.js';

/** Git asks its user for a password when it is told to, and shows what is sent as plain text. */
@Catch()
@Injectable()
export class GitRefusals extends ErrorFilter {
  protected override rephrase(error: DomainError): DomainError {
    return error.status === 401 ? new PasswordWanted(error) : error;
  }

  protected override bodyOf(error: DomainError, request: Request): { contentType: string; text: string } {
    if (!request.headers['user-agent']?.startsWith('git/')) return super.bodyOf(error, request);
    return {
      contentType: 'text/plain; charset=utf-8',
      text: [error.message, error.help.hint].filter(Boolean).join('\n') + '\n',
    };
  }
}

/** The same refusal, with the scheme in which git shows its key. */
class PasswordWanted extends DomainError {
  constructor({ definition, message }: DomainError) {
    super(definition, message, {
      hint: 'Git asks for a user and a password: any name will do for the one, and the other is an API key.',
      headers: { 'WWW-Authenticate': 'Basic realm="API key as the password", charset="UTF-8"' },
    });
  }
}
