import type { Listing, ListQuery } from './page.js';
import type { RequestOptions, Transport } from './transport.js';
import type { Key, KeyChange, KeyWithSecret, NewKey } from './types.js';

/** API keys. A secret is shown once, when its key is created or rotated. */
export class Keys {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The keys that you may see, without their secrets. Needs `keys:read`. */
  list(query?: ListQuery, options?: RequestOptions): Listing<Key> {
    return this.#transport.list('/api/v1/keys', query, options);
  }

  /**
   * Mints a key. It never gets more rights than the key that asks. Needs `keys:write`.
   *
   * Safe to retry: every attempt of one call carries the same idempotency key.
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

  /** The key that calls. */
  current(options?: RequestOptions): Promise<Key> {
    return this.#transport.get('/api/v1/keys/current', options);
  }

  /**
   * Renames a key, or narrows what it may do, from where, and until when.
   *
   * @throws {NotFoundError} `api_key_not_found`.
   */
  update(keyId: string, change: KeyChange, options?: RequestOptions): Promise<Key> {
    return this.#transport.patch(pathOf(keyId), change, options);
  }

  /**
   * Gives a key a new secret; its id stays. The old secret works for `grace_seconds` more: 0 by default, at most
   * 604800, never beyond its own expiry.
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
   * Revokes a key for good. It is refused from the next call on.
   *
   * @throws {NotFoundError} `api_key_not_found`.
   */
  revoke(keyId: string, options?: RequestOptions): Promise<void> {
    return this.#transport.delete(pathOf(keyId), options);
  }
}

const pathOf = (keyId: string): string => `/api/v1/keys/${encodeURIComponent(keyId)}`;
