import ipaddr from 'ipaddr.js';

/**
 * Returns an address or a CIDR as the CIDR of its network: `10.1.2.3/8` becomes `10.0.0.0/8`. Returns undefined for any
 * other text.
 */
export function normalRange(text: string): string | undefined {
  if (ipaddr.isValid(text)) {
    const address = ipaddr.process(text);
    return `${address.toString()}/${address.kind() === 'ipv4' ? 32 : 128}`;
  }
  if (!ipaddr.isValidCIDR(text)) return undefined;
  const [address, bits] = ipaddr.parseCIDR(text);
  const network =
    address.kind() === 'ipv4' ? ipaddr.IPv4.networkAddressFromCIDR(text) : ipaddr.IPv6.networkAddressFromCIDR(text);
  return `${network.toString()}/${bits}`;
}

/** True when an address is in a range. `::ffff:203.0.113.7` counts as its IPv4 address. */
export function isInRange(range: string, ip: string): boolean {
  if (!ipaddr.isValid(ip)) return false;
  const [network, bits] = ipaddr.parseCIDR(range);
  const address = ipaddr.process(ip);
  return address.kind() === network.kind() && address.match([network, bits]);
}

/** True when every address of `inner` is in `outer`. */
export function containsRange(outer: string, inner: string): boolean {
  const [, outerBits] = ipaddr.parseCIDR(outer);
  const [network, innerBits] = ipaddr.parseCIDR(inner);
  return innerBits >= outerBits && isInRange(outer, network.toString());
}
