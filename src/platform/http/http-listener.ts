import type { Server, ServerOptions, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A caller that sends one byte at a time must not hold a connection for ever. */
export const CONNECTION_BOUNDS = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  // Longer than the idle time of common load balancers (60 s), so that the service never closes first.
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 1_000,
  // Checked by `guardListener`, which answers in our shape.
  requireHostHeader: false,
} as const satisfies ServerOptions;

/** How often connections are looked for that have answered their last request and are merely kept alive. */
const SWEEP_MS = 50;

/** Resolves once the server listens. @throws {Error} of the system, when the address is not to be had. */
export function listen(
  server: Server,
  address: { readonly port: number; readonly host: string } | { readonly path: string },
): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(address, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** `http://127.0.0.1:3000`, or the path of a socket. */
export function addressOf(server: Server): string {
  const bound = server.address() as AddressInfo | string;
  if (typeof bound === 'string') return bound;
  return `http://${bound.family === 'IPv6' ? `[${bound.address}]` : bound.address}:${bound.port}`;
}

/** Tells callers with every further answer to open another connection for their next request. */
export function announceClosing(server: Server): void {
  server.prependListener('request', (_request, response: ServerResponse) => {
    response.setHeader('connection', 'close');
  });
}

/**
 * Ends connections as they become idle, from the moment that the server takes no more of them, and all that are left
 * when the time is over. Node ends only those that are idle when the server is closed.
 *
 * @returns what to call when the server is closed.
 */
export function endConnections(server: Server, withinMs: number): () => void {
  const lastCall = setTimeout(() => {
    server.closeAllConnections();
  }, withinMs);
  const sweep = setInterval(() => {
    if (!server.listening) server.closeIdleConnections();
  }, SWEEP_MS);
  return () => {
    clearTimeout(lastCall);
    clearInterval(sweep);
  };
}
