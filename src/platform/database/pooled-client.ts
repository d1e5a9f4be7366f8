import { Client, type ClientConfig } from 'pg';

/**
 * A connection of the pool whose loss never ends the process. The pool takes its listener for errors off as it hands a
 * connection out, and TypeORM adds its own a moment later. A server that ends a session right after it has let it in,
 * as one that shuts down does, sends both in one packet: the error comes in between, and without a listener it is
 * thrown. Whoever was handed the connection is told by its first query.
 */
export class PooledClient extends Client {
  constructor(config?: string | ClientConfig) {
    super(config);
    this.on('error', () => undefined);
  }
}
