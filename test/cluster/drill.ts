import { onThisMachine } from '../support/patience.js';
import type { App } from './apps.js';
import type { NotifiedOrganization } from './bookkeeping.js';
import type { Caller } from './caller.js';
import type { Cluster } from './cluster.js';

/** What all drills use: they run one after the other in one cluster. */
export interface Field {
  readonly cluster: Cluster;
  readonly caller: Caller;
  /** Whose jobs are counted. */
  readonly notified: readonly NotifiedOrganization[];
  readonly apps: { readonly site: App; readonly server: App };
}

export interface DrillResult {
  /** How much was done. */
  readonly count: string;
  /** What came of it. */
  readonly figures: string;
  /** What broke the law of the drill. */
  readonly violations: readonly string[];
}

/** At full size the bounds are those of the drill; the short forms run beside other tests. */
export const allowedMs = (ms: number): number => (process.env['CLUSTER_FULL'] === '1' ? ms : onThisMachine(ms));

/** The first few of many. */
export const some = (violations: readonly string[]): string[] =>
  violations.length <= 8 ? [...violations] : [...violations.slice(0, 8), `and ${violations.length - 8} more`];

export const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
