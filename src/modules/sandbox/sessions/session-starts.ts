import { Injectable } from '@nestjs/common';
import { AwaitedJobs, JobFailed, JobUnanswered } from '../../../platform/queues/awaited-jobs.js';
import type { SandboxSession } from '../persistence/sandbox-session.entity.js';
import { SandboxSessionsStore } from '../persistence/sandbox-sessions.store.js';
import { SandboxBusy, SandboxUnavailable } from '../sandbox.errors.js';
import { SandboxStatusService } from '../sandbox-status.service.js';
import { Clock } from '../../../platform/time/clock.js';
import { sessionStartJob, type SessionOptions, type SessionStartPayload } from './jobs/session-start.job.js';

/** The longest time that a session may wait for a worker with room. */
const ROOM_WITHIN_MS = 20_000;
const START_WITHIN_MS = 15_000;
const RETRY_AFTER_MS = 5_000;

/** A session that has not started by then never will. */
export const STARTED_WITHIN_MS = ROOM_WITHIN_MS + START_WITHIN_MS + 5_000;

/** Has sessions started by any worker that has room. */
@Injectable()
export class SessionStarts {
  constructor(
    private readonly status: SandboxStatusService,
    private readonly jobs: AwaitedJobs,
    private readonly sessions: SandboxSessionsStore,
    private readonly clock: Clock,
  ) {}

  /** @throws {SandboxUnavailable} `sandbox_unavailable` when no worker can run code. */
  async requireWorkers(): Promise<void> {
    const status = await this.status.status();
    if (!status.available) throw new SandboxUnavailable(status.missing);
  }

  /**
   * Resolves when a worker holds the session.
   *
   * @throws {SandboxUnavailable} `sandbox_unavailable`
   * @throws the reason of `signal` when it is aborted.
   */
  async start(session: SandboxSession, options: SessionOptions, signal: AbortSignal): Promise<void> {
    try {
      const isHeld = await this.jobs.run<SessionStartPayload, boolean>(sessionStartJob, payloadOf(session, options), {
        startWithinMs: ROOM_WITHIN_MS,
        finishWithinMs: START_WITHIN_MS,
        subject: session.orgId,
        signal,
      });
      if (!isHeld) throw new SandboxUnavailable([]);
    } catch (error) {
      await this.sessions.end(session.id, 'not_started', this.clock.now());
      if (error instanceof JobUnanswered && !error.hadBegun)
        throw new SandboxBusy(ROOM_WITHIN_MS + RETRY_AFTER_MS, ROOM_WITHIN_MS, error);
      if (error instanceof JobFailed || error instanceof JobUnanswered) throw new SandboxUnavailable([], error);
      throw error;
    }
  }
}

const payloadOf = (
  { id, orgId, language, limits, idleTimeoutSeconds, expiresAt }: SandboxSession,
  options: SessionOptions,
): SessionStartPayload => ({
  sessionId: id,
  orgId,
  language,
  limits,
  options,
  idleTimeoutMs: idleTimeoutSeconds * 1_000,
  expiresAtMs: expiresAt.getTime(),
});
