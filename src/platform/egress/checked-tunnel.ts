import type { Duplex } from 'node:stream';

import { ClientHelloReader, type HelloProblem } from './client-hello.js';

export type TunnelRefusal = HelloProblem | 'other_server_name' | 'too_slow' | 'closed';

/** The first bytes of a client whose requested server name is the allowed one. */
export type FirstFlight = { readonly bytes: Buffer } | { readonly refusal: TunnelRefusal };

interface Expected {
  readonly serverName: string;
  readonly withinMs: number;
  /** The bytes that arrived together with the CONNECT. */
  readonly head: Buffer;
}

/**
 * Holds back what a client sends through a tunnel until its ClientHello is complete. A server shared by many sites
 * chooses the site by that name, so a tunnel to an allowed host could otherwise reach any site on the same server.
 */
export function firstFlightOf(client: Duplex, { serverName, withinMs, head }: Expected): Promise<FirstFlight> {
  return new Promise((resolve) => {
    const reader = new ClientHelloReader();
    const chunks: Buffer[] = [];
    const settle = (flight: FirstFlight): void => {
      clearTimeout(timer);
      client.off('data', take).off('close', closed).off('end', closed);
      client.pause();
      resolve(flight);
    };
    const take = (chunk: Buffer): void => {
      chunks.push(chunk);
      const verdict = reader.push(chunk);
      if (verdict.state === 'refused') settle({ refusal: verdict.problem });
      else if (verdict.state === 'named')
        settle(verdict.serverName === serverName ? { bytes: Buffer.concat(chunks) } : { refusal: 'other_server_name' });
    };
    const closed = (): void => {
      settle({ refusal: 'closed' });
    };
    const timer = setTimeout(() => {
      settle({ refusal: 'too_slow' });
    }, withinMs);
    client.on('data', take).once('close', closed).once('end', closed);
    if (head.length > 0) take(head);
  });
}
