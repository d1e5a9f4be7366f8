import { gatherer } from './gather.js';

describe('gatherer', () => {
  it('sends the requests of one turn together, in their order, and gives each its own answer', async () => {
    const sent: number[][] = [];
    const double = gatherer<number, number>(100, (requests) => {
      sent.push([...requests]);
      return Promise.resolve(requests.map((request) => request * 2));
    });
    expect(await Promise.all([1, 2, 3].map(double))).toEqual([2, 4, 6]);
    expect(await double(4)).toBe(8);
    expect(sent).toEqual([[1, 2, 3], [4]]);
  });

  it('limits the size of a batch', async () => {
    const sizes: number[] = [];
    const same = gatherer<number, number>(2, (requests) => {
      sizes.push(requests.length);
      return Promise.resolve(requests);
    });
    expect(await Promise.all([1, 2, 3, 4, 5].map(same))).toEqual([1, 2, 3, 4, 5]);
    expect(sizes).toEqual([2, 2, 1]);
  });

  it('fails each request of a batch that fails, and only those', async () => {
    let fails = true;
    const send = gatherer<number, number>(100, (requests) =>
      fails ? Promise.reject(new Error('away')) : Promise.resolve(requests),
    );
    expect((await Promise.allSettled([send(1), send(2)])).map(({ status }) => status)).toEqual([
      'rejected',
      'rejected',
    ]);
    fails = false;
    expect(await send(3)).toBe(3);
  });
});
