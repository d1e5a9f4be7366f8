const LIVE_SESSION_STATES = ['starting', 'awake', 'frozen'] as const;

/**
 * The states of a session. It starts, is awake while it is used and frozen in between, and ends once. `lost` means that
 * its worker is gone.
 */
export const SESSION_STATES = [...LIVE_SESSION_STATES, 'ended', 'lost'] as const;
export type SessionState = (typeof SESSION_STATES)[number];

/** Why a session ended. */
export const SESSION_ENDS = [
  'requested',
  'idle',
  'expired',
  'out_of_memory',
  'failed',
  'not_started',
  'org_deleted',
  'worker_stopped',
  'worker_lost',
] as const;
export type SessionEnd = (typeof SESSION_ENDS)[number];

export const isLiveSession = (state: SessionState): boolean =>
  (LIVE_SESSION_STATES as readonly SessionState[]).includes(state);
