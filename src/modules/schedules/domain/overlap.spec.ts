import fc from 'fast-check';
import { admit, OVERLAPS, type Overlap } from './overlap.js';

const at = (minute: number): Date => new Date(Date.UTC(2026, 0, 1, 0, minute));
const kinds = (overlap: Overlap, count: number, isActive: boolean, isBuffered = false): string =>
  admit(
    Array.from({ length: count }, (_, index) => at(index)),
    overlap,
    { isActive, isBuffered },
  )
    .admissions.map(({ kind }) => kind)
    .join(' ');

describe('times while a run is active', () => {
  it.each<[Overlap, boolean, string]>([
    ['skip', true, 'skip skip skip'],
    ['skip', false, 'start skip skip'],
    ['buffer_one', true, 'buffer skip skip'],
    ['buffer_one', false, 'start buffer skip'],
    ['cancel_other', true, 'skip skip start'],
    ['allow', true, 'start start start'],
  ])('%s, active: %s', (overlap, isActive, expected) => {
    expect(kinds(overlap, 3, isActive)).toBe(expected);
  });

  it('buffers one only', () => {
    expect(kinds('buffer_one', 2, true, true)).toBe('skip skip');
  });

  it('cancels the active run only for another one', () => {
    expect(admit([at(1)], 'cancel_other', { isActive: true, isBuffered: false }).cancelsActive).toBe(true);
    expect(admit([], 'cancel_other', { isActive: true, isBuffered: false }).cancelsActive).toBe(false);
    expect(admit([at(1)], 'cancel_other', { isActive: false, isBuffered: false }).cancelsActive).toBe(false);
  });

  it('decides every time once, and only allow has two runs at once', () => {
    const input = fc.tuple(fc.constantFrom(...OVERLAPS), fc.nat(20), fc.boolean(), fc.boolean());
    fc.assert(
      fc.property(input, ([overlap, count, isActive, isBuffered]) => {
        const decided = kinds(overlap, count, isActive, isActive && isBuffered)
          .split(' ')
          .filter(Boolean);
        expect(decided).toHaveLength(count);
        const started = decided.filter((kind) => kind === 'start').length;
        if (overlap === 'allow') expect(started).toBe(count);
        else expect(started + (isActive && overlap !== 'cancel_other' ? 1 : 0)).toBeLessThanOrEqual(1);
        expect(decided.filter((kind) => kind === 'buffer').length).toBeLessThanOrEqual(1);
      }),
    );
  });
});
