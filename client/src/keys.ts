import type { Listing, ListQuery } from './page.js';
import type { RequestOptions, Transport } from './transport.js';
import type { Key, KeyChange, KeyWithSecret, NewKey } from './types.js';

/** API keys. A secret is shown once, when its key is created or rotated. */
export class Keys {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists the keys that you may see, without their secrets. Needs `keys:read`. */
  list(query?: ListQuery, options?: RequestOptions): Listing<Key> {
    return this.#transport.list('/api/v1/keys', query, options);
  }

  /**
   * Creates a key. It never has more rights than the key of the call. Needs `keys:write`.
   *
   * It is safe to retry, as every attempt of one call has the same idempotency key.
   *
   * @throws {ValidationError} `invalid_request`.
   * @throws {AuthorizationError} `insufficient_scopes`, `org_access_denied`.
   */
  create(key: NewKey, options?: RequestOptions): Promise<KeyWithSecret> {
    return this.#transport.post('/api/v1/keys', key, options);
  }

  /** @throws {NotFoundError} `api_key_not_found`. */
  get(keyId: string, options?: RequestOptions): Promise<Key> {
    return this.#transport.get(pathOf(keyId), options);
  }

  /** Returns the key of the call. */
  current(options?: RequestOptions): Promise<Key> {
    return this.#transport.get('/api/v1/keys/current', options);
  }

  /**
   * Renames a key, or narrows its scopes, addresses and lifetime.
   *
   * @throws {NotFoundError} `api_key_not_found`.
   */
  update(keyId: string, change: KeyChange, options?: RequestOptions): Promise<Key> {
    return this.#transport.patch(pathOf(keyId), change, options);
  }

  /**
   * Creates a new secret for a key, whose id stays. The old secret keeps working for `grace_seconds`: 0 by default, at
   * most 604800, and never beyond its expiry.
   *
   * @throws {NotFoundError} `api_key_not_found`.
   */
  rotate(
    keyId: string,
    { grace_seconds }: { readonly grace_seconds?: number } = {},
    options?: RequestOptions,
  ): Promise<KeyWithSecret> {
    return this.#transport.post(`${pathOf(keyId)}/rotate`, { grace_seconds }, options);
  }

  /**
   * Revokes a key for good. The next call with it fails.
   *
   * @throws {NotFoundError} `api_key_not_found`.
   */
  revoke(keyId: string, options?: RequestOptions): Promise<void> {
    return this.#transport.delete(pathOf(keyId), options);
  }
}

const pathOf = (keyId: string): string => `/api/v1/keys/${encodeURIComponent(keyId)}`;
