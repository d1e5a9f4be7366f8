import type { RequestOptions, Transport } from './transport.js';
import type { WhoCalls } from './types.js';

/** The caller. */
export class Me {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Returns the owner of the key or session, and what it may do in the organization of the call.
   *
   * @throws {AuthenticationError} `missing_api_key`, `invalid_api_key`, `expired_api_key`, `revoked_api_key`,
   * `rotated_api_key`.
   */
  get(options?: RequestOptions): Promise<WhoCalls> {
    return this.#transport.get('/api/v1/me', options);
  }
}
