import { Injectable } from '@nestjs/common';
import type { Call } from '../../auth/caller.js';
import { type PackageChoice, wantedBy } from '../domain/packages.js';
import type { Language } from '../domain/sandbox-runtime.js';
import { untilAborted } from '../executions/until-aborted.js';
import type { SandboxSession } from '../persistence/sandbox-session.entity.js';
import { RunHasSession, SandboxSessionsStore } from '../persistence/sandbox-sessions.store.js';
import { SandboxSessionsService } from './sandbox-sessions.service.js';
import { SessionEnds } from './session-ends.js';
import { StartingSessions } from './starting-sessions.js';

/** A model thinks, and people approve, between two steps. */
const IDLE_TIMEOUT_SECONDS = 900;
const ROOM_WITHIN_MS = 20_000;

/** What the work of a run wants of its session. What it does not name may be anything. */
export interface WantedSession {
  readonly runId: string;
  readonly language: Language;
  readonly packages: PackageChoice | undefined;
  readonly allowedHosts: readonly string[] | undefined;
  readonly installWithinMs: number;
}

/** The sessions of runs of agents: one for each language, which begins with its first work. */
@Injectable()
export class RunSessions {
  constructor(
    private readonly sessions: SandboxSessionsService,
    private readonly ends: SessionEnds,
    private readonly live: SandboxSessionsStore,
    private readonly starting: StartingSessions,
  ) {}

  /**
   * Returns the session of the run, and begins one if there is none. One that has other packages or hosts is ended.
   *
   * @throws as `SandboxSessionsService.create`, and the reason of `signal` when it is aborted.
   */
  async begin(call: Call, wanted: WantedSession, signal: AbortSignal): Promise<SandboxSession> {
    for (;;) {
      signal.throwIfAborted();
      const [session] = await this.live.liveOfRun(wanted.runId, wanted.language);
      if (session?.status === 'starting') {
        // It is that of a worker that was lost, and soon starts or is given up.
        await this.starting.wait(session.id, signal);
      } else if (session !== undefined) {
        if (fits(session, wanted)) return session;
        await this.ends.end(call, session.id);
      } else {
        const started = await this.start(call, wanted, signal);
        if (started !== null) return started;
      }
    }
  }

  /** Returns null when the run has one meanwhile. */
  private async start(call: Call, wanted: WantedSession, signal: AbortSignal): Promise<SandboxSession | null> {
    const input = {
      ...wanted,
      name: wanted.runId,
      idleTimeoutSeconds: IDLE_TIMEOUT_SECONDS,
      queueTimeoutMs: ROOM_WITHIN_MS,
      options: {},
    };
    try {
      return await untilAborted(this.sessions.create(call, input, signal), signal);
    } catch (error) {
      if (error instanceof RunHasSession) return null;
      throw error;
    }
  }
}

function fits({ orgId, packages, allowedHosts }: SandboxSession, wanted: WantedSession): boolean {
  const hasPackages = wanted.packages === undefined || isSame(orgId, packages, wanted.packages);
  return hasPackages && (wanted.allowedHosts === undefined || listOf(allowedHosts) === listOf(wanted.allowedHosts));
}

const isSame = (orgId: string, held: PackageChoice | null, wanted: PackageChoice): boolean =>
  held !== null && wantedBy(orgId, held).id === wantedBy(orgId, wanted).id;

const listOf = (hosts: readonly string[] | null): string =>
  [...new Set((hosts ?? []).map((host) => host.toLowerCase()))].sort().join(' ');
