import { AsyncLocalStorage } from 'node:async_hooks';
import { GatheringWriter, type Outcome } from './gathering-writer.js';

interface Request {
  readonly key: string;
  readonly number: number;
}
interface Batch {
  readonly numbers: readonly number[];
  readonly finish: (fails?: boolean) => void;
}

const turn = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

/** A writer of batches of two whose batches end when the test says so. */
function writerOf(lanes = 1): { writer: GatheringWriter<Request, number>; batches: Batch[] } {
  const batches: Batch[] = [];
  const write = (requests: readonly Request[]): Promise<Outcome<number>[]> =>
    new Promise((resolve, reject) => {
      batches.push({
        numbers: requests.map(({ number }) => number),
        finish: (fails = false) => {
          if (fails) reject(new Error('lost'));
          else resolve(requests.map(({ number }) => ({ answer: number * 10 })));
        },
      });
    });
  return {
    writer: new GatheringWriter({ keyOf: ({ key }) => key, lanes, writersOfLane: 2, maxBatch: 2, write }),
    batches,
  };
}

const numbers = ({ numbers: of }: Batch): readonly number[] => of;

describe('a gathering writer', () => {
  it('batches requests of the same turn, and later requests with the next batch', async () => {
    const { writer, batches } = writerOf();
    const first = writer.write({ key: 'a', number: 1 });
    await turn();
    const second = writer.write({ key: 'a', number: 2 });
    await turn();
    expect(batches.map(numbers)).toEqual([[1]]);
    batches[0]!.finish();
    expect(await first).toBe(10);
    await turn();
    expect(batches.map(numbers)).toEqual([[1], [2]]);
    batches[1]!.finish();
    expect(await second).toBe(20);
  });

  it('starts a second batch beside the first when a whole one waits, and never a third', async () => {
    const { writer, batches } = writerOf();
    const answers = [1, 2, 3, 4, 5, 6].map((number) => writer.write({ key: 'a', number }));
    await turn();
    await turn();
    expect(batches.map(numbers)).toEqual([
      [1, 2],
      [3, 4],
    ]);
    batches[1]!.finish();
    await turn();
    expect(batches.map(numbers)).toEqual([
      [1, 2],
      [3, 4],
      [5, 6],
    ]);
    for (const { finish } of batches) finish();
    expect(await Promise.all(answers)).toEqual([10, 20, 30, 40, 50, 60]);
  });

  it('retries a failed batch request by request and answers each once', async () => {
    const { writer, batches } = writerOf();
    const answers = [1, 2, 3, 4].map((number) => writer.write({ key: 'a', number }));
    const settled = Promise.allSettled(answers);
    await turn();
    await turn();
    batches[0]!.finish(true);
    batches[1]!.finish();
    await turn();
    expect(batches.slice(2).map(numbers)).toEqual([[1]]);
    batches[2]!.finish(true);
    await turn();
    expect(batches.slice(3).map(numbers)).toEqual([[2]]);
    batches[3]!.finish();
    expect((await settled).map((result) => (result.status === 'fulfilled' ? result.value : 'lost'))).toEqual([
      'lost',
      20,
      30,
      40,
    ]);
  });

  it('writes a batch in the context of none of its callers', async () => {
    const context = new AsyncLocalStorage<string>();
    const seen: (string | undefined)[] = [];
    const writer = new GatheringWriter<Request, number>({
      keyOf: ({ key }) => key,
      ...{ lanes: 1, writersOfLane: 1, maxBatch: 2 },
      write: (requests) => {
        seen.push(context.getStore());
        return Promise.resolve(requests.map(({ number }) => ({ answer: number })));
      },
    });
    const answer = await context.run('of the first', () => writer.write({ key: 'a', number: 1 }));
    expect([answer, seen]).toEqual([1, [undefined]]);
  });
});
