import type { ExecutionStatus } from './sandbox-runtime.js';

const LIVE_STATES = ['queued', 'running'] as const;

/**
 * How an execution of an organization stands. It is queued, runs, and then ends once, as its run ended or as one of
 *
 * - `cancelled`: somebody cancelled it, or the caller who waited for it hung up,
 * - `lost`: the platform lost it, with its worker for one. Whether the code ran is not known.
 */
export const EXECUTION_STATES = [
  ...LIVE_STATES,
  'succeeded',
  'failed',
  'timed_out',
  'out_of_memory',
  'output_limit',
  'cancelled',
  'lost',
] as const satisfies readonly ((typeof LIVE_STATES)[number] | ExecutionStatus | 'cancelled' | 'lost')[];

export type ExecutionState = (typeof EXECUTION_STATES)[number];

export const isOver = (state: ExecutionState): boolean => !(LIVE_STATES as readonly ExecutionState[]).includes(state);
