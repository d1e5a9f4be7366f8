import { Injectable } from '@nestjs/common';
import { RequestInvalid } from '../../platform/errors/request-invalid.js';
import type { Call } from '../auth/caller.js';
import { Features } from '../features/features.js';
import type { Language } from './domain/sandbox-runtime.js';
import { isSessionPath } from './domain/session-paths.js';
import { KeyedExecutions } from './executions/keyed-executions.js';
import { untilAborted } from './executions/until-aborted.js';
import { requireAllowedHosts } from './network/requested-hosts.js';
import { type EndedExecution, INSTALL_WITHIN_MS } from './org-executions.service.js';
import { type RequestedPackages, requestedPackages } from './packages/requested-packages.js';
import { EffectAlreadyBegun } from './persistence/executions.store.js';
import type { SandboxExecution } from './persistence/sandbox-execution.entity.js';
import type { SandboxSession } from './persistence/sandbox-session.entity.js';
import { SandboxSessionsStore } from './persistence/sandbox-sessions.store.js';
import { SandboxSessionOver } from './sandbox.errors.js';
import { RunSessions, type WantedSession } from './sessions/run-sessions.js';
import { SessionEnds } from './sessions/session-ends.js';
import { SessionFilesService } from './sessions/session-files.service.js';
import { SessionWorkService } from './sessions/session-work.service.js';

const TURN_WITHIN_MS = 60_000;

export interface KeyedSessionInput extends RequestedPackages {
  /** The run of an agent. It has one session for each language, which begins with its first work. */
  readonly runId: string;
  readonly language: Language;
  readonly do: 'run' | 'shell';
  /** The code, or the command. */
  readonly text: string;
  readonly timeoutMs?: number | undefined;
  /** True when the files in `/artifacts` are kept. */
  readonly artifacts?: boolean | undefined;
  /** The hosts that the session may connect to. Undefined for those that it has. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Identifies the work. The same key of an organization runs once. */
  readonly effectKey: string;
}

/** How the work ended. The output is null unless it ran to its end. */
export type EndedSessionWork = EndedExecution &
  Pick<SandboxExecution, 'sessionId' | 'stateLost'> & {
    /** True when the output may be words of others: the session may connect to hosts, or has packages of any author. */
    readonly quotesOthers: boolean;
  };

/** A file of a session of a run. */
interface RunSessionFile {
  readonly content: Buffer;
  readonly quotesOthers: boolean;
}

/** Runs code in the sessions of runs of agents. Work that is repeated after a crash runs and costs once. */
@Injectable()
export class OrgSessionsService {
  constructor(
    private readonly features: Features,
    private readonly runSessions: RunSessions,
    private readonly work: SessionWorkService,
    private readonly ends: SessionEnds,
    private readonly live: SandboxSessionsStore,
    private readonly keyed: KeyedExecutions,
    private readonly files: SessionFilesService,
  ) {}

  /**
   * Returns the result of the work with this key, after waiting for its end, and begins it if there is none. An aborted
   * `signal` ends the wait and not the work. A session that has ended is followed by another one. One that has other
   * packages or hosts than the work names is ended, and followed too.
   *
   * @throws {RequestInvalid} `invalid_request`
   * @throws {InsufficientScopes} `insufficient_scopes`
   * @throws {ExecutionNetworkOff} `feature_disabled`
   * @throws {ExecutionPackagesRefused} `package_install_failed`
   * @throws {PackagesUnavailable} `packages_unavailable`, also when they are not installed after five minutes.
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
      if (found !== null) return this.withSession(await this.keyed.end(found.id, signal));
      this.features.require('sandbox_executions');
      const session = await this.runSessions.begin(call, wantedOf(input), signal);
      const ended = await this.begin(call, session.id, input, signal);
      if (ended !== null) return withOrigin(ended, session);
    }
  }

  /** Ends the sessions of a run, with what runs in them. */
  async endAllOf(runId: string): Promise<void> {
    await this.ends.endAllOfRun(runId);
  }

  /**
   * Reads a file of the session that a run has in a language. Returns null when it has none.
   *
   * @throws {InsufficientScopes} `insufficient_scopes`
   * @throws {SandboxSessionOver} `sandbox_session_over`
   * @throws {SessionFileMissing} `session_file_not_found`
   * @throws {SessionFileBeyondLimit} `payload_too_large`
   * @throws {SandboxSessionLimitReached} `concurrency_limit_exceeded`
   * @throws {RequestInvalid} `invalid_request`
   * @throws {SandboxUnavailable} `sandbox_unavailable`
   */
  async readFile(
    call: Call,
    { runId, language }: Pick<KeyedSessionInput, 'runId' | 'language'>,
    path: string,
  ): Promise<RunSessionFile | null> {
    call.principal.require('sandbox:execute', call.org.id);
    if (path === '' || !isSessionPath(path))
      throw new RequestInvalid([
        { path: 'path', in: 'body', code: 'is_session_path', message: 'path must be a relative path without ".."' },
      ]);
    const [session] = await this.live.liveOfRun(runId, language);
    if (session === undefined) return null;
    return { content: await this.files.read(call, session.id, path), quotesOthers: quotesOthers(session) };
  }

  /** Work that an earlier call has begun was in a session that may have been followed by another one. */
  private async withSession(ended: SandboxExecution): Promise<EndedSessionWork> {
    return withOrigin(ended, ended.sessionId === null ? null : await this.live.find(ended.sessionId, [ended.orgId]));
  }

  /** Returns null when it has to be looked at again: the session has ended, or another worker has begun the work. */
  private async begin(
    call: Call,
    sessionId: string,
    { do: kind, text, timeoutMs, artifacts, effectKey }: KeyedSessionInput,
    signal: AbortSignal,
  ): Promise<SandboxExecution | null> {
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
      // It has begun, and the platform has lost it: doing it again could repeat its effects.
      if ((await this.keyed.find(call.org.id, effectKey)) !== null) return null;
      throw error;
    }
  }
}

/** @throws {RequestInvalid} `invalid_request` */
function wantedOf(input: KeyedSessionInput): WantedSession {
  const { runId, language, allowedHosts } = input;
  requireAllowedHosts(allowedHosts);
  const packages = requestedPackages(language, input);
  return { runId, language, packages, allowedHosts, installWithinMs: INSTALL_WITHIN_MS };
}

type Origin = Pick<SandboxSession, 'allowedHosts' | 'packages'>;

/** A program of any author, or an answer of a host, may print what others wrote. */
const quotesOthers = ({ allowedHosts, packages }: Origin): boolean =>
  allowedHosts !== null || (packages !== null && packages.set === undefined);

const withOrigin = (ended: SandboxExecution, session: Origin | null): EndedSessionWork =>
  Object.assign(ended, { quotesOthers: session !== null && quotesOthers(session) });
