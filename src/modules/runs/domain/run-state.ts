export const RUN_STATES = ['queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelled', 'timed_out'] as const;
export type RunState = (typeof RUN_STATES)[number];

/** What a run waits for. */
export const RUN_WAITS = ['approval', 'answer', 'children', 'timer', 'budget', 'unknown_outcome'] as const;
export type RunWait = (typeof RUN_WAITS)[number];

const OVER: readonly RunState[] = ['succeeded', 'failed', 'cancelled', 'timed_out'];
export const isRunOver = (state: RunState): boolean => OVER.includes(state);

/** How a run began. */
export const RUN_TRIGGERS = ['api', 'schedule', 'swarm', 'agent'] as const;
export type RunTrigger = (typeof RUN_TRIGGERS)[number];
