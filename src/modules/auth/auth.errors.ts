import { DomainError } from '../../platform/errors/domain-error.js';

/** The same whether the token is absent or wrong, so that an answer tells nothing about the token. */
export class OperatorTokenInvalid extends DomainError {
  constructor(setting: string) {
    super('invalid_token', 'This endpoint needs a valid bearer token.', {
      hint: `Send the header Authorization: Bearer <${setting}>.`,
      headers: { 'WWW-Authenticate': 'Bearer' },
    });
  }
}
