import type { SiblingProcess } from '../../platform/lifecycle/sibling-processes.js';

/** The messages between the supervisor and its processes, over the IPC channel of Node. */
export type ToProcess =
  /** The database is migrated. Until then, the process only loads its code. */
  | { readonly kind: 'begin' }
  | { readonly kind: 'stop'; readonly atOnce: boolean; readonly elapsedMs: number }
  | { readonly kind: 'siblings'; readonly states: Readonly<Record<string, SiblingProcess>> }
  /** The process replies with `metrics`. */
  | { readonly kind: 'report_metrics'; readonly request: number }
  | { readonly kind: 'collected_metrics'; readonly request: number; readonly texts: readonly string[] };

export type FromProcess =
  /** The database is migrated, so the other processes may use it. */
  | { readonly kind: 'migrated' }
  | {
      readonly kind: 'ready';
      readonly address: string;
      readonly appsAddress?: string;
      readonly databasesAddress?: string;
    }
  /** A message for the operator; the process exits after it. */
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'metrics'; readonly request: number; readonly text: string }
  /** Requests the metrics of all other processes; the supervisor replies with `collected_metrics`. */
  | { readonly kind: 'collect_metrics'; readonly request: number };
