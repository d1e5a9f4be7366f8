interface Batches {
  /** How many rows a batch has. */
  readonly size: number;
  /** The highest number of batches; the rest waits for the next run. The default is no limit. */
  readonly most?: number;
  /** Ends the work between two batches. */
  readonly stopping?: AbortSignal | undefined;
}

/**
 * Repeats work that removes its own rows, such as a deletion, until a batch is not full. `work` handles up to `limit`
 * rows and returns how many it handled.
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
 * Reads rows batch by batch in the order of a key, so that rows which remain are visited only once. `read` returns up
 * to `limit` rows after the last one of the previous batch.
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
