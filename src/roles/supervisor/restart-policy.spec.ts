import { RestartPolicy } from './restart-policy.js';

describe('RestartPolicy', () => {
  it('restarts at once after one crash, backs off after more, and gives up at the fifth in a minute', () => {
    const policy = new RestartPolicy();
    const delays = [0, 1_000, 2_000, 3_000, 4_000].map((at) => policy.died(at)?.delayMs);
    expect(delays).toEqual([50, 200, 800, 3_200, undefined]);
  });

  it('forgets a crash after a minute', () => {
    const policy = new RestartPolicy();
    for (let death = 0; death < 20; death++) expect(policy.died(death * 61_000)).toEqual({ delayMs: 50 });
    const slow = new RestartPolicy();
    for (let death = 0; death < 20; death++) expect(slow.died(death * 16_000)).toBeDefined();
  });
});
