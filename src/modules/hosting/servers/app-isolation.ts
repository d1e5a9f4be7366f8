import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Isolation } from '../../../platform/isolation/isolation.js';
import type { IsolatedProgram } from '../../../platform/isolation/isolated-program.js';
import { IsolationDidNotStart } from '../../../platform/isolation/isolation-spec.js';
import type { LaunchSpec } from '../../../platform/isolation/launch-spec.js';
import { Log } from '../../../platform/logging/log.js';
import { ServerDidNotStart } from '../hosting.errors.js';

const START_ATTEMPTS = 3;
const START_AGAIN_MS = 200;
/** A visitor may be waiting, so an attempt that took long is the last one. */
const START_AGAIN_WITHIN_MS = 5_000;

/** The isolation of app servers. The kernel may refuse a namespace or a process for a moment, so it is tried again. */
@Injectable()
export class AppIsolation {
  constructor(
    private readonly isolation: Isolation,
    private readonly log: Log,
  ) {}

  /** Returns what this machine lacks, each as the thing to install or set. */
  missing(): string[] {
    return this.isolation.missing();
  }

  /** Returns a path to the file that an app can reach: the file itself or a copy. */
  reachable(path: string): Promise<string> {
    return this.isolation.reachable(path);
  }

  /**
   * Launches a server, and again if its isolation or its network does not start: nothing of the app has run then.
   * @throws {ServerDidNotStart} when it still does not start.
   */
  async launch(spec: LaunchSpec): Promise<IsolatedProgram> {
    const begunAt = performance.now();
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.isolation.launch(spec);
      } catch (error) {
        if (!(error instanceof IsolationDidNotStart)) throw error;
        this.log.warn({ error, attempt }, 'The isolation of an app server did not start.');
        if (attempt === START_ATTEMPTS || performance.now() - begunAt > START_AGAIN_WITHIN_MS)
          throw new ServerDidNotStart('This machine could not isolate the server. Deploy again in a few minutes.');
      }
      await sleep(attempt * START_AGAIN_MS);
    }
  }
}
