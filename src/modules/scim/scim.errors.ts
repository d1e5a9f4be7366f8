import { defineErrors } from '../../platform/errors/define-errors.js';
import { DomainError } from '../../platform/errors/domain-error.js';
import { RequestInvalid } from '../../platform/errors/request-invalid.js';

export const SCIM_ERRORS = defineErrors({
  scim_token_not_found: { type: 'not_found_error', status: 404, title: 'SCIM token not found.' },
});

/** The response is the same for an unknown token, a revoked one, and one of another connection. */
export class ScimTokenNotFound extends DomainError {
  constructor() {
    super(SCIM_ERRORS.scim_token_not_found, 'The connection has no such SCIM token.', {
      hint: 'List them with GET /api/v1/orgs/{org_id}/sso/connections/{connection_id}/scim-tokens.',
    });
  }
}

export class TooManyScimTokens extends RequestInvalid {
  constructor(limit: number) {
    super([
      {
        path: '',
        in: 'body',
        code: 'max_tokens',
        message: `A connection can have ${limit} SCIM tokens. Delete one that is no longer used.`,
        expected: { max: limit },
      },
    ]);
  }
}

/** The time at which a token is to expire is no time in the next year. */
export class ScimTokenExpiryRefused extends RequestInvalid {
  constructor() {
    super([
      {
        path: 'expires_at',
        in: 'body',
        code: 'is_within_a_year',
        message: 'expires_at must be in the future, and within a year.',
      },
    ]);
  }
}
