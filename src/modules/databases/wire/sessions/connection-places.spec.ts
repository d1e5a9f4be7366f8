import fc from 'fast-check';
import { ConnectionPlaces } from './connection-places.js';

describe('ConnectionPlaces', () => {
  it('refuses with 53300 when no place was given back in time', async () => {
    const places = new ConnectionPlaces();
    const release = await places.take('db', 1);
    await expect(places.take('db', 1, 1)).rejects.toMatchObject({ code: '53300' });
    await expect(places.take('other', 1, 1)).resolves.toBeDefined();
    release();
    release();
    expect(places.takenOf('db')).toBe(0);
    await expect(places.take('db', 1, 1)).resolves.toBeDefined();
  });

  it('never gives more places than the limit, and serves those who wait in their order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 12 }), async (limit, callers) => {
        const places = new ConnectionPlaces();
        const order: number[] = [];
        let taken = 0;
        await Promise.all(
          Array.from({ length: callers }, async (_, caller) => {
            const release = await places.take('db', limit);
            order.push(caller);
            taken += 1;
            expect(taken).toBeLessThanOrEqual(limit);
            await new Promise(setImmediate);
            taken -= 1;
            release();
          }),
        );
        expect(order).toEqual([...order].sort((a, b) => a - b));
        expect(places.takenOf('db')).toBe(0);
      }),
      { numRuns: 30 },
    );
  });
});
