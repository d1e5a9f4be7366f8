/** The states of a deploy in order. The last four are final. */
export const DEPLOY_STATES = [
  'queued',
  'initializing',
  'building',
  'deploying',
  'ready',
  'error',
  'canceled',
  'skipped',
] as const;
export type DeployState = (typeof DEPLOY_STATES)[number];

export const DEPLOY_TYPES = ['preview', 'production'] as const;
export type DeployType = (typeof DEPLOY_TYPES)[number];

/** All transitions except the one to {@link HANDED_BACK}. */
const NEXT: Readonly<Record<DeployState, readonly DeployState[]>> = {
  queued: ['initializing', 'error', 'canceled', 'skipped'],
  initializing: ['building', 'error', 'canceled'],
  building: ['deploying', 'error', 'canceled'],
  deploying: ['ready', 'error', 'canceled'],
  ready: [],
  error: [],
  canceled: [],
  skipped: [],
};

/**
 * A worker holds the lease of the deploy. When the lease is lost or handed back, the deploy is `queued` again, with a
 * further attempt.
 */
export const RUNNING_STATES: readonly DeployState[] = ['initializing', 'building', 'deploying'];

export const HANDED_BACK: DeployState = 'queued';

export const isOver = (state: DeployState): boolean => NEXT[state].length === 0;

/** The states that are not final. */
export const ACTIVE_STATES: readonly DeployState[] = DEPLOY_STATES.filter((state) => !isOver(state));

export const leadsTo = (from: DeployState, to: DeployState): boolean => NEXT[from].includes(to);

/** The states from which there is a transition to this one. */
export const sourcesOf = (to: DeployState): DeployState[] => DEPLOY_STATES.filter((from) => leadsTo(from, to));
