import fc from 'fast-check';
import { nestsDeeperThan } from './json-depth.js';

const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;

describe('nestsDeeperThan', () => {
  it('agrees with the depth of the parsed value, whatever its strings contain', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8 }), fc.nat(9), (value, limit) => {
        expect(nestsDeeperThan(Buffer.from(JSON.stringify(value)), limit)).toBe(depthOf(value) > limit);
      }),
    );
  });

  it('does not count brackets inside strings', () => {
    expect(nestsDeeperThan(Buffer.from(JSON.stringify({ code: '[[[[{{{{\\"[[' })), 1)).toBe(false);
  });
});
