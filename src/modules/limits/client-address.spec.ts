import fc from 'fast-check';
import { clientAddressOf } from './client-address.js';

describe('clientAddressOf', () => {
  it('counts an IPv4 caller the same however its address is written', () => {
    expect(clientAddressOf('203.0.113.7')).toEqual({ network: '203.0.113.7', site: undefined });
    expect(clientAddressOf('::ffff:203.0.113.7')).toEqual(clientAddressOf('203.0.113.7'));
  });

  it('counts an IPv6 caller by its /64, and its /48 beside it', () => {
    expect(clientAddressOf('2001:db8:1:2:3:4:5:6')).toEqual({ network: '2001:db8:1:2::/64', site: '2001:db8:1::/48' });
  });

  it('gives all addresses of a /64 one network, and those of two /64 two', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(0xffff), { minLength: 8, maxLength: 8 }),
        fc.array(fc.nat(0xffff), { minLength: 4, maxLength: 4 }),
        (parts, host) => {
          parts[0] = 0x2001;
          const text = (list: number[]): string => list.map((part) => part.toString(16)).join(':');
          const own = clientAddressOf(text(parts));
          expect(clientAddressOf(text([...parts.slice(0, 4), ...host]))).toEqual(own);
          expect(clientAddressOf(text([...parts.slice(0, 3), parts[3]! ^ 1, ...parts.slice(4)]))).toEqual({
            ...own,
            network: expect.not.stringMatching(`^${own.network}$`),
          });
        },
      ),
    );
  });

  it.each([undefined, '', 'nonsense'])('counts callers without an address (%s) as one', (ip) => {
    expect(clientAddressOf(ip).network).toBe('unknown');
  });
});
