import { poolSize } from './pool-size.js';

describe('the size of a pool', () => {
  it('follows the runs that may come at once', () => {
    expect(poolSize({ concurrency: 2, capacity: Infinity, pools: 2, templates: 0 })).toBe(3);
    expect(poolSize({ concurrency: 16, capacity: 256, pools: 2, templates: 0 })).toBe(17);
  });

  it('leaves room for templates and those that replace them', () => {
    expect(poolSize({ concurrency: 4, capacity: 14, pools: 2, templates: 1 })).toBe(3);
    expect(poolSize({ concurrency: 4, capacity: 256, pools: 2, templates: 1 })).toBe(5);
  });

  it('leaves room for the runs themselves where few sandboxes may live', () => {
    expect(poolSize({ concurrency: 4, capacity: 14, pools: 2, templates: 0 })).toBe(4);
    expect(poolSize({ concurrency: 8, capacity: 14, pools: 2, templates: 0 })).toBe(2);
    expect(poolSize({ concurrency: 14, capacity: 14, pools: 2, templates: 0 })).toBe(0);
  });
});
