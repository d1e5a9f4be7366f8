import ipaddr from 'ipaddr.js';

/** How many proxies are in front of the service, or which addresses they have. */
export type TrustProxy = number | readonly string[];

const MAX_HOPS = 10;

/**
 * Reads `2` or `10.0.0.0/8, ::1`. Returns undefined for anything else: "all" would let any caller choose its address.
 */
export function parseTrustProxy(text: string): TrustProxy | undefined {
  if (/^\d+$/.test(text)) return Number(text) <= MAX_HOPS ? Number(text) : undefined;

  const ranges = text.split(',').map((range) => range.trim());
  return ranges.every(isNarrowRange) ? ranges : undefined;
}

/** A range that contains every address would mean "all". */
function isNarrowRange(range: string): boolean {
  if (ipaddr.isValid(range)) return true;
  return ipaddr.isValidCIDR(range) && ipaddr.parseCIDR(range)[1] > 0;
}
