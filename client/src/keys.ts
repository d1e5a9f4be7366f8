import { methodsOf } from './methods.js';
import type { Listing, ListQuery } from './page.js';
import type { RequestOptions, Transport } from './transport.js';
import type { Key, KeyChange, KeyWithSecret, NewKey } from './types.js';

/** API keys. A secret is shown once, when its key is created or rotated. */
export interface Keys {
  /** Lists the keys that you may see, without their secrets. Needs `keys:read`. */
  list(query?: ListQuery, options?: RequestOptions): Listing<Key>;

  /**
   * Creates a key. It never has more rights than the key of the call. Without an expiry, it has the longest lifetime
   * that its organizations allow. Needs `keys:write`.
   *
   * It is safe to retry, as every attempt of one call has the same idempotency key.
   *
   * @throws {ValidationError} `invalid_request`.
   * @throws {AuthorizationError} `insufficient_scopes`, `org_access_denied`; `key_lifetime_exceeded`: an organization
   * allows keys only a shorter lifetime.
   */
  create(key: NewKey, options?: RequestOptions): Promise<KeyWithSecret>;

  /** @throws {NotFoundError} `api_key_not_found`. */
  get(keyId: string, options?: RequestOptions): Promise<Key>;

  /** Returns the key of the call. */
  current(options?: RequestOptions): Promise<Key>;

  /**
   * Renames a key, or narrows its scopes, addresses and lifetime.
   *
   * @throws {NotFoundError} `api_key_not_found`.
   * @throws {AuthorizationError} `key_lifetime_exceeded`: an organization allows keys only a shorter lifetime.
   */
  update(keyId: string, change: KeyChange, options?: RequestOptions): Promise<Key>;

  /**
   * Lets your key reach an organization that requires SSO. Needs a session that came through its connection.
   *
   * @param org The id or slug of the organization.
   * @throws {NotFoundError} `api_key_not_found`.
   * @throws {AuthorizationError} `sso_required`: sign in through the connection first.
   * @throws {AuthenticationError} `recent_sign_in_required`.
   */
  authorize(keyId: string, org: string, options?: RequestOptions): Promise<Key>;

  /**
   * Creates a new secret for a key, whose id stays. The old secret keeps working for `grace_seconds`: 0 by default, at
   * most 604800, and never beyond its expiry.
   *
   * @throws {NotFoundError} `api_key_not_found`.
   */
  rotate(
    keyId: string,
    rotation?: { readonly grace_seconds?: number },
    options?: RequestOptions,
  ): Promise<KeyWithSecret>;

  /**
   * Revokes a key for good. The next call with it fails.
   *
   * @throws {NotFoundError} `api_key_not_found`.
   */
  revoke(keyId: string, options?: RequestOptions): Promise<void>;
}

export const keysOf = (transport: Transport): Keys =>
  methodsOf<Keys>(transport, {
    list: 'list keys',
    create: 'post keys',
    get: 'get keys/:',
    current: 'get keys/current',
    update: 'patch keys/:',
    authorize: 'post keys/:/authorize org',
    rotate: 'post keys/:/rotate',
    revoke: 'delete keys/:',
  });
