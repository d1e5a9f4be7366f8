interface Batches {
  /** Rows at a time. */
  readonly size: number;
  /** At most so many batches; the rest has time until the next run. Left out, until nothing is left. */
  readonly most?: number;
  /** Ends the work between two batches. */
  readonly stopping?: AbortSignal | undefined;
}

/**
 * Repeats work that takes its own rows away, such as a deletion, until a batch is not full. `work` handles up to `limit`
 * rows and answers how many there were.
 */
export async function inBatches(
  work: (limit: number) => Promise<number>,
  { size, most = Infinity, stopping }: Batches,
): Promise<void> {
  for (let batch = 0; batch < most && stopping?.aborted !== true; batch++) {
    if ((await work(size)) < size) return;
  }
}

/**
 * Reads rows batch by batch in the order of a key, so that rows which stay are passed once. `read` answers up to `limit`
 * rows after the last one of the batch before.
 */
export async function* batchesOf<Row>(
  read: (last: Row | undefined, limit: number) => Promise<Row[]>,
  { size, stopping }: Omit<Batches, 'most'>,
): AsyncGenerator<Row[]> {
  for (let last: Row | undefined; stopping?.aborted !== true;) {
    const rows = await read(last, size);
    if (rows.length > 0) yield rows;
    if (rows.length < size) return;
    last = rows.at(-1);
  }
}
