import { type IsolationOptions } from '../../../../platform/isolation/isolation.js';
import { type SentFile } from '../../domain/artifacts.js';
import {
  type OutputPiece,
  type SandboxOutcome,
  type SandboxReadiness,
  type SandboxRun,
} from '../../domain/sandbox-runtime.js';
import { type PoolEvent, type PoolReading } from '../pool-events.js';
import { type PooledRuntimeOptions } from '../pooled-runtime.js';

/** The settings of the host, passed as its command line argument. */
export interface HostSettings {
  readonly isolation: IsolationOptions;
  readonly runtime: PooledRuntimeOptions;
}

/** From the service to the host. */
export type Request =
  | { readonly kind: 'probe'; readonly call: number }
  | {
      readonly kind: 'run';
      readonly call: number;
      readonly run: SandboxRun;
      /** True to send the output as it arrives, and not only with the outcome. */
      readonly sendsOutput: boolean;
    }
  /** The service has room for another piece of an artifact of this run. */
  | { readonly kind: 'taken'; readonly call: number }
  | { readonly kind: 'abort'; readonly call: number }
  | { readonly kind: 'close' };

/** What the host adds to every message: its state, and what has happened since the last one. */
interface HostState {
  readonly readiness: SandboxReadiness;
  readonly readings: readonly PoolReading[];
  readonly events: readonly PoolEvent[];
}

/** What the host says. */
export type HostMessage =
  | { readonly kind: 'probed'; readonly call: number }
  | { readonly kind: 'output'; readonly call: number; readonly pieces: readonly OutputPiece[] }
  | { readonly kind: 'file'; readonly call: number; readonly file: SentFile }
  /** The host sends no more of this run until the service has taken it. */
  | { readonly kind: 'piece'; readonly call: number; readonly piece: Buffer }
  | { readonly kind: 'ended'; readonly call: number; readonly outcome: SandboxOutcome }
  | { readonly kind: 'failed'; readonly call: number; readonly message: string }
  /** Nothing but the state. */
  | { readonly kind: 'news' };

/** From the host to the service. */
export type Reply = HostState & HostMessage;
