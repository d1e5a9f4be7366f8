/** What followers of a run see, in the order in which it happened. */
export const RUN_EVENT_TYPES = [
  'run.queued',
  'run.started',
  'run.waiting',
  'run.resumed',
  'run.succeeded',
  'run.failed',
  'run.cancelled',
  'run.timed_out',
  'step.started',
  'step.ended',
  'call.proposed',
  'call.awaiting_approval',
  'call.approved',
  'call.started',
  'call.ended',
  'child.started',
  'budget.raised',
  'message.received',
] as const;
export type RunEventType = (typeof RUN_EVENT_TYPES)[number];

export interface NewRunEvent {
  readonly type: RunEventType;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface RunEvent extends NewRunEvent {
  readonly seq: number;
  readonly at: Date;
}
