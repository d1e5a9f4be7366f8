import fc from 'fast-check';
import { nameOfSegment, rangesOf, segmentOf, segmentsIn } from './wal-segments.js';

const segment = fc.record({
  timeline: fc.integer({ min: 1, max: 0xffff_ffff }),
  number: fc.integer({ min: 0, max: 0xffff_ffff * 4_096 }),
});

describe('segmentOf', () => {
  it('reads every name that nameOfSegment writes', () => {
    fc.assert(
      fc.property(segment, (each) => {
        expect(segmentOf(nameOfSegment(each))).toEqual(each);
      }),
    );
  });

  it('follows on from one log file to the next', () => {
    expect(nameOfSegment({ timeline: 1, number: 4_095 })).toBe('000000010000000000000FFF');
    expect(nameOfSegment({ timeline: 1, number: 4_096 })).toBe('000000010000000100000000');
  });

  it.each([
    '',
    '000000010000000000000001.partial',
    '00000002.history',
    '000000010000000000000002.00000028.backup',
    '00000001000000000000000a',
    '000000010000000000001000',
    '000000000000000000000001',
    '../../../etc/passwd',
    '000000010000000000000001\n',
  ])('refuses %j', (name) => {
    expect(segmentOf(name)).toBeUndefined();
  });

  it('reads any text without an error', () => {
    fc.assert(
      fc.property(fc.string(), (name) => {
        const found = segmentOf(name);
        expect(found === undefined || nameOfSegment(found) === name).toBe(true);
      }),
    );
  });
});

describe('rangesOf', () => {
  it('covers exactly the given segments, without gaps and within the limit', () => {
    const few = fc.record({ timeline: fc.integer({ min: 1, max: 2 }), number: fc.integer({ min: 0, max: 30 }) });
    fc.assert(
      fc.property(fc.array(few, { maxLength: 40 }), fc.integer({ min: 1, max: 8 }), (segments, most) => {
        const ranges = rangesOf(segments, most);
        const names = (all: typeof segments): string[] => [...new Set(all.map(nameOfSegment))].sort();
        expect(ranges.flatMap(segmentsIn).map(nameOfSegment)).toEqual(names(segments));
        expect(ranges.every(({ first, last }) => last - first < most)).toBe(true);
      }),
    );
  });
});
