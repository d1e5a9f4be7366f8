import { defineErrors, type ErrorDefinition } from '../../platform/errors/define-errors.js';
import { DomainError } from '../../platform/errors/domain-error.js';
import { LIMIT_ERRORS } from '../limits/limits.errors.js';

export const OPERATOR_ERRORS = defineErrors({
  invalid_token: { type: 'auth_error', status: 401, title: 'The operator token is missing or wrong.' },
  operator_required: { type: 'authorization_error', status: 403, title: 'The caller is not an operator.' },
  feature_disabled: { type: 'authorization_error', status: 403, title: 'Disabled by the operator.' },
});

/** Errors that any call with an operator token can get. */
export const ANY_TOKEN: readonly ErrorDefinition[] = [OPERATOR_ERRORS.invalid_token, LIMIT_ERRORS.burst_limit_exceeded];

/** Errors that any call to an operator endpoint can get that people may use too. */
export const ANY_OPERATOR: readonly ErrorDefinition[] = [...ANY_TOKEN, OPERATOR_ERRORS.operator_required];

/** The response is the same for a missing and for a wrong token, so that it reveals nothing about the token. */
export class OperatorTokenInvalid extends DomainError {
  constructor(setting: string) {
    super(OPERATOR_ERRORS.invalid_token, 'This endpoint requires a valid operator token.', {
      hint: `Send the header Authorization: Bearer <${setting}>.`,
      headers: { 'WWW-Authenticate': 'Bearer' },
    });
  }
}

/** While no token is set, the operator endpoints answer only programs on the same machine. */
export class OtherMachineRefused extends DomainError {
  constructor(setting: string) {
    super(
      OPERATOR_ERRORS.invalid_token,
      `While ${setting} is not set, this endpoint answers only calls from its own machine.`,
      {
        hint:
          `Set ${setting} and send it as Authorization: Bearer <${setting}>, ` +
          'or call http://localhost on that machine without a proxy.',
        headers: { 'WWW-Authenticate': 'Bearer' },
      },
    );
  }
}

/** The session is in order, but its person is no operator. */
export class OperatorRequired extends DomainError {
  constructor() {
    super(OPERATOR_ERRORS.operator_required, 'Only operators of this installation can do this.', {
      hint: 'Ask who runs the service to name your verified email address in OPERATOR_EMAILS.',
    });
  }
}

/** Endpoints that move money always need a token, even where the other operator endpoints are open. */
export class OperatorTokenUnset extends DomainError {
  constructor(setting: string) {
    super(OPERATOR_ERRORS.invalid_token, `This endpoint is disabled while ${setting} is not set.`, {
      hint: `Set ${setting}, and send it as Authorization: Bearer <${setting}>.`,
      headers: { 'WWW-Authenticate': 'Bearer' },
    });
  }
}

/** Without a token, the service cannot recognize a trusted source. */
export class UsageIntakeOff extends DomainError {
  constructor() {
    super(OPERATOR_ERRORS.feature_disabled, 'Usage reports are disabled by the operator.', {
      hint: 'Ask the operator to set USAGE_TOKEN, and send it as Authorization: Bearer <USAGE_TOKEN>.',
      details: { feature: 'usage_intake' },
    });
  }
}
