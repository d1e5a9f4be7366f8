import type { ExecutionStatus } from './sandbox-runtime.js';

const LIVE_STATES = ['queued', 'running'] as const;

/**
 * The states of an organization's execution. It is queued, runs, and ends once: with the status of its run, or with
 *
 * - `cancelled`: a caller cancelled it, or the caller that waited for it hung up,
 * - `lost`: the platform lost it, for example because its worker died. Whether the code ran is unknown.
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
