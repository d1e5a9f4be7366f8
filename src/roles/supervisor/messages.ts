import type { SiblingProcess } from '../../platform/lifecycle/sibling-processes.js';

/** What the supervisor and its processes tell each other, over the channel that Node opens for a child. */
export type ToProcess =
  /** The database is up to date. Until then the process only loads its code. */
  | { readonly kind: 'begin' }
  | { readonly kind: 'stop'; readonly atOnce: boolean; readonly elapsedMs: number }
  | { readonly kind: 'siblings'; readonly states: Readonly<Record<string, SiblingProcess>> }
  /** To be answered with `metrics`. */
  | { readonly kind: 'report_metrics'; readonly request: number }
  | { readonly kind: 'collected_metrics'; readonly request: number; readonly texts: readonly string[] };

export type FromProcess =
  /** The database is up to date, so that others may use it. */
  | { readonly kind: 'migrated' }
  | { readonly kind: 'ready'; readonly address: string; readonly appsAddress?: string }
  /** In words for the operator; the process ends after it. */
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'metrics'; readonly request: number; readonly text: string }
  /** Asks for the metrics of all others; answered with `collected_metrics`. */
  | { readonly kind: 'collect_metrics'; readonly request: number };
