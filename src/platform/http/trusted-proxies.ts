import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import ipaddr from 'ipaddr.js';
import { Config } from '../config/config.js';
import { callerChain, plainAddress, type TrustsAddress } from './caller-chain.js';

/** The proxies that the operator trusts (`TRUST_PROXY`). Only their `X-Forwarded-*` headers are used. */
@Injectable()
export class TrustedProxies {
  private readonly trusts: TrustsAddress;

  constructor({ trustProxy }: Config) {
    // A number counts hops from the service outwards, so the peer of the connection is the first one.
    this.trusts =
      typeof trustProxy === 'number' ? (_address, hop) => hop < trustProxy : isWithin(trustProxy.map(rangeOf));
  }

  /** True when the request's connection comes from a trusted proxy. */
  includes({ socket }: IncomingMessage): boolean {
    return this.trustsPeer(socket.remoteAddress ?? '');
  }

  /** True when the address is that of a trusted proxy. */
  trustsPeer(address: string): boolean {
    return this.trusts(address, 0);
  }

  /** Returns the caller, then the trusted proxies that the request passed. */
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
