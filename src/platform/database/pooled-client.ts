import { Client, type ClientConfig } from 'pg';

/**
 * A pooled connection whose loss never ends the process. The pool removes its error listener when it hands a connection
 * out, and TypeORM adds its own a moment later. A server that ends a session right after accepting it, for example
 * while it shuts down, sends both in one packet: the error arrives in between and, without a listener, is thrown. The
 * borrower of the connection gets the error from its first query.
 */
export class PooledClient extends Client {
  constructor(config?: string | ClientConfig) {
    super(config);
    this.on('error', () => undefined);
  }
}
