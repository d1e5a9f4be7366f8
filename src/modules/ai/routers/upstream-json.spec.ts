import fc from 'fast-check';
import { isPrivateHost } from './openai-compatible.js';
import { nanoOf } from './upstream-json.js';

describe('prices of other services', () => {
  it.each([
    ['0.00000015', 1_000_000n, 150_000_000n],
    ['0.0000000000005', 1n, 1n],
    ['1e-6', 1_000_000n, 1_000_000_000n],
    [0.000002, 1n, 2_000n],
    [1.5e-7, 1_000_000n, 150_000_000n],
    ['-1', 1_000_000n, -1_000_000_000_000_000n],
    ['0', 1n, 0n],
    ['', 1n, undefined],
    ['NaN', 1n, undefined],
    ['1e999', 1n, undefined],
    [null, 1n, undefined],
    [{}, 1n, undefined],
  ])('reads %j times %s', (usd, factor, nano) => {
    expect(nanoOf(usd, factor)).toBe(nano);
  });

  it('never loses a fraction: a price is rounded up to the next nano-dollar', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 10n ** 24n), fc.integer({ min: 0, max: 20 }), (digits, places) => {
        const text = digits.toString().padStart(places + 1, '0');
        const usd = places === 0 ? text : `${text.slice(0, -places)}.${text.slice(-places)}`;
        if (usd.split('.')[0]!.length > 18) return;
        const exact = digits * 10n ** 9n;
        const nano = nanoOf(usd)!;
        const scale = 10n ** BigInt(places);
        expect(nano * scale).toBeGreaterThanOrEqual(exact);
        expect((nano - 1n) * scale).toBeLessThan(exact === 0n ? 1n : exact);
      }),
    );
  });
});

describe('the address of a router', () => {
  it.each([
    ['127.0.0.1', true],
    ['[::1]', true],
    ['10.1.2.3', true],
    ['localhost', true],
    ['ollama', true],
    ['gpu.internal', true],
    ['api.openai.com', false],
    ['8.8.8.8', false],
    ['[2606:4700::1]', false],
  ])('%s is private: %s', (host, isPrivate) => {
    expect(isPrivateHost(host)).toBe(isPrivate);
  });
});
