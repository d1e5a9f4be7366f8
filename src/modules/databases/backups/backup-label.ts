import { SEGMENT_BYTES, segmentOf, type WalSegment } from './wal-segments.js';

const START = /^START WAL LOCATION: [0-9A-F]{1,8}\/[0-9A-F]{1,8} \(file ([0-9A-F]{24})\)$/m;
const LSN = /^([0-9A-F]{1,8})\/([0-9A-F]{1,8})$/;
const LONGEST = 4_096;

/** Returns the first segment that a backup needs, which its `backup_label` names. @throws {Error} */
export function startOf(label: string): WalSegment {
  const segment = label.length > LONGEST ? undefined : segmentOf(START.exec(label)?.[1] ?? '');
  if (segment === undefined) throw new Error('The label of a backup is not as PostgreSQL writes it.');
  return segment;
}

/** Returns the number of the segment that holds the last byte before a position. @throws {Error} */
export function segmentBefore(lsn: string): number {
  const [, high, low] = LSN.exec(lsn) ?? [];
  if (high === undefined || low === undefined) throw new Error('A position of the log is not as PostgreSQL writes it.');
  const position = BigInt(`0x${high}`) * 0x1_0000_0000n + BigInt(`0x${low}`);
  return position === 0n ? 0 : Number((position - 1n) / BigInt(SEGMENT_BYTES));
}
