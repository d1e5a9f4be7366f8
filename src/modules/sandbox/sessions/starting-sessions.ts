import { Injectable } from '@nestjs/common';
import { SandboxSessionsStore } from '../persistence/sandbox-sessions.store.js';
import { SessionSignals } from './session-signals.js';

/** The longest delay until an end is noticed that nobody reports, because the worker was lost. */
const LOOK_EVERY_MS = 2_000;

/** Waits for sessions that another process starts. */
@Injectable()
export class StartingSessions {
  constructor(
    private readonly sessions: SandboxSessionsStore,
    private readonly signals: SessionSignals,
  ) {}

  /**
   * Resolves when the session has started or has ended.
   *
   * @throws the reason of `signal` when it is aborted.
   */
  async wait(id: string, signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      const notified = this.signals.next(id, LOOK_EVERY_MS, signal);
      if (!(await this.sessions.isStarting(id))) return;
      await notified;
    }
  }
}
