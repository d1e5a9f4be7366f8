import { batchesOf, inBatches } from './in-batches.js';

describe('inBatches', () => {
  const deleting = (rows: number) => {
    const limits: number[] = [];
    return {
      limits,
      work: (limit: number): Promise<number> => {
        limits.push(limit);
        const deleted = Math.min(rows, limit);
        rows -= deleted;
        return Promise.resolve(deleted);
      },
    };
  };

  it('continues until a batch is not full', async () => {
    const { work, limits } = deleting(25);
    await inBatches(work, { size: 10 });
    expect(limits).toEqual([10, 10, 10]);
  });

  it('stops after the highest number of batches', async () => {
    const { work, limits } = deleting(100);
    await inBatches(work, { size: 10, most: 4 });
    expect(limits).toHaveLength(4);
  });

  it('ends after the batch during which it was stopped', async () => {
    const { work, limits } = deleting(100);
    const stopping = new AbortController();
    await inBatches(
      (limit) => {
        if (limits.length === 1) stopping.abort();
        return work(limit);
      },
      { size: 10, stopping: stopping.signal },
    );
    expect(limits).toHaveLength(2);
  });
});

describe('batchesOf', () => {
  const rows = [1, 2, 3, 4, 5, 6];
  const read = (last = 0, limit: number): Promise<number[]> =>
    Promise.resolve(rows.filter((row) => row > last).slice(0, limit));
  const all = async (batches: AsyncIterable<number[]>): Promise<number[][]> => {
    const seen: number[][] = [];
    for await (const batch of batches) seen.push(batch);
    return seen;
  };

  it('reads every row once, in order', async () => {
    expect(await all(batchesOf(read, { size: 4 }))).toEqual([
      [1, 2, 3, 4],
      [5, 6],
    ]);
  });

  it('yields no empty batch when the last one was full', async () => {
    expect(await all(batchesOf(read, { size: 3 }))).toEqual([
      [1, 2, 3],
      [4, 5, 6],
    ]);
  });

  it('reads nothing more once it was stopped', async () => {
    const stopping = new AbortController();
    const batches = batchesOf(read, { size: 2, stopping: stopping.signal });
    await batches.next();
    stopping.abort();
    expect((await batches.next()).done).toBe(true);
  });
});
