import { SandboxRuntime } from '../domain/sandbox-runtime.js';
import { type PoolListener, type PoolReading } from './pool-events.js';

/** A runtime whose pools can be watched. */
export abstract class ObservedRuntime extends SandboxRuntime {
  /** The current state of the pools. */
  abstract readonly readings: readonly PoolReading[];

  /** Calls the listener for every event from now on. It must not throw. */
  abstract listen(listener: PoolListener): void;
}
