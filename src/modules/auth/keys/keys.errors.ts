import { DomainError } from '../../../platform/errors/domain-error.js';
import type { Scope } from '../scopes.js';

/** A key of somebody else answers like one that never was. */
export class ApiKeyNotFound extends DomainError {
  constructor() {
    super('api_key_not_found', 'There is no such API key.', { hint: 'GET /api/v1/keys lists those that you can see.' });
  }
}

/** A key never mints, widens or renews one that may do more than itself. */
export class KeyTooWide extends DomainError {
  constructor(missing: readonly Scope[]) {
    super('insufficient_scopes', 'A key cannot give another key more than it has itself.', {
      hint: missing.length === 0
        ? 'Use the session of a person, or a key that reaches as far and lives as long.'
        : `Use the session of a person, or a key with ${missing.join(', ')}.`,
      details: { required_scopes: missing, missing_scopes: missing },
    });
  }
}
