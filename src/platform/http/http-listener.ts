import type { Server, ServerOptions, ServerResponse } from 'node:http';
import type { AddressInfo, Server as NetServer } from 'node:net';

/** These limits end connections on which a caller sends one byte at a time. */
export const CONNECTION_BOUNDS = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  // The value is above the idle time of common load balancers (60 s), so that the service never closes first.
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 1_000,
  // `guardListener` checks the header instead and answers in the service's shape.
  requireHostHeader: false,
} as const satisfies ServerOptions;

/** How often idle keep-alive connections are looked for while the server closes. */
const SWEEP_MS = 50;

/** Resolves once the server listens. @throws {Error} of the system, when the address is not available. */
export function listen(
  server: NetServer,
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

/** Returns `http://127.0.0.1:3000`, or the path of a socket. */
export function addressOf(server: Server): string {
  const bound = server.address() as AddressInfo | string;
  if (typeof bound === 'string') return bound;
  return `http://${bound.family === 'IPv6' ? `[${bound.address}]` : bound.address}:${bound.port}`;
}

/** Asks callers, with every further response, to open another connection for their next request. */
export function announceClosing(server: Server): void {
  server.prependListener('request', (_request, response: ServerResponse) => {
    response.setHeader('connection', 'close');
  });
}

/**
 * Ends connections as they become idle once the server accepts no more, and all remaining ones when the time is over.
 * Node itself ends only those that are idle when the server is closed.
 * @returns a function to call when the server is closed.
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
