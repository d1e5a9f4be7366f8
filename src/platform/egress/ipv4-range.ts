import { isIPv4 } from 'node:net';

/** True for `203.0.113.7` and `203.0.113.0/24`. */
export function isAddressOrRange(text: string): boolean {
  const [address = '', prefix, ...more] = text.split('/');
  return (
    more.length === 0 &&
    isIPv4(address) &&
    (prefix === undefined || (/^(?:[1-9]|[12]\d|3[0-2])$/.test(prefix) && isNetwork(address, Number(prefix))))
  );
}

/** True when the address has no bits beyond the prefix, which nft would refuse in some releases. */
function isNetwork(address: string, prefix: number): boolean {
  const bits = address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
  return bits % 2 ** (32 - prefix) === 0;
}
