import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/time/clock.js';
import type { Call } from '../../auth/caller.js';
import { isLiveSession, type SessionEnd } from '../domain/session-state.js';
import type { SandboxSession } from '../persistence/sandbox-session.entity.js';
import { SandboxSessionsStore } from '../persistence/sandbox-sessions.store.js';
import { requireLive, SessionLine } from './line/session-line.js';
import { SandboxSessionsService } from './sandbox-sessions.service.js';
import { SessionSignals } from './session-signals.js';

const END_WITHIN_MS = 5_000;

/** Ends and freezes sessions. */
@Injectable()
export class SessionEnds {
  constructor(
    private readonly service: SandboxSessionsService,
    private readonly sessions: SandboxSessionsStore,
    private readonly line: SessionLine,
    private readonly signals: SessionSignals,
    private readonly clock: Clock,
  ) {}

  /**
   * Ends a session, and what runs in it. A session that has ended stays as it is.
   *
   * @throws {SandboxSessionNotFound} `sandbox_session_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   */
  async end(call: Call, id: string): Promise<SandboxSession> {
    const session = await this.service.get(call, id);
    if (isLiveSession(session.status)) await this.endNow(session, 'requested');
    return this.sessions.get(id);
  }

  /** Ends all sessions of an organization. A worker that cannot be asked sees it in the row. */
  async endAllOf(orgId: string): Promise<void> {
    for (const session of await this.sessions.liveOf(orgId)) await this.endNow(session, 'org_deleted');
  }

  /** Ends the sessions of the run of an agent. A worker that cannot be asked sees it in the row. */
  async endAllOfRun(runId: string): Promise<void> {
    for (const session of await this.sessions.liveOfRun(runId)) await this.endNow(session, 'requested');
  }

  /**
   * Freezes a session now, and not only when it has rested. Nothing happens to one that is frozen.
   *
   * @throws {SandboxSessionNotFound} `sandbox_session_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   * @throws {SandboxSessionOver} `sandbox_session_over`
   * @throws {SandboxSessionBusy} `sandbox_session_busy` while it is used.
   * @throws {SandboxUnavailable} `sandbox_unavailable`
   */
  async freeze(call: Call, id: string): Promise<SandboxSession> {
    const session = await this.service.get(call, id);
    await this.line.ask(session, { request: { do: 'freeze' }, withinMs: END_WITHIN_MS });
    // The worker writes it a moment later.
    return session.frozen();
  }

  /**
   * Returns what {@link freeze} would return. Changes nothing.
   *
   * @throws {SandboxSessionNotFound} `sandbox_session_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   * @throws {SandboxSessionOver} `sandbox_session_over`
   */
  async rehearseFreeze(call: Call, id: string): Promise<SandboxSession> {
    const session = await this.service.get(call, id);
    requireLive(session);
    return session.frozen();
  }

  /** The row says first that it has ended. A worker that cannot be asked sees it there. */
  private async endNow(session: SandboxSession, reason: SessionEnd): Promise<void> {
    if (!(await this.sessions.end(session.id, reason, this.clock.now()))) return;
    void this.signals.notify(session.id);
    const asked = { request: { do: 'end', reason }, withinMs: END_WITHIN_MS } as const;
    await this.line.ask(session, asked).catch(() => undefined);
  }
}
