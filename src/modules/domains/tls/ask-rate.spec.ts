import { AskRate } from './ask-rate.js';

describe('the rate of questions about certificates', () => {
  it('is bounded, and recovers with time', () => {
    let nowMs = 0;
    const rate = new AskRate(() => nowMs);
    const taken = (count: number): number => Array.from({ length: count }, () => rate.take()).filter(Boolean).length;
    expect(taken(1_000)).toBe(200);
    expect(taken(1_000)).toBe(0);
    nowMs += 1_000;
    expect(taken(1_000)).toBe(50);
    nowMs += 3_600_000;
    expect(taken(1_000)).toBe(200);
  });
});
