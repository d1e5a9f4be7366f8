import fc from 'fast-check';
import { formatUsd, NANO_PER_USD, parseUsd } from './nano-dollars.js';

describe('dollars on the wire', () => {
  const LARGEST = 1_000_000_000n * NANO_PER_USD - 1n;

  it.each([
    [0n, '0'],
    [1n, '0.000000001'],
    [-1n, '-0.000000001'],
    [123_456n, '0.000123456'],
    [5_000_000_000n, '5'],
    [4_123_456_789n, '4.123456789'],
    [-49_500_000_000n, '-49.5'],
    [LARGEST, '999999999.999999999'],
  ])('writes %s nano-dollars as %s', (nano, text) => {
    expect(formatUsd(nano)).toBe(text);
    expect(parseUsd(text)).toBe(nano);
  });

  it('reads back every amount that it writes, to the nano-dollar', () => {
    fc.assert(fc.property(fc.bigInt({ min: -LARGEST, max: LARGEST }), (nano) => parseUsd(formatUsd(nano)) === nano));
  });

  it('writes the same text for the same amount, however it was written', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: LARGEST }), fc.integer({ min: 0, max: 9 }), (nano, decimals) => {
        const coarse = nano - (nano % 10n ** BigInt(9 - decimals));
        const whole = (coarse / NANO_PER_USD).toString();
        const fraction = (coarse % NANO_PER_USD).toString().padStart(9, '0').slice(0, decimals);
        const long = decimals === 0 ? whole : `${whole}.${fraction}`;
        return formatUsd(parseUsd(long)) === formatUsd(coarse);
      }),
    );
  });

  it('reads only decimals', () => {
    for (const text of [
      '',
      '-',
      '.5',
      '5.',
      '1e9',
      '+1',
      ' 1',
      '1 ',
      '1,5',
      '0x1',
      'NaN',
      '1.0000000001',
      '1000000000',
      '١',
      '1\n',
    ]) {
      expect(() => parseUsd(text)).toThrow(RangeError);
    }
  });
});
