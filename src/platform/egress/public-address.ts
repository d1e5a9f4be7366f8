import { BlockList, isIP } from 'node:net';

/**
 * IPv4 ranges that are not the internet: the IANA registry of special-purpose addresses, multicast and reserved ranges.
 */
export const INNER_V4: readonly (readonly [string, number])[] = [
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
  // Azure's platform answers at this address from inside any of its machines.
  ['168.63.129.16', 32],
];

/**
 * Only 2000::/3 of IPv6 is assigned to the internet. Ranges that embed an IPv4 address (mapped, NAT64, 6to4, Teredo),
 * are local or are multicast lie outside of it or are listed here.
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
 * True when it is a public internet address, and so not one of the machine, its network or its cloud. Unusual spellings
 * of an address return false: only a resolver's answers should be passed.
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
