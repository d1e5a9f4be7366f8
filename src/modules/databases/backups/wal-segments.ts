/** The size of a segment, which `initdb --wal-segsize=1` has set for every cluster. */
export const SEGMENT_BYTES = 1_048_576;

/** The middle part of a name counts 4 GiB of log. */
const SEGMENTS_PER_LOG = 0x1_0000_0000 / SEGMENT_BYTES;

const NAME = /^([0-9A-F]{8})([0-9A-F]{8})([0-9A-F]{8})$/;

/** One file of the write-ahead log of a cluster. Numbers of a timeline follow each other without gaps. */
export interface WalSegment {
  readonly timeline: number;
  readonly number: number;
}

/** Returns undefined for anything but the name of a whole segment, such as a backup's label or a partial segment. */
export function segmentOf(name: string): WalSegment | undefined {
  const [, timeline, log, segment] = NAME.exec(name) ?? [];
  if (timeline === undefined || log === undefined || segment === undefined) return undefined;
  const inLog = Number.parseInt(segment, 16);
  if (inLog >= SEGMENTS_PER_LOG || timeline === '00000000') return undefined;
  return { timeline: Number.parseInt(timeline, 16), number: Number.parseInt(log, 16) * SEGMENTS_PER_LOG + inLog };
}

export function nameOfSegment({ timeline, number }: WalSegment): string {
  return [timeline, Math.floor(number / SEGMENTS_PER_LOG), number % SEGMENTS_PER_LOG]
    .map((part) => part.toString(16).toUpperCase().padStart(8, '0'))
    .join('');
}

/** Segments of one timeline that follow each other, from `first` to `last`. */
export interface WalRange {
  readonly timeline: number;
  readonly first: number;
  readonly last: number;
}

/** Puts segments into ranges without gaps, each of at most `most` segments. */
export function rangesOf(segments: readonly WalSegment[], most: number): WalRange[] {
  const sorted = [...segments].sort((one, other) => one.timeline - other.timeline || one.number - other.number);
  const ranges: { timeline: number; first: number; last: number }[] = [];
  for (const { timeline, number } of sorted) {
    const range = ranges.at(-1);
    if (range?.timeline !== timeline || number > range.last + 1 || number - range.first >= most)
      ranges.push({ timeline, first: number, last: number });
    else range.last = Math.max(range.last, number);
  }
  return ranges;
}

export const segmentsIn = ({ timeline, first, last }: WalRange): WalSegment[] =>
  Array.from({ length: last - first + 1 }, (_, index) => ({ timeline, number: first + index }));
