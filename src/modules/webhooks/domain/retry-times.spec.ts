import { MAX_ATTEMPTS, nextAttemptAt } from './retry-times.js';

describe('the attempts of a delivery', () => {
  it('wait longer each time, for about a day in all', () => {
    let now = new Date(0);
    const waits: number[] = [];
    for (let attempts = 1; attempts < MAX_ATTEMPTS; attempts++) {
      const next = nextAttemptAt(attempts, now)!;
      waits.push(next.getTime() - now.getTime());
      now = next;
    }
    expect(waits).toEqual([...waits].sort((one, other) => one - other));
    expect(now.getTime() / 3_600_000).toBeGreaterThan(23);
    expect(now.getTime() / 3_600_000).toBeLessThan(24);
  });

  it('end', () => {
    expect(nextAttemptAt(MAX_ATTEMPTS, new Date())).toBeUndefined();
  });
});
