import assert from 'node:assert/strict';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { ExecutionState } from '../domain/execution-state.js';
import type { ExecutionError, Language, SandboxLimits, SandboxOutcome } from '../domain/sandbox-runtime.js';

/** What there is to know of an execution before a worker begins it. */
export type QueuedExecution = Pick<
  SandboxExecution,
  'id' | 'orgId' | 'userId' | 'keyId' | 'language' | 'limits' | 'createdAt' | 'givesUpAt'
> & { readonly status: 'queued' };

/** A run of code for an organization, and how it went. Its code is not kept. */
@Entity('sandbox_executions')
export class SandboxExecution {
  /** Also the id of its job, so that whoever knows the one can end the other. */
  @PrimaryColumn('text') id!: string;
  @Column('text', { name: 'org_id' }) orgId!: string;
  @Column('text', { name: 'user_id' }) userId!: string;
  @Column('text', { name: 'key_id', nullable: true }) keyId!: string | null;
  @Column('text') language!: Language;
  @Column('text') status!: ExecutionState;
  @Column('jsonb') limits!: SandboxLimits;
  /** UTF-8 in bytes: a program may print NUL, which PostgreSQL's text cannot hold. */
  @Column('bytea', { nullable: true }) stdout!: Buffer | null;
  @Column('bytea', { nullable: true }) stderr!: Buffer | null;
  @Column('jsonb', { nullable: true }) truncated!: SandboxOutcome['truncated'] | null;
  @Column('int', { name: 'exit_code', nullable: true }) exitCode!: number | null;
  @Column('text', { nullable: true }) signal!: string | null;
  @Column('int', { name: 'queue_ms', nullable: true }) queueMs!: number | null;
  @Column('double precision', { name: 'duration_ms', nullable: true }) durationMs!: number | null;
  @Column('double precision', { name: 'cpu_ms', nullable: true }) cpuMs!: number | null;
  /** More than fits in 32 bits; the driver gives it as text. */
  @Column('bigint', { name: 'memory_peak_bytes', nullable: true }) memoryPeakBytes!: string | null;
  @Column('jsonb', { nullable: true }) runtime!: SandboxOutcome['runtime'] | null;
  @Column('json', { nullable: true }) error!: ExecutionError | null;
  /** In nano-dollars; null until it is over, and where it costs nothing by its nature. */
  @Column('bigint', { name: 'cost_nano', nullable: true }) costNano!: string | null;
  @Column('timestamptz', { name: 'created_at' }) createdAt!: Date;
  @Column('timestamptz', { name: 'started_at', nullable: true }) startedAt!: Date | null;
  @Column('timestamptz', { name: 'finished_at', nullable: true }) finishedAt!: Date | null;
  /** While it is queued or running: by then it is over, or lost. */
  @Column('timestamptz', { name: 'gives_up_at' }) givesUpAt!: Date;

  /** An execution that waits for a worker. */
  static queued(
    facts: Pick<SandboxExecution, 'id' | 'orgId' | 'userId' | 'keyId' | 'language' | 'limits'>,
    { at, givesUpAt }: { at: Date; givesUpAt: Date },
  ): QueuedExecution {
    assert(givesUpAt > at, 'An execution was given up before it was queued.');
    const { id, orgId, userId, keyId, language, limits } = facts;
    return { id, orgId, userId, keyId, language, limits, status: 'queued', createdAt: at, givesUpAt };
  }

  cancelled(at: Date): this {
    this.status = 'cancelled';
    this.finishedAt = at;
    return this;
  }
}
