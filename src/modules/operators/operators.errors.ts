import { defineErrors, type ErrorDefinition } from '../../platform/errors/define-errors.js';
import { DomainError } from '../../platform/errors/domain-error.js';
import { LIMIT_ERRORS } from '../limits/limits.errors.js';

export const OPERATOR_ERRORS = defineErrors({
  invalid_token: { type: 'auth_error', status: 401, title: 'The operator token is missing or wrong.' },
  feature_disabled: { type: 'authorization_error', status: 403, title: 'Disabled by the operator.' },
});

/** Refusals that any call to an operator's endpoint can get. */
export const ANY_OPERATOR: readonly ErrorDefinition[] = [
  OPERATOR_ERRORS.invalid_token,
  LIMIT_ERRORS.burst_limit_exceeded,
];

/** The same whether the token is absent or wrong, so that an answer tells nothing about the token. */
export class OperatorTokenInvalid extends DomainError {
  constructor(setting: string) {
    super(OPERATOR_ERRORS.invalid_token, 'This endpoint needs a valid bearer token.', {
      hint: `Send the header Authorization: Bearer <${setting}>.`,
      headers: { 'WWW-Authenticate': 'Bearer' },
    });
  }
}

/** Without a token, the operators' endpoints serve programs on the machine itself, and nobody else. */
export class OtherMachineRefused extends DomainError {
  constructor(setting: string) {
    super(
      OPERATOR_ERRORS.invalid_token,
      `This endpoint answers only calls from the machine it runs on while ${setting} is not set.`,
      {
        hint: `Set ${setting} and send it as Authorization: Bearer <${setting}>, or call http://localhost on that machine without a proxy.`,
        headers: { 'WWW-Authenticate': 'Bearer' },
      },
    );
  }
}

/** What moves money is never open, not even where the other operator routes are. */
export class OperatorTokenUnset extends DomainError {
  constructor(setting: string) {
    super(OPERATOR_ERRORS.invalid_token, `This endpoint answers nobody while ${setting} is not set.`, {
      hint: `Set ${setting} for the service, and send it as Authorization: Bearer <${setting}>.`,
      headers: { 'WWW-Authenticate': 'Bearer' },
    });
  }
}

/** Without a token nobody could be told from a trusted source. */
export class UsageIntakeOff extends DomainError {
  constructor() {
    super(OPERATOR_ERRORS.feature_disabled, 'This service takes no usage from outside.', {
      hint: 'Its operator switches it on by setting USAGE_TOKEN, which sources then send as Authorization: Bearer <USAGE_TOKEN>.',
      details: { feature: 'usage_intake' },
    });
  }
}
