import { type Language } from '../domain/sandbox-runtime.js';

/** How one pool stands. Languages that share a program share a pool. */
export interface PoolReading {
  /** The interpreter's name, such as `node`. */
  readonly interpreter: string;
  readonly languages: readonly Language[];
  /** Started, idle, waiting for a run. */
  readonly ready: number;
  readonly starting: number;
  /** How many the pool keeps ready when nothing happens. */
  readonly size: number;
}

/** What happens in the runtime, for metrics and logs. */
export type PoolEvent =
  /** A sandbox came up, for the pool or for a run that waits for it. */
  | { readonly kind: 'started'; readonly interpreter: string; readonly seconds: number }
  | { readonly kind: 'start_failed'; readonly interpreter: string; readonly error: unknown }
  /** An idle sandbox died by itself. */
  | { readonly kind: 'lost'; readonly interpreter: string }
  /** A run got its sandbox, after so long; `warm` when one was ready. */
  | { readonly kind: 'acquired'; readonly language: Language; readonly seconds: number; readonly warm: boolean };

export type PoolListener = (event: PoolEvent) => void;
