import { defineErrors } from '../../../platform/errors/define-errors.js';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { ACCESS_ERRORS } from '../access.errors.js';
import type { Scope } from '../scopes.js';

export const KEY_ERRORS = defineErrors({
  api_key_not_found: { type: 'not_found_error', status: 404, title: 'API key not found.' },
});

/** A key of another user answers like one that never was. */
export class ApiKeyNotFound extends DomainError {
  constructor() {
    super(KEY_ERRORS.api_key_not_found, 'There is no such API key.', {
      hint: 'GET /api/v1/keys lists those that you can see.',
    });
  }
}

/** Its new secret, or its new rights, would be in the hands of somebody who is not its owner. */
export class KeyOfAnother extends DomainError {
  constructor() {
    super(ACCESS_ERRORS.insufficient_scopes, 'Only the owner of a key changes or rotates it.', {
      hint: 'Revoke it, and mint one of your own.',
      details: { lacked_by: 'role' },
    });
  }
}

/** A key never mints, changes, rotates or revokes one that may do more than itself. */
export class KeyTooWide extends DomainError {
  constructor(missing: readonly Scope[]) {
    super(ACCESS_ERRORS.insufficient_scopes, 'A key manages only keys that can do no more than itself.', {
      hint:
        missing.length === 0
          ? 'Use the session of a person, or a key that reaches as far and lives as long.'
          : `Use the session of a person, or a key with ${missing.join(', ')}.`,
      details: { required_scopes: missing, missing_scopes: missing },
    });
  }
}
