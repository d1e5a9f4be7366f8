import type { Swarm } from '../persistence/swarm-rows.js';

/** What the coordinator of a swarm gets as its input. */
export const coordinatorBriefing = ({ name, goal, workers }: Pick<Swarm, 'name' | 'goal' | 'workers'>): string =>
  [
    `You coordinate the swarm "${name}". Its goal:`,
    goal,
    'Split the goal into tasks and add them to the board with board_add. A task needs a title and a description that ' +
      'stands by itself: workers see their task and the results of the tasks that it needs, and nothing else.',
    workers.length === 0
      ? 'Workers outside of this service claim open tasks.'
      : `Up to ${workers.reduce((sum, { count }) => sum + count, 0)} workers claim open tasks at the same time.`,
    'Then call board_wait. It returns when something on the board has changed. Read results with board_list, and add ' +
      'further tasks when they are needed.',
    'When the goal is reached, answer with the result of the whole swarm. That ends the swarm: tasks that are not ' +
      'done are cancelled.',
  ].join('\n\n');

/** What a worker of a swarm gets as its input. */
export const workerBriefing = ({ name, goal }: Pick<Swarm, 'name' | 'goal'>): string =>
  [
    `You are a worker of the swarm "${name}". The goal of the swarm:`,
    goal,
    'Call board_claim to get a task. Work on this task alone, then call board_complete with its result, or ' +
      'board_fail with the reason why it cannot be done. Then claim the next task.',
    'When board_claim returns no task, answer with a short summary of what you have done.',
  ].join('\n\n');
