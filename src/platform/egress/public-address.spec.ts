import { isIPv6 } from 'node:net';
import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { isPublicAddress } from './public-address.js';

describe('isPublicAddress', () => {
  it.each([
    '1.1.1.1',
    '8.8.8.8',
    '104.16.0.1',
    '172.15.255.255',
    '172.32.0.0',
    '192.167.255.255',
    '2606:4700::6810:1',
    '2a00:1450:4001:80b::200e',
    '2001:4860:4860::8888',
  ])('can be %s', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it.each([
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '100.127.255.255',
    '127.0.0.1',
    '127.255.255.255',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.192',
    '192.168.1.1',
    '198.18.0.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '168.63.129.16',
    '192.0.2.1',
    '192.88.99.1',
    '::',
    '::1',
    '::ffff:1.1.1.1',
    '::ffff:7f00:1',
    '::1.1.1.1',
    '64:ff9b::101:101',
    '64:ff9b:1::1',
    '100::1',
    'fc00::1',
    'fd00:ec2::254',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'ff02::1',
    '2001::1',
    '2001:db8::1',
    '2002:7f00:1::1',
    '3fff::1',
    '5f00::1',
    '2606:4700::1%1',
    '',
    'localhost',
    '127.1',
    '0x7f.0.0.1',
    '0177.0.0.1',
    '2130706433',
    '1.1.1',
    '01.1.1.1',
    '[::1]',
    '1.1.1.1 ',
  ])('cannot be %j', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it('returns false for every special range of ipaddr.js, in any spelling', () => {
    const bytes = (length: number): fc.Arbitrary<number[]> =>
      fc.array(fc.oneof(fc.nat(255), fc.constantFrom(0, 10, 127, 169, 254, 255, 32)), {
        minLength: length,
        maxLength: length,
      });
    fc.assert(
      fc.property(fc.oneof(bytes(4), bytes(16)), (parts) => {
        const address = ipaddr.fromByteArray(parts);
        for (const spelling of [address.toString(), address.toNormalizedString()]) {
          if (isPublicAddress(spelling)) expect([spelling, address.range()]).toEqual([spelling, 'unicast']);
        }
      }),
      { numRuns: 3_000 },
    );
  });

  it('gives the same answer for every spelling of IPv6', () => {
    const tail = fc.array(fc.nat(0xffff), { minLength: 7, maxLength: 7 });
    fc.assert(
      fc.property(fc.constantFrom(0, 0x64, 0x2001, 0x2002, 0x2606, 0xfd00, 0xfe80, 0xff02), tail, (first, rest) => {
        const groups = [first, ...rest].map((group) => group.toString(16));
        const full = groups.map((group) => group.padStart(4, '0')).join(':');
        const short = ipaddr.parse(full).toString();
        const lastBytes = [rest[5]! >> 8, rest[5]! & 255, rest[6]! >> 8, rest[6]! & 255];
        const dotted = `${groups.slice(0, 6).join(':')}:${lastBytes.join('.')}`;
        for (const spelling of [full, full.toUpperCase(), short, dotted]) {
          expect(isIPv6(spelling)).toBe(true);
          expect([spelling, isPublicAddress(spelling)]).toEqual([spelling, isPublicAddress(full)]);
        }
      }),
    );
  });
});
