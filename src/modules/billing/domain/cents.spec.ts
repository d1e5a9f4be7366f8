import fc from 'fast-check';
import { formatCents, NANO_PER_CENT, roundToCents } from './cents.js';

describe('cents', () => {
  it('are the nearest, and of two the larger', () => {
    expect(
      [0n, 4_999_999n, 5_000_000n, 14_999_999n, 15_000_000n, -4_999_999n, -5_000_000n, -5_000_001n, -15_000_000n].map(
        roundToCents,
      ),
    ).toEqual([0n, 0n, 1n, 1n, 2n, 0n, 0n, -1n, -1n]);
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n }), (nano) => {
        const off = 2n * (roundToCents(nano) * NANO_PER_CENT - nano);
        expect(off > -NANO_PER_CENT && off <= NANO_PER_CENT).toBe(true);
      }),
    );
  });

  it('have two digits after the point', () => {
    expect([0n, 5n, 1230n, -7n, -12_345n].map(formatCents)).toEqual(['0.00', '0.05', '12.30', '-0.07', '-123.45']);
  });
});
