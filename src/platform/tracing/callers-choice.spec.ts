import { CallersChoice } from './callers-choice.js';

it('lets callers have 20 traces recorded a second', () => {
  const choice = new CallersChoice();
  const taken = (nowMs: number): number => Array.from({ length: 50 }, () => choice.take(nowMs)).filter(Boolean).length;
  expect([taken(1_000), taken(1_999), taken(2_000)]).toEqual([20, 0, 20]);
});
