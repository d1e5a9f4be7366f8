import { defineErrors } from '../../platform/errors/define-errors.js';
import { DomainError } from '../../platform/errors/domain-error.js';
import { ACCESS_ERRORS } from './access.errors.js';
import type { LifetimeLimit } from './domain/key-lifetime.js';
import type { Scope } from './scopes.js';

export const KEY_ERRORS = defineErrors({
  key_lifetime_exceeded: {
    type: 'authorization_error',
    status: 403,
    title: 'The organization allows keys only a shorter lifetime.',
  },
  api_key_not_found: { type: 'not_found_error', status: 404, title: 'API key not found.' },
});

/** The response is the same for an unknown key and for the key of another user. */
export class ApiKeyNotFound extends DomainError {
  constructor() {
    super(KEY_ERRORS.api_key_not_found, 'API key not found.', {
      hint: 'List your API keys with GET /api/v1/keys.',
    });
  }
}

/** An organization that the key reaches limits the lifetime of keys (`key_lifetime_days`). */
export class KeyLifetimeExceeded extends DomainError {
  constructor({ slug, days }: LifetimeLimit, latest: Date) {
    super(KEY_ERRORS.key_lifetime_exceeded, `The organization ${slug} allows keys ${days} days at most.`, {
      hint: 'Choose an earlier expiry. A new key without one gets the longest that is allowed.',
      details: { organization: slug, key_lifetime_days: days, latest_expires_at: latest.toISOString() },
    });
  }
}

/** A key acts with the role of its owner, so nobody else may receive its new secret or widen its permissions. */
export class KeyOfAnother extends DomainError {
  constructor() {
    super(ACCESS_ERRORS.insufficient_scopes, 'Only the owner of a key can change or rotate it.', {
      hint: 'Revoke it, and create a key of your own.',
      details: { lacked_by: 'role' },
    });
  }
}

/** A key cannot create, change, rotate or revoke a key with wider permissions than its own. */
export class KeyTooWide extends DomainError {
  constructor(missing: readonly Scope[]) {
    super(ACCESS_ERRORS.insufficient_scopes, 'A key can manage only keys with the same or narrower permissions.', {
      hint:
        missing.length === 0
          ? 'Use a user session, or a key with at least the same organizations, IP addresses and lifetime.'
          : `Use a user session, or a key with the scopes ${missing.join(', ')}.`,
      details: { required_scopes: missing, missing_scopes: missing },
    });
  }
}
