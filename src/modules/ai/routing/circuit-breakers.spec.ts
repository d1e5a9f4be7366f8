import fc from 'fast-check';
import { CircuitBreaker } from './circuit-breakers.js';

describe('a circuit breaker', () => {
  it('opens for 15 s when half of at least ten attempts failed within 30 s', () => {
    const breaker = new CircuitBreaker();
    for (let at = 0; at < 9; at++) breaker.end('failed', at * 100);
    expect(breaker.begin(900)).toBe(true);
    breaker.end('failed', 1_000);
    expect([breaker.begin(1_000), breaker.begin(15_999), breaker.waitMs(1_000)]).toEqual([false, false, 15_000]);
    expect(breaker.begin(16_000)).toBe(true);
  });

  it('stays closed when fewer than half failed, or long ago', () => {
    const breaker = new CircuitBreaker();
    for (let at = 0; at < 100; at++) breaker.end(at % 5 < 2 ? 'failed' : 'succeeded', at);
    expect(breaker.isOpen).toBe(false);
    const old = new CircuitBreaker();
    for (let at = 0; at < 9; at++) old.end('failed', at);
    old.end('failed', 40_000);
    expect(old.isOpen).toBe(false);
  });

  it('lets one attempt through after that, which decides', () => {
    const openAt0 = (): CircuitBreaker => {
      const breaker = new CircuitBreaker();
      for (let count = 0; count < 10; count++) breaker.end('failed', 0);
      return breaker;
    };
    const good = openAt0();
    expect([good.begin(15_000), good.begin(15_000)]).toEqual([true, false]);
    good.end('succeeded', 15_100);
    expect([good.isOpen, good.begin(15_100), good.begin(15_100)]).toEqual([false, true, true]);
    const bad = openAt0();
    bad.begin(15_000);
    bad.end('failed', 15_100);
    expect([bad.begin(30_000), bad.begin(30_100)]).toEqual([false, true]);
    const left = openAt0();
    left.begin(15_000);
    left.end('unknown', 15_100);
    expect(left.begin(15_100)).toBe(true);
  });

  it('never stays closed to a model that works again, whatever happened before', () => {
    const step = fc.record({
      afterMs: fc.integer({ min: 0, max: 20_000 }),
      outcome: fc.constantFrom(...(['succeeded', 'failed', 'unknown', 'never'] as const)),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const breaker = new CircuitBreaker();
        let nowMs = 0;
        for (const { afterMs, outcome } of steps) {
          nowMs += afterMs;
          const wait = breaker.waitMs(nowMs);
          expect(wait).toBeLessThanOrEqual(15_000);
          const mayBegin = breaker.begin(nowMs);
          expect(mayBegin).toBe(wait === 0);
          if (mayBegin && outcome !== 'never') breaker.end(outcome, nowMs);
        }
        nowMs += 15_000;
        expect(breaker.begin(nowMs)).toBe(true);
        breaker.end('succeeded', nowMs);
        // Failures of before may still count while it was closed, but never for longer than the window.
        expect(breaker.begin(nowMs + 45_000)).toBe(true);
      }),
    );
  });
});
