import { Turns } from './turns.js';

describe('turns', () => {
  it('run at most the given number of tasks at once, in order, and continue after a failure', async () => {
    const turns = new Turns({ atOnce: 2, mostWaiting: 100 });
    const began: number[] = [];
    let running = 0;
    let most = 0;
    const works = Array.from({ length: 8 }, (_, index) =>
      turns.take(async () => {
        began.push(index);
        most = Math.max(most, ++running);
        await new Promise((resolve) => {
          setTimeout(resolve, 2);
        });
        running -= 1;
        if (index % 3 === 0) throw new Error('failed');
      }),
    );
    const ends = await Promise.allSettled(works);
    expect(ends.filter(({ status }) => status === 'rejected')).toHaveLength(3);
    expect([most, began]).toEqual([2, [0, 1, 2, 3, 4, 5, 6, 7]]);
    await expect(turns.take(() => Promise.resolve('free'))).resolves.toBe('free');
  });

  it('refuse a task when the given number is waiting', async () => {
    const turns = new Turns({ atOnce: 1, mostWaiting: 1 });
    const works = Array.from({ length: 3 }, () =>
      turns.take(
        () =>
          new Promise((resolve) => {
            setTimeout(resolve, 2);
          }),
      ),
    );
    const ends = await Promise.allSettled(works);
    expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
    expect(ends[2]).toMatchObject({ reason: { code: 'service_unavailable' } });
  });
});
