import { methodsOf } from './methods.js';
import type { Listing, ListQuery } from './page.js';
import type { RequestOptions, Transport } from './transport.js';
import type { Grant } from './types.js';

/** What you granted to OAuth clients, such as assistants that are connected by MCP. */
export interface Grants {
  /** Lists your grants that have not ended. Needs `keys:read`. */
  list(query?: ListQuery, options?: RequestOptions): Listing<Grant>;

  /** @throws {NotFoundError} `grant_not_found`. */
  get(grantId: string, options?: RequestOptions): Promise<Grant>;

  /**
   * Ends a grant for good: the client is refused at its next call. Needs `keys:write`.
   *
   * @throws {NotFoundError} `grant_not_found`.
   * @throws {AuthorizationError} `insufficient_scopes`: a key cannot end a grant that may do more than itself.
   */
  end(grantId: string, options?: RequestOptions): Promise<void>;
}

export const grantsOf = (transport: Transport): Grants =>
  methodsOf<Grants>(transport, { list: 'list grants', get: 'get grants/:', end: 'delete grants/:' });
