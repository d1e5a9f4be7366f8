import { type ArgumentsHost, Catch, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { DomainError } from '../../../platform/errors/domain-error.js';
import { ErrorFilter } from '../../../platform/http/error.filter.js';
import { MalformedJson } from '../../../platform/http/http.errors.js';
import { ScimRefusal } from '../domain/scim-refusal.js';
import { errorView } from '../domain/scim-views.js';
import { sendScim } from './scim-answers.js';

/** Answers every failure in the form of RFC 7644 §3.12, those of other parts of the service as well. */
@Catch()
@Injectable()
export class ScimErrorFilter extends ErrorFilter {
  override async catch(thrown: unknown, host: ArgumentsHost): Promise<void> {
    if (!(thrown instanceof ScimRefusal)) return super.catch(thrown, host);
    const response = host.switchToHttp().getResponse<Response>();
    for (const [name, value] of Object.entries(thrown.help.headers ?? {})) response.setHeader(name, value);
    sendScim(response, thrown.status, errorView(thrown.status, thrown.message, thrown.help.scimType));
  }

  protected override bodyOf(...[error]: readonly [error: DomainError, request: Request, response: Response]): {
    contentType: string;
    text: string;
  } {
    const { status, message, help } = error;
    const detail = help.hint === undefined ? message : `${message} ${help.hint}`;
    const scimType = error instanceof MalformedJson ? 'invalidSyntax' : undefined;
    return {
      contentType: 'application/scim+json; charset=utf-8',
      text: JSON.stringify(errorView(status, detail, scimType)),
    };
  }
}
