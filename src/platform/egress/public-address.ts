import { BlockList, isIP } from 'node:net';

/** IPv4 that is not the internet: by the IANA registry of special-purpose addresses, multicast and what is reserved. */
const INNER_V4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
  // Azure's platform answers here, from inside any machine of it.
  ['168.63.129.16', 32],
];

/**
 * Of IPv6 only 2000::/3 is given out for the internet; what holds an IPv4 address (mapped, NAT64, 6to4, Teredo), is
 * local or is multicast lies outside of it or is named here.
 */
const GIVEN_OUT_V6 = ['2000::', 3] as const;
const INNER_V6: readonly (readonly [string, number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
];

const innerV4 = listOf('ipv4', INNER_V4);
const innerV6 = listOf('ipv6', INNER_V6);
const givenOutV6 = listOf('ipv6', [GIVEN_OUT_V6]);

/**
 * Whether it is an address of the internet, which anybody could reach, and so nothing of the machine, its network or
 * its cloud. What is no address in a usual spelling is none: only what a resolver answered is to be judged.
 */
export function isPublicAddress(text: string): boolean {
  if (text.includes('%')) return false;
  switch (isIP(text)) {
    case 4:
      return !innerV4.check(text, 'ipv4');
    case 6:
      return givenOutV6.check(text, 'ipv6') && !innerV6.check(text, 'ipv6');
    default:
      return false;
  }
}

function listOf(family: 'ipv4' | 'ipv6', ranges: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList();
  for (const [address, prefix] of ranges) list.addSubnet(address, prefix, family);
  return list;
}
