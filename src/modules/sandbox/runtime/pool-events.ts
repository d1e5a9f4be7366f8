import { type Language } from '../domain/sandbox-runtime.js';

/** The state of one pool. Languages that share a program share a pool. */
export interface PoolReading {
  /** The interpreter's name, such as `node`. */
  readonly interpreter: string;
  readonly languages: readonly Language[];
  /** True when programs in its sandboxes may start others. */
  readonly startsProcesses: boolean;
  /** Sandboxes that have started and wait for a run. */
  readonly ready: number;
  readonly starting: number;
  /** The number of sandboxes that the pool keeps ready. */
  readonly size: number;
  /** True while its sandboxes are forks of a template. */
  readonly forks: boolean;
}

/** Events of the runtime, for metrics and logs. */
export type PoolEvent =
  /** A sandbox started, for the pool or for a waiting run. */
  | { readonly kind: 'started'; readonly interpreter: string; readonly seconds: number }
  | { readonly kind: 'start_failed'; readonly interpreter: string; readonly error: unknown }
  /** A template is ready to fork. */
  | { readonly kind: 'template_started'; readonly interpreter: string }
  /** A template did not start, was not safe, ended, or did not fork. Sandboxes start by themselves meanwhile. */
  | { readonly kind: 'template_failed'; readonly interpreter: string; readonly error: unknown }
  /** An idle sandbox died. */
  | { readonly kind: 'lost'; readonly interpreter: string }
  /** A run got its sandbox after this time. It is `warm` when one was ready. */
  | { readonly kind: 'acquired'; readonly language: Language; readonly seconds: number; readonly warm: boolean };

export type PoolListener = (event: PoolEvent) => void;
