import { type Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

import { type ResourceGroup } from './resource-group.js';

/**
 * The pipes close by themselves after the last process has ended. This limit only ensures that nothing can delay the
 * response.
 */
const PIPES_GRACE_MS = 500;

/** An isolated program with everything inside of it, however it was started. */
export interface Contained {
  /** The exit status; null when it was killed. */
  readonly exited: Promise<number | null>;
  readonly hasExited: boolean;
  /** What is known of pid 1 inside. `known` stays pending when there is none. */
  readonly info: { readonly known: Promise<void>; readonly initPid: number };
  readonly group: ResourceGroup;

  pipe(descriptor: number): Duplex;

  /** The program may close its end at any time, which is not an error of the service. */
  takesNoFaultFrom(...descriptors: readonly number[]): void;

  /** Kills everything, repeatedly until it is gone. */
  kill(): void;

  closePipes(): void;

  /** Removes what was lent. It must be called last. */
  cleanUp(): Promise<void>;
}

/** Waits a moment for what is still in the pipes; call it after the program has exited. */
export async function endLines(outputs: readonly Promise<void>[]): Promise<void> {
  const grace = new AbortController();
  await Promise.race([
    Promise.all(outputs),
    sleep(PIPES_GRACE_MS, undefined, { signal: grace.signal }).catch(() => undefined),
  ]);
  grace.abort();
}
