import type { IncomingMessage } from 'node:http';

/** True when the address is a trusted proxy, as Express compiled `TRUST_PROXY`. */
export type TrustsAddress = (address: string, hop: number) => boolean;

/** No real setup has more proxies in a row than this, but a caller may send thousands of addresses. */
const MAX_PROXIES = 16;

/**
 * Returns the addresses of a request's path: the caller, then the trusted proxies. What the caller itself wrote into
 * `X-Forwarded-For` precedes its own address and is dropped.
 */
export function callerChain({ socket, headers }: IncomingMessage, trusts: TrustsAddress): string[] {
  const chain = [plainAddress(socket.remoteAddress ?? '')];
  const forwarded = headers['x-forwarded-for']?.toString();
  if (forwarded === undefined || !trusts(chain[0]!, 0)) return chain;
  let end = forwarded.length;
  while (end > 0 && chain.length <= MAX_PROXIES) {
    const start = forwarded.lastIndexOf(',', end - 1);
    chain.unshift(plainAddress(forwarded.slice(start + 1, end).trim()));
    if (start <= 0 || !trusts(chain[0]!, chain.length - 1)) break;
    end = start;
  }
  return chain;
}

/** Returns an IPv4 address in its usual notation, even when an IPv6 socket reports it. */
export function plainAddress(address: string): string {
  return address.startsWith('::ffff:') ? address.slice(7) : address;
}
