import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Call } from '../auth/caller.js';
import { Features } from '../features/features.js';
import type { Language } from './domain/sandbox-runtime.js';
import { KeyedExecutions } from './executions/keyed-executions.js';
import type { EndedExecution } from './org-executions.service.js';
import { EffectAlreadyBegun } from './persistence/executions.store.js';
import type { SandboxExecution } from './persistence/sandbox-execution.entity.js';
import { RunHasSession, SandboxSessionsStore } from './persistence/sandbox-sessions.store.js';
import { SandboxSessionOver } from './sandbox.errors.js';
import { SandboxSessionsService } from './sessions/sandbox-sessions.service.js';
import { SessionEnds } from './sessions/session-ends.js';
import { SessionWorkService } from './sessions/session-work.service.js';

/** A model thinks, and people approve, between two steps. */
const IDLE_TIMEOUT_SECONDS = 900;
const ROOM_WITHIN_MS = 20_000;
const TURN_WITHIN_MS = 60_000;
const LOOK_EVERY_MS = 250;

export interface KeyedSessionInput {
  /** The run of an agent. It has one session for each language, which begins with its first work. */
  readonly runId: string;
  readonly language: Language;
  readonly do: 'run' | 'shell';
  /** The code, or the command. */
  readonly text: string;
  readonly timeoutMs?: number | undefined;
  /** True when the files in `/artifacts` are kept. */
  readonly artifacts?: boolean | undefined;
  /** Identifies the work. The same key of an organization runs once. */
  readonly effectKey: string;
}

/** How the work ended. The output is null unless it ran to its end. */
export type EndedSessionWork = EndedExecution &
  Pick<SandboxExecution, 'sessionId' | 'results' | 'artifacts' | 'stateLost'>;

/** Runs code in the sessions of runs of agents. Work that is repeated after a crash runs and costs once. */
@Injectable()
export class OrgSessionsService {
  constructor(
    private readonly features: Features,
    private readonly sessions: SandboxSessionsService,
    private readonly work: SessionWorkService,
    private readonly ends: SessionEnds,
    private readonly live: SandboxSessionsStore,
    private readonly keyed: KeyedExecutions,
  ) {}

  /**
   * Returns the result of the work with this key, after waiting for its end, and begins it if there is none. An aborted
   * `signal` ends the wait and not the work. A session that has ended is followed by another one.
   *
   * @throws {InsufficientScopes} `insufficient_scopes`
   * @throws {FeatureDisabled} `feature_disabled`
   * @throws {SandboxSessionBusy} `sandbox_session_busy`
   * @throws {SandboxSessionLimitReached} `concurrency_limit_exceeded`, for sessions.
   * @throws {SandboxConcurrencyLimitExceeded} `concurrency_limit_exceeded`, for executions.
   * @throws {ExecutionBeyondPlan} `invalid_request`
   * @throws {CreditsExhausted} `credits_exhausted`
   * @throws {SpendCapReached} `spend_cap_reached`
   * @throws {BudgetExceeded} `budget_exceeded`
   * @throws {SandboxUnavailable} `sandbox_unavailable`
   */
  async run(call: Call, input: KeyedSessionInput, signal: AbortSignal): Promise<EndedSessionWork> {
    call.principal.require('sandbox:execute', call.org.id);
    for (;;) {
      const found = await this.keyed.find(call.org.id, input.effectKey);
      if (found !== null) return this.keyed.end(found.id, signal);
      this.features.require('sandbox_executions');
      const sessionId = await this.sessionOf(call, input, signal);
      const ended = await this.begin(call, sessionId, input, signal);
      if (ended !== null) return ended;
    }
  }

  /** Ends the sessions of a run, with what runs in them. */
  async endAllOf(runId: string): Promise<void> {
    await this.ends.endAllOfRun(runId);
  }

  /** Returns null when it has to be looked at again: the session has ended, or another worker has begun the work. */
  private async begin(
    call: Call,
    sessionId: string,
    { do: kind, text, timeoutMs, artifacts, effectKey }: KeyedSessionInput,
    signal: AbortSignal,
  ): Promise<EndedSessionWork | null> {
    const asked = { do: kind, text, timeoutMs, artifacts, effectKey, stdin: '', queueTimeoutMs: TURN_WITHIN_MS };
    // The work goes on when nobody waits for it here, and is found by its key.
    const working = this.work.run(call, sessionId, asked, new AbortController().signal);
    try {
      return await untilAborted(working, signal);
    } catch (error) {
      if (error instanceof EffectAlreadyBegun) return null;
      if (signal.aborted) throw error;
      // It was admitted, and has not begun.
      await this.keyed.forgetUnstarted(call.org.id, effectKey);
      if (error instanceof SandboxSessionOver) return null;
      throw error;
    }
  }

  private async sessionOf(call: Call, { runId, language }: KeyedSessionInput, signal: AbortSignal): Promise<string> {
    for (;;) {
      signal.throwIfAborted();
      const [session] = await this.live.liveOfRun(runId, language);
      if (session !== undefined && session.status !== 'starting') return session.id;
      try {
        // One that is starting is that of a worker that was lost, and soon starts or is given up.
        if (session === undefined) return await this.start(call, { runId, language }, signal);
      } catch (error) {
        if (!(error instanceof RunHasSession)) throw error;
      }
      await sleep(LOOK_EVERY_MS, undefined, { signal });
    }
  }

  private async start(
    call: Call,
    { runId, language }: Pick<KeyedSessionInput, 'runId' | 'language'>,
    signal: AbortSignal,
  ): Promise<string> {
    const waits = { idleTimeoutSeconds: IDLE_TIMEOUT_SECONDS, queueTimeoutMs: ROOM_WITHIN_MS };
    const input = { language, runId, name: runId, options: {}, ...waits };
    return (await this.sessions.create(call, input, signal)).id;
  }
}

/** @throws the reason of `signal` when it is aborted before. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let leave: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    leave = (): void => {
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', leave, { once: true });
  });
  // It may end after nobody waits for it.
  work.catch(() => undefined);
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', leave);
  }
}
