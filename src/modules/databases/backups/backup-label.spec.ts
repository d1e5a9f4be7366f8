import { segmentBefore, startOf } from './backup-label.js';

const LABEL = `START WAL LOCATION: 0/1300028 (file 000000020000000000000013)
CHECKPOINT LOCATION: 0/1300080
BACKUP METHOD: streamed
BACKUP FROM: primary
START TIME: 2026-12-01 09:00:00 UTC
LABEL: service
START TIMELINE: 2
`;

describe('startOf', () => {
  it('reads the segment that a backup begins in', () => {
    expect(startOf(LABEL)).toEqual({ timeline: 2, number: 0x13 });
  });

  it.each(['', 'START WAL LOCATION: 0/1 (file x)', LABEL + 'x'.repeat(5_000)])('refuses other text', (label) => {
    expect(() => startOf(label)).toThrow('label');
  });
});

describe('segmentBefore', () => {
  it('counts a position at the begin of a segment to the one before', () => {
    expect(['0/1300000', '0/1300001', '1/0', '1/1'].map(segmentBefore)).toEqual([0x12, 0x13, 4_095, 4_096]);
    expect(() => segmentBefore('0/xyz')).toThrow('position');
  });
});
