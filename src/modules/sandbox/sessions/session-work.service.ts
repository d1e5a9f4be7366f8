import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/time/clock.js';
import type { Call } from '../../auth/caller.js';
import type { CreateOrgExecutionInput, Rehearsal } from '../executions/execution-admission.service.js';
import { ExecutionStreams, type OrgExecutionNews } from '../executions/execution-streams.js';
import { type AwaitedExecution, ExecutionsService } from '../executions/executions.service.js';
import type { QueuedExecution, SandboxExecution } from '../persistence/sandbox-execution.entity.js';
import type { SandboxSession } from '../persistence/sandbox-session.entity.js';
import { MAX_OVERTIME_MS } from './host/session-process.js';
import { requireLive, SessionLine } from './line/session-line.js';
import { SandboxSessionsService } from './sandbox-sessions.service.js';

const MEBIBYTE = 1_048_576;
/** The result must arrive within this time after the time limit of the run. */
const ANSWER_WITHIN_MS = MAX_OVERTIME_MS + 5_000;
/** The output is kept for this long beside the time limit. */
const OUTPUT_KEPT_MS = 600_000;

export interface SessionWorkInput {
  readonly do: 'run' | 'shell';
  /** The code, or the command. */
  readonly text: string;
  readonly stdin: string;
  readonly timeoutMs?: number | undefined;
  /** True when the files in `/artifacts` are sent at its end. */
  readonly artifacts?: boolean | undefined;
  /** See {@link SandboxExecution.effectKey}. */
  readonly effectKey?: string;
  /** How long it may wait for what runs in the session. */
  readonly queueTimeoutMs: number;
}

interface AskedWork extends SessionWorkInput {
  readonly isFollowed: boolean;
  /** True when nobody waits for its end. */
  readonly isDetached?: boolean;
}

interface Placed {
  readonly session: SandboxSession;
  /** The caller, in the organization of the session. */
  readonly call: Call;
  readonly input: CreateOrgExecutionInput;
}

/** Runs code and commands in sessions. Each is an execution, and is limited, held and paid for as one. */
@Injectable()
export class SessionWorkService {
  constructor(
    private readonly sessions: SandboxSessionsService,
    private readonly executions: ExecutionsService,
    private readonly streams: ExecutionStreams,
    private readonly line: SessionLine,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns the limits and the highest cost that {@link run} would set. Runs nothing.
   *
   * @throws as {@link run}.
   */
  async rehearse(
    call: Call,
    id: string,
    work: SessionWorkInput,
  ): Promise<Rehearsal & Pick<SandboxSession, 'language'>> {
    const { session, ...placed } = await this.place(call, id, work);
    return { language: session.language, ...(await this.executions.rehearse(placed.call, placed.input)) };
  }

  /**
   * Runs it when its turn comes, and waits for its end. An aborted `signal` ends the run.
   *
   * @throws {EffectAlreadyBegun}
   * @throws {SandboxSessionNotFound} `sandbox_session_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   * @throws {SandboxSessionOver} `sandbox_session_over`
   * @throws {SandboxSessionBusy} `sandbox_session_busy` when the turn did not come in time.
   * @throws {ExecutionBeyondPlan} `invalid_request`
   * @throws {SandboxConcurrencyLimitExceeded} `concurrency_limit_exceeded`
   * @throws {CreditsExhausted} `credits_exhausted`
   * @throws {SpendCapReached} `spend_cap_reached`
   * @throws {BudgetExceeded} `budget_exceeded`
   * @throws {SandboxUnavailable} `sandbox_unavailable`
   */
  async run(call: Call, id: string, work: SessionWorkInput, signal: AbortSignal): Promise<SandboxExecution> {
    return (await this.begin(await this.place(call, id, work), work, signal)).ended;
  }

  /**
   * Has it run when its turn comes, and does not wait for its end. When its turn does not come in time, or its session
   * ends before, it is `cancelled`. Its output can be followed.
   *
   * @throws as {@link run}; {@link SandboxSessionBusy} only when too many wait already.
   */
  async start(call: Call, id: string, work: SessionWorkInput): Promise<QueuedExecution> {
    return this.hand(await this.place(call, id, work), work);
  }

  /**
   * Runs it and streams its output. An aborted `signal` ends the run if the caller waits for it.
   *
   * @throws as {@link run} or {@link start}, until it is admitted. Later errors are in the stream.
   */
  async stream(
    call: Call,
    id: string,
    { input, wait }: { readonly input: SessionWorkInput; readonly wait: boolean },
    signal: AbortSignal,
  ): Promise<AsyncGenerator<OrgExecutionNews>> {
    const placed = await this.place(call, id, input);
    if (!wait) return this.streams.startElsewhere(placed.call, () => this.hand(placed, input), signal);
    const followed = { ...placed, input: { ...placed.input, isFollowed: true } };
    return this.streams.runElsewhere(placed.call, () => this.begin(followed, input, signal), signal);
  }

  /** What it costs is paid by the organization of the session. */
  private async place(call: Call, id: string, work: SessionWorkInput): Promise<Placed> {
    const session = await this.sessions.get(call, id);
    requireLive(session);
    const org = call.principal.membershipIn(session.orgId)!;
    const input = {
      language: session.language,
      code: '',
      stdin: '',
      files: [],
      timeoutMs: work.timeoutMs,
      memoryMib: session.limits.memoryBytes / MEBIBYTE,
      artifacts: work.artifacts,
      queueTimeoutMs: work.queueTimeoutMs,
      sessionId: id,
      ...(work.effectKey === undefined ? {} : { effectKey: work.effectKey }),
    };
    return { session, call: { ...call, org }, input };
  }

  private begin(
    { session, call, input }: Placed,
    work: SessionWorkInput,
    signal: AbortSignal,
  ): Promise<AwaitedExecution> {
    return this.executions.beginElsewhere(call, input, (execution) =>
      this.ask(session, execution, { ...work, isFollowed: input.isFollowed === true }, signal),
    );
  }

  private hand({ session, call, input }: Placed, work: SessionWorkInput): Promise<QueuedExecution> {
    return this.executions.startElsewhere(call, input, (execution) =>
      this.ask(session, execution, { ...work, isFollowed: true, isDetached: true }),
    );
  }

  private async ask(
    session: SandboxSession,
    { id, orgId, limits }: QueuedExecution,
    { do: kind, text, stdin, queueTimeoutMs, isFollowed, isDetached = false }: AskedWork,
    signal?: AbortSignal,
  ): Promise<void> {
    await this.line.ask(session, {
      request: {
        do: kind,
        executionId: id,
        orgId,
        text,
        stdin,
        limits,
        startBeforeMs: this.clock.now().getTime() + queueTimeoutMs,
        ...(isFollowed ? { keepsOutputMs: limits.timeoutMs + OUTPUT_KEPT_MS } : {}),
        ...(isDetached ? { isDetached } : {}),
      },
      withinMs: queueTimeoutMs + limits.timeoutMs + ANSWER_WITHIN_MS,
      ...(signal === undefined ? {} : { signal }),
    });
  }
}
