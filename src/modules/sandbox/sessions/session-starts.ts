import { Injectable } from '@nestjs/common';
import { AwaitedJobs, JobFailed, JobUnanswered } from '../../../platform/queues/awaited-jobs.js';
import type { Call } from '../../auth/caller.js';
import { wantedBy } from '../domain/packages.js';
import { LONGEST_INSTALL_WAIT_MS, PackageAdmission } from '../packages/package-admission.js';
import type { SandboxSession } from '../persistence/sandbox-session.entity.js';
import { SandboxSessionsStore } from '../persistence/sandbox-sessions.store.js';
import { NoRoomForSession, SandboxUnavailable } from '../sandbox.errors.js';
import { SandboxStatusService } from '../sandbox-status.service.js';
import { Clock } from '../../../platform/time/clock.js';
import { SessionSignals } from './session-signals.js';
import {
  sessionStartJob,
  type SessionOptions,
  type SessionStarted,
  type SessionStartPayload,
} from './jobs/session-start.job.js';

const START_WITHIN_MS = 15_000;
const NETWORK_MISSING = 'cgroups, without which sessions have no network';

/** What the row of a session does not keep of how it starts. */
export interface SessionStartInput {
  readonly options: SessionOptions;
  /** The longest time that the session may wait for a worker with room. */
  readonly queueTimeoutMs: number;
  /** How long it may wait until its packages are installed. The default is what a waiting caller accepts. */
  readonly installWithinMs?: number | undefined;
}

/** A session that has not started by then never will. It may wait for its packages before it waits for room. */
export const startedWithinMs = (
  hasPackages: boolean,
  { queueTimeoutMs, installWithinMs = LONGEST_INSTALL_WAIT_MS }: SessionStartInput,
): number => (hasPackages ? installWithinMs : 0) + queueTimeoutMs + START_WITHIN_MS + 5_000;

/** Has sessions started by any worker that has room. */
@Injectable()
export class SessionStarts {
  constructor(
    private readonly status: SandboxStatusService,
    private readonly packages: PackageAdmission,
    private readonly jobs: AwaitedJobs,
    private readonly sessions: SandboxSessionsStore,
    private readonly signals: SessionSignals,
    private readonly clock: Clock,
  ) {}

  /** @throws {SandboxUnavailable} `sandbox_unavailable` when no worker can run code. */
  async requireWorkers(): Promise<void> {
    const status = await this.status.status();
    if (!status.available) throw new SandboxUnavailable(status.missing);
  }

  /**
   * Resolves when a worker holds the session. Packages that nobody has used before are installed first.
   *
   * @throws {ExecutionPackagesRefused} `package_install_failed`
   * @throws {PackagesUnavailable} `packages_unavailable`
   * @throws {SandboxUnavailable} `sandbox_unavailable`
   * @throws {NoRoomForSession} `sandbox_unavailable`
   * @throws the reason of `signal` when it is aborted.
   */
  async start(call: Call, session: SandboxSession, input: SessionStartInput, signal: AbortSignal): Promise<void> {
    const { options, queueTimeoutMs, installWithinMs = LONGEST_INSTALL_WAIT_MS } = input;
    try {
      if (session.packages !== null)
        await this.packages.prepare(call, session.packages, {
          executionId: session.id,
          withinMs: installWithinMs,
        });
      const isHeld = await this.jobs.run<SessionStartPayload, SessionStarted>(
        sessionStartJob,
        payloadOf(session, options),
        {
          startWithinMs: queueTimeoutMs,
          finishWithinMs: START_WITHIN_MS,
          subject: session.orgId,
          signal,
        },
      );
      if (isHeld === 'without_network') throw new SandboxUnavailable([NETWORK_MISSING]);
      if (!isHeld) throw new SandboxUnavailable([]);
    } catch (error) {
      await this.sessions.end(session.id, 'not_started', this.clock.now());
      void this.signals.notify(session.id);
      if (error instanceof JobUnanswered && !error.hadBegun) throw await this.noRoom(session, queueTimeoutMs, error);
      if (error instanceof JobFailed || error instanceof JobUnanswered) throw new SandboxUnavailable([], error);
      throw error;
    }
  }

  private async noRoom({ orgId }: SandboxSession, withinMs: number, cause: unknown): Promise<NoRoomForSession> {
    const { length: live } = await this.sessions.liveOf(orgId);
    return new NoRoomForSession({ withinMs, live }, cause);
  }
}

const payloadOf = (
  { id, orgId, language, limits, packages, allowedHosts, idleTimeoutSeconds, expiresAt }: SandboxSession,
  options: SessionOptions,
): SessionStartPayload => ({
  sessionId: id,
  orgId,
  language,
  limits,
  options,
  ...(packages === null ? {} : { packages: wantedBy(orgId, packages) }),
  ...(allowedHosts === null ? {} : { allowedHosts }),
  idleTimeoutMs: idleTimeoutSeconds * 1_000,
  expiresAtMs: expiresAt.getTime(),
});
