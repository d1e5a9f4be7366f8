import fc from 'fast-check';
import { APP_LOG_LEVELS, levelOf } from './log-level.js';

describe('the level of a line', () => {
  it.each([
    ['stdout', 'hello', 'info'],
    ['stderr', 'hello', 'error'],
    ['system', '{"level":"info"}', 'system'],
    ['stdout', '{"level":"error","msg":"x"}', 'error'],
    ['stderr', '{"level": "warn"}', 'warn'],
    ['stdout', '{"time":1,"level":50,"msg":"x"}', 'error'],
    ['stderr', '{"level":30}', 'info'],
    ['stdout', '{"severity":"WARNING"}', 'warn'],
    ['stdout', '{"level":"Debug"}', 'debug'],
    ['stdout', '{"level":"loud"}', 'info'],
    ['stdout', '{"level":500}', 'info'],
    ['stdout', '{"level":"constructor"}', 'info'],
    ['stderr', '"level":"info"', 'error'],
  ] as const)('%s %s is %s', (stream, text, level) => {
    expect(levelOf(stream, text)).toBe(level);
  });

  it('is searched near the beginning of a line only', () => {
    expect(levelOf('stdout', `{"msg":"${'x'.repeat(600)}","level":"error"}`)).toBe('info');
  });

  it('is one of the levels for any text', () => {
    const part = fc.oneof(fc.constantFrom('{', '"level":', '"severity":', '"', '__proto__', '10'), fc.string());
    fc.assert(
      fc.property(fc.constantFrom('stdout', 'stderr'), fc.array(part), (stream, parts) => {
        expect(APP_LOG_LEVELS).toContain(levelOf(stream as 'stdout', parts.join('')));
      }),
    );
  });
});
