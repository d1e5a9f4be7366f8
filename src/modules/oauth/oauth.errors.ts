import { defineErrors } from '../../platform/errors/define-errors.js';
import { DomainError } from '../../platform/errors/domain-error.js';

export const OAUTH_ERRORS = defineErrors({
  invalid_access_token: { type: 'auth_error', status: 401, title: 'The access token is invalid.' },
  access_token_expired: { type: 'auth_error', status: 401, title: 'The access token has expired.' },
  invalid_client_metadata: {
    type: 'validation_error',
    status: 400,
    title: 'The metadata of the OAuth client is invalid.',
  },
  grant_not_found: { type: 'not_found_error', status: 404, title: 'Grant not found.' },
});

const REFRESH = 'Refresh the access token, or start the authorization again.';

/** The response is the same whatever is wrong with the token, so that it reveals nothing. */
export class AccessTokenInvalid extends DomainError {
  constructor() {
    super(OAUTH_ERRORS.invalid_access_token, 'The access token is invalid, or was issued for another resource.', {
      hint: REFRESH,
    });
  }
}

export class AccessTokenExpired extends DomainError {
  constructor() {
    super(OAUTH_ERRORS.access_token_expired, 'The access token has expired.', { hint: REFRESH });
  }
}

export class ClientMetadataInvalid extends DomainError {
  constructor(message: string) {
    super(OAUTH_ERRORS.invalid_client_metadata, message, {
      hint: 'Correct the metadata of the client, then register it again.',
    });
  }
}

/** The response is the same for an unknown grant and for one that the caller cannot see. */
export class GrantNotFound extends DomainError {
  constructor(hint = 'List your grants with GET /api/v1/grants.') {
    super(OAUTH_ERRORS.grant_not_found, 'Grant not found.', { hint });
  }
}
