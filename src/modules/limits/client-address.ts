import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';

/** The networks that an anonymous caller is counted by. */
export interface ClientAddress {
  /** An IPv4 address, or the /64 of an IPv6 address: one customer commonly owns a whole /64. */
  readonly network: string;
  /** The /48 around the network, which all /64 networks of one customer share. Undefined for IPv4. */
  readonly site: string | undefined;
}

const known = new LRUCache<string, ClientAddress>({ max: 10_000 });

/** `::ffff:203.0.113.7` is treated as the IPv4 address in it. All texts that are not an address count as one caller. */
export function clientAddressOf(ip = ''): ClientAddress {
  let address = known.get(ip);
  if (address === undefined) known.set(ip, (address = parse(ip)));
  return address;
}

function parse(ip: string): ClientAddress {
  if (!ipaddr.isValid(ip)) return { network: 'unknown', site: undefined };

  const address = ipaddr.process(ip);
  if (address.kind() === 'ipv4') return { network: address.toString(), site: undefined };
  return { network: prefixOf(address as ipaddr.IPv6, 64), site: prefixOf(address as ipaddr.IPv6, 48) };
}

function prefixOf(address: ipaddr.IPv6, bits: 48 | 64): string {
  const parts = address.parts.map((part, index) => (index < bits / 16 ? part : 0));
  return `${new ipaddr.IPv6(parts).toString()}/${bits}`;
}
