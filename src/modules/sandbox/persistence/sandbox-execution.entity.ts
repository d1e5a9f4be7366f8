import assert from 'node:assert/strict';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { ExecutionArtifacts } from '../domain/artifacts.js';
import type { ExecutionState } from '../domain/execution-state.js';
import type { RichResult } from '../domain/rich-result.js';
import type { ExecutionError, Language, SandboxLimits, SandboxOutcome } from '../domain/sandbox-runtime.js';

/** The columns of an execution that are set before a worker starts it. */
export type QueuedExecution = Pick<
  SandboxExecution,
  'id' | 'orgId' | 'userId' | 'keyId' | 'effectKey' | 'sessionId' | 'language' | 'limits' | 'createdAt' | 'givesUpAt'
> & { readonly status: 'queued' };

/** What a worker has written of a run that has ended, and hands to the process that waits for it. It fits into JSON. */
export interface EndedRun {
  /** Without results and artifacts. */
  readonly outcome: SandboxOutcome;
  readonly startedAtMs: number;
  readonly queueMs: number;
  readonly givesUpAtMs: number;
  readonly finishedAtMs: number;
  readonly costNano: string | null;
}

/** A run of code for an organization and its result. The code is not kept. */
@Entity('sandbox_executions')
export class SandboxExecution {
  /** This is also the id of the job, so that the job can be ended by the id of the execution. */
  @PrimaryColumn('text') id!: string;
  @Column('text', { name: 'org_id' }) orgId!: string;
  @Column('text', { name: 'user_id' }) userId!: string;
  @Column('text', { name: 'key_id', nullable: true }) keyId!: string | null;
  /** Identifies work that runs once, however often it is asked for. */
  @Column('text', { name: 'effect_key', nullable: true }) effectKey!: string | null;
  /** The session in which it runs. Null for a run by itself. */
  @Column('text', { name: 'session_id', nullable: true }) sessionId!: string | null;
  /** True when the session lost its variables in this run. Null until it has ended, and outside of sessions. */
  @Column('boolean', { name: 'state_lost', nullable: true }) stateLost!: boolean | null;
  @Column('text') language!: Language;
  @Column('text') status!: ExecutionState;
  @Column('jsonb') limits!: SandboxLimits;
  /** The output is stored as bytes, because a program may print NUL, which PostgreSQL's text cannot hold. */
  @Column('bytea', { nullable: true }) stdout!: Buffer | null;
  @Column('bytea', { nullable: true }) stderr!: Buffer | null;
  @Column('jsonb', { nullable: true }) truncated!: SandboxOutcome['truncated'] | null;
  @Column('int', { name: 'exit_code', nullable: true }) exitCode!: number | null;
  @Column('text', { nullable: true }) signal!: string | null;
  @Column('int', { name: 'queue_ms', nullable: true }) queueMs!: number | null;
  @Column('double precision', { name: 'duration_ms', nullable: true }) durationMs!: number | null;
  @Column('double precision', { name: 'cpu_ms', nullable: true }) cpuMs!: number | null;
  /** The value may exceed 32 bits; the driver returns it as text. */
  @Column('bigint', { name: 'memory_peak_bytes', nullable: true }) memoryPeakBytes!: string | null;
  @Column('jsonb', { nullable: true }) runtime!: SandboxOutcome['runtime'] | null;
  @Column('json', { nullable: true }) error!: ExecutionError | null;
  /** Null unless it was asked for. */
  @Column('json', { nullable: true }) results!: readonly RichResult[] | null;
  /** Null unless they were asked for. They stay when the files have expired. */
  @Column('json', { nullable: true }) artifacts!: ExecutionArtifacts | null;
  /** In nano-dollars. Null until the execution has ended, and when it costs nothing. */
  @Column('bigint', { name: 'cost_nano', nullable: true }) costNano!: string | null;
  @Column('timestamptz', { name: 'created_at' }) createdAt!: Date;
  @Column('timestamptz', { name: 'started_at', nullable: true }) startedAt!: Date | null;
  @Column('timestamptz', { name: 'finished_at', nullable: true }) finishedAt!: Date | null;
  /** An execution that is still queued or running after this time is given up. */
  @Column('timestamptz', { name: 'gives_up_at' }) givesUpAt!: Date;

  static queued(
    facts: Omit<QueuedExecution, 'status' | 'createdAt' | 'givesUpAt'>,
    { at, givesUpAt }: { at: Date; givesUpAt: Date },
  ): QueuedExecution {
    assert(givesUpAt > at, 'An execution was given up before it was queued.');
    const { id, orgId, userId, keyId, effectKey, sessionId, language, limits } = facts;
    const asked = { id, orgId, userId, keyId, effectKey, sessionId, language, limits };
    return { ...asked, status: 'queued', createdAt: at, givesUpAt };
  }

  /** The row of an execution that has run to its end. */
  static ended(queued: QueuedExecution, run: EndedRun): SandboxExecution {
    const { outcome, startedAtMs, finishedAtMs, givesUpAtMs, queueMs, costNano } = run;
    const { status, exitCode, signal, durationMs, cpuMs, memoryPeakBytes, truncated, runtime, error = null } = outcome;
    return Object.assign(new SandboxExecution(), {
      ...queued,
      status,
      stateLost: null,
      stdout: Buffer.from(outcome.stdout),
      stderr: Buffer.from(outcome.stderr),
      truncated,
      exitCode,
      signal,
      queueMs,
      durationMs,
      cpuMs,
      memoryPeakBytes: String(Math.round(memoryPeakBytes)),
      runtime,
      error,
      results: null,
      artifacts: null,
      costNano,
      startedAt: new Date(startedAtMs),
      finishedAt: new Date(finishedAtMs),
      givesUpAt: new Date(givesUpAtMs),
    });
  }

  cancelled(at: Date): this {
    this.status = 'cancelled';
    this.finishedAt = at;
    return this;
  }
}
