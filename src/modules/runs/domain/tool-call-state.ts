import type { EffectClass } from '../../agents/agent-tool.js';

export const TOOL_CALL_STATES = [
  'proposed',
  'awaiting_approval',
  'authorised',
  'executing',
  'succeeded',
  'failed',
  'denied',
  'expired',
  'outcome_unknown',
] as const;
export type ToolCallState = (typeof TOOL_CALL_STATES)[number];

const NEXT: Readonly<Record<ToolCallState, readonly ToolCallState[]>> = {
  proposed: ['awaiting_approval', 'authorised', 'failed'],
  awaiting_approval: ['authorised', 'denied', 'expired', 'failed'],
  // What the call waits for may make it unnecessary to execute, and later text may make it need approval.
  authorised: ['executing', 'awaiting_approval', 'succeeded', 'failed'],
  // A call that ran out of money goes back.
  executing: ['succeeded', 'failed', 'outcome_unknown', 'authorised'],
  // A person says what has happened.
  outcome_unknown: ['succeeded', 'failed'],
  succeeded: [],
  failed: [],
  denied: [],
  expired: [],
};

/** Returns true when the diagram of the states has this arrow. */
export const canFollow = (from: ToolCallState, to: ToolCallState): boolean => NEXT[from].includes(to);

/** What a call that waits without a decision of a person waits for. */
export type ToolCallWait = 'answer' | 'children' | 'timer' | 'unknown_outcome';

export interface RunToolCall {
  readonly id: string;
  readonly orgId: string;
  readonly runId: string;
  readonly step: number;
  /** Its place among the calls of the step, from 0. */
  readonly place: number;
  /** What the model calls it. */
  readonly modelCallId: string;
  readonly tool: string;
  readonly effect: EffectClass;
  readonly effectKey: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly state: ToolCallState;
  readonly waitingFor: ToolCallWait | null;
  readonly wakesAt: Date | null;
  readonly output: unknown;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly startedAt: Date | null;
  readonly endedAt: Date | null;
}

/** True when nothing more happens to the call, so that the model can be given its result. */
export const isCallOver = ({ state, waitingFor }: Pick<RunToolCall, 'state' | 'waitingFor'>): boolean =>
  state === 'outcome_unknown' ? waitingFor === null : NEXT[state].length === 0;
