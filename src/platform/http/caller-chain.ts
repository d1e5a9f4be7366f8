import type { IncomingMessage } from 'node:http';

/** Whether this address is a proxy of ours, as Express has compiled `TRUST_PROXY`. */
export type TrustsAddress = (address: string, hop: number) => boolean;

/** More proxies of ours than this are not in a row; a caller may send thousands of addresses. */
const MAX_PROXIES = 16;

/**
 * The addresses that a request came by: the caller, then the proxies of ours. What the caller itself wrote into
 * `X-Forwarded-For` lies before its own address, and is left out.
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

/** An IPv4 address as it is written elsewhere, on a socket for IPv6 too. */
export function plainAddress(address: string): string {
  return address.startsWith('::ffff:') ? address.slice(7) : address;
}
