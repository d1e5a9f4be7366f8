import { type IsolationOptions } from '../../../../platform/isolation/isolation.js';
import { type SandboxOutcome, type SandboxReadiness, type SandboxRun } from '../../domain/sandbox-runtime.js';
import { type PoolEvent, type PoolReading } from '../pool-events.js';
import { type PooledRuntimeOptions } from '../pooled-runtime.js';

/** What the host needs to know, as the argument that it is started with. */
export interface HostSettings {
  readonly isolation: IsolationOptions;
  readonly runtime: PooledRuntimeOptions;
}

/** From the service to the host. */
export type Request =
  | { readonly kind: 'probe'; readonly call: number }
  | { readonly kind: 'run'; readonly call: number; readonly run: SandboxRun }
  | { readonly kind: 'abort'; readonly call: number }
  | { readonly kind: 'close' };

/** How the host stands; comes with every message of its. */
export interface HostState {
  readonly readiness: SandboxReadiness;
  readonly readings: readonly PoolReading[];
}

/** From the host to the service. */
export type Reply = HostState &
  (
    | { readonly kind: 'probed'; readonly call: number }
    | { readonly kind: 'ended'; readonly call: number; readonly outcome: SandboxOutcome }
    | { readonly kind: 'failed'; readonly call: number; readonly message: string }
    | { readonly kind: 'event'; readonly event: PoolEvent }
  );
