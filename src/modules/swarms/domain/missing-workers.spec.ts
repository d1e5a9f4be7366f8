import { missingWorkers } from './missing-workers.js';

const workers = [
  { agentId: 'a', count: 2 },
  { agentId: 'b', count: 1 },
];
const of = (...agentIds: string[]): { agentId: string }[] => agentIds.map((agentId) => ({ agentId }));

describe('missingWorkers', () => {
  it.each([
    ['nothing to do', [], 0, []],
    ['one task', [], 1, ['a']],
    ['more tasks than workers', [], 9, ['a', 'a', 'b']],
    ['some are running', of('a'), 3, ['a', 'b']],
    ['enough are running', of('a', 'b'), 2, []],
    ['more are running than there are tasks', of('a', 'b'), 1, []],
    ['all are running', of('a', 'a', 'b'), 9, []],
    ['an agent has more runs than it should', of('b', 'b'), 4, ['a', 'a']],
  ])('%s', (_name, active, tasks, expected) => {
    expect(missingWorkers(workers, { active, tasks })).toEqual(expected);
  });
});
