/** A partition as PostgreSQL has it. */
interface Partition {
  readonly name: string;
  /** Included; undefined for the partition of everything before `end`. */
  readonly start: string | undefined;
  /** Excluded. */
  readonly end: string;
}

export interface Partitions {
  /** The partitions with bounds, in their order. */
  readonly ofMonths: readonly Partition[];
  /** The partition of what no other one takes, if there is one. */
  readonly rest: string | undefined;
}

const BOUNDS = /^FOR VALUES FROM \((MINVALUE|'[^']+')\) TO \('([^']+)'\)$/;

/** @throws {Error} for bounds that the service never makes. */
export function readPartitions(rows: readonly { readonly name: string; readonly bound: string }[]): Partitions {
  const ofMonths: Partition[] = [];
  let rest: string | undefined;
  for (const { name, bound } of rows) {
    if (bound === 'DEFAULT') {
      rest = name;
      continue;
    }
    const found = BOUNDS.exec(bound);
    if (found === null) throw new Error(`The partition ${name} has bounds that the service does not know.`);
    const [, start, end] = found as unknown as [string, string, string];
    ofMonths.push({ name, start: start === 'MINVALUE' ? undefined : start.slice(1, -1), end });
  }
  return { ofMonths: ofMonths.sort((a, b) => (a.end < b.end ? -1 : 1)), rest };
}

/** Returns true when one of the partitions takes a key. */
export const areTaken = ({ ofMonths }: Partitions, key: string): boolean =>
  ofMonths.some(({ start, end }) => (start === undefined || start <= key) && key < end);
