import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import ipaddr from 'ipaddr.js';
import { Config } from '../config/config.js';
import { callerChain, plainAddress, type TrustsAddress } from './caller-chain.js';

/** Which addresses are proxies of the operator (`TRUST_PROXY`), whose `X-Forwarded-*` headers count. */
@Injectable()
export class TrustedProxies {
  private readonly trusts: TrustsAddress;

  constructor({ trustProxy }: Config) {
    // A number counts hops from us outwards, so that the peer of the connection is the first of them.
    this.trusts =
      typeof trustProxy === 'number' ? (_address, hop) => hop < trustProxy : isWithin(trustProxy.map(rangeOf));
  }

  /** Whether the request comes over a connection from one of them. */
  includes({ socket }: IncomingMessage): boolean {
    return this.trustsPeer(socket.remoteAddress ?? '');
  }

  /** Whether what connects from this address is one of them. */
  trustsPeer(address: string): boolean {
    return this.trusts(address, 0);
  }

  /** The caller, then the proxies that the request came by. */
  chainOf(request: IncomingMessage): string[] {
    return callerChain(request, this.trusts);
  }
}

type Range = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];

function isWithin(ranges: readonly Range[]): TrustsAddress {
  return (text) => {
    const plain = plainAddress(text);
    if (!ipaddr.isValid(plain)) return false;
    const address = ipaddr.process(plain);
    return ranges.some(([range, bits]) => range.kind() === address.kind() && address.match(range, bits));
  };
}

function rangeOf(text: string): Range {
  if (text.includes('/')) return ipaddr.parseCIDR(text);
  const address = ipaddr.process(text);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}
