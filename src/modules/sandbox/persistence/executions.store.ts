import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { arrayOfTimes } from '../../../platform/database/array-literal.js';
import { Database } from '../../../platform/database/database.js';
import { prepared } from '../../../platform/database/prepared.js';
import { type Page, pageOf, type PageRequest } from '../../../platform/database/page.js';
import type { ExecutionArtifacts } from '../domain/artifacts.js';
import type { ExecutionState } from '../domain/execution-state.js';
import type { SandboxOutcome } from '../domain/sandbox-runtime.js';
import { violatedConstraintOf } from '../../../platform/database/violated-constraint.js';
import { type QueuedExecution, SandboxExecution } from './sandbox-execution.entity.js';

/** These columns hold up to 6 MiB for an execution, so lists leave them out. */
const LONG = ['stdout', 'stderr', 'error', 'results', 'artifacts'];

/** An execution in a list, without its output. */
export type ListedExecution = Omit<SandboxExecution, 'stdout' | 'stderr' | 'error' | 'results' | 'artifacts'>;

/** How an execution ended that has run to its end. */
export interface Finish {
  readonly outcome: Omit<SandboxOutcome, 'artifactErrors'>;
  /** Null for one that sends none. */
  readonly artifacts: ExecutionArtifacts | null;
  readonly costNano: bigint | null;
  readonly finishedAt: Date;
}

/** A locked execution that has not ended. */
export type LiveExecution = Pick<SandboxExecution, 'id' | 'orgId' | 'status' | 'language' | 'limits' | 'startedAt'>;
/** An execution that was given up: `lost` if it had started, otherwise `cancelled`. */
export type OverdueExecution = Pick<SandboxExecution, 'id' | 'orgId' | 'language'> & {
  readonly status: 'lost' | 'cancelled';
};

export interface Beginning {
  readonly startedAt: Date;
  readonly queueMs: number;
  readonly givesUpAt: Date;
  readonly triedAtMs: readonly number[];
}

/** Another execution of the organization has the key of the effect. */
export class EffectAlreadyBegun extends Error {}

const ADD = prepared(`
  INSERT INTO sandbox_executions (id, org_id, user_id, key_id, effect_key, session_id, language, status, limits,
    created_at, gives_up_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`);
const BEGIN = prepared(`
  UPDATE sandbox_executions SET status = 'running', started_at = $2, queue_ms = $3, gives_up_at = $4
  WHERE id = $1 AND (status = 'queued' AND gives_up_at > $2
    OR status = 'running' AND started_at = ANY($5::timestamptz[]))`);
const LOCK_LIVE = prepared(`
  SELECT id, org_id AS "orgId", status, language, limits, started_at AS "startedAt" FROM sandbox_executions
  WHERE id = $1 AND status IN ('queued', 'running') FOR UPDATE`);
const FINISH = prepared(`
  UPDATE sandbox_executions SET status = $2, stdout = $3, stderr = $4, truncated = $5, exit_code = $6, signal = $7,
    duration_ms = $8, cpu_ms = $9, memory_peak_bytes = $10, runtime = $11, error = $12, results = $13, artifacts = $14,
    state_lost = $15, cost_nano = $16, finished_at = $17
  WHERE id = $1`);

const jsonOf = (value: object | null): string | null => (value === null ? null : JSON.stringify(value));

/** Each transition names the states that it leads from, so that the first of two concurrent transitions wins. */
@Injectable()
export class ExecutionsStore {
  constructor(private readonly database: Database) {}

  /**
   * Adds it within the running transaction.
   *
   * @throws {EffectAlreadyBegun} when the organization has an execution with the key of the effect.
   */
  async add(execution: QueuedExecution): Promise<void> {
    const { id, orgId, userId, keyId, effectKey, sessionId, language, status, limits, createdAt, givesUpAt } =
      execution;
    const facts = [id, orgId, userId, keyId, effectKey, sessionId, language, status, JSON.stringify(limits)];
    const values = [...facts, createdAt, givesUpAt];
    if (effectKey === null) {
      this.database.writeLater(ADD, values);
      return;
    }
    try {
      await this.database.ask(ADD, values);
    } catch (error) {
      if (violatedConstraintOf(error) === 'sandbox_executions_by_effect') throw new EffectAlreadyBegun();
      throw error;
    }
  }

  findByEffect(orgId: string, effectKey: string): Promise<Pick<SandboxExecution, 'id'> | null> {
    return this.database.manager.findOne(SandboxExecution, { select: { id: true }, where: { orgId, effectKey } });
  }

  /** Lets another execution have the key, if the one that has it ended without having started. */
  async forgetUnstarted(orgId: string, effectKey: string): Promise<void> {
    const unstarted = { orgId, effectKey, status: 'cancelled', startedAt: IsNull() } as const;
    await this.database.manager.update(SandboxExecution, unstarted, { effectKey: null });
  }

  get(id: string): Promise<SandboxExecution> {
    return this.database.manager.findOneByOrFail(SandboxExecution, { id });
  }

  /** Returns null for an execution of another organization, as for one that does not exist. */
  find(id: string, orgIds: readonly string[]): Promise<SandboxExecution | null> {
    return this.database.manager
      .createQueryBuilder(SandboxExecution, 'execution')
      .where('execution.id = :id AND execution.org_id = ANY(:orgIds)', { id, orgIds })
      .getOne();
  }

  /** Returns the newest executions first. */
  async list(orgId: string, page: PageRequest): Promise<Page<ListedExecution>> {
    const query = this.database.manager.createQueryBuilder(SandboxExecution, 'execution');
    const columns = query.expressionMap.mainAlias!.metadata.columns.map(({ propertyName }) => propertyName);
    query
      .select(columns.filter((name) => !LONG.includes(name)).map((name) => `execution.${name}`))
      .where('execution.org_id = :orgId', { orgId })
      .orderBy('execution.id', 'DESC')
      .limit(page.limit + 1);
    if (page.after !== undefined) query.andWhere('execution.id < :after', { after: page.after });
    return pageOf(await query.getMany(), page, ({ id }) => id);
  }

  /**
   * Returns false when the execution was cancelled or given up while it was queued, or has already started. A start at
   * one of `triedAtMs` does not count: it is an earlier attempt of this job whose commit was never confirmed.
   */
  async begin(id: string, { startedAt, queueMs, givesUpAt, triedAtMs }: Beginning): Promise<boolean> {
    const [, affected] = await this.database.manager.query<[unknown, number]>(BEGIN, [
      id,
      startedAt,
      queueMs,
      givesUpAt,
      arrayOfTimes(triedAtMs.map((ms) => new Date(ms))),
    ]);
    return affected === 1;
  }

  /** Fails when the database is unavailable. */
  async statusOf(id: string): Promise<ExecutionState | undefined> {
    const row = await this.database.manager.findOne(SandboxExecution, {
      select: { id: true, status: true },
      where: { id },
    });
    return row?.status;
  }

  /** Returns null when the execution has ended. No other transaction can end it until this one does. */
  async lockLive(id: string): Promise<LiveExecution | null> {
    const [live] = await this.database.ask<LiveExecution>(LOCK_LIVE, [id]);
    return live ?? null;
  }

  /** The caller must hold the lock of the execution, and it must be running. It is written later. */
  finishLater(id: string, { outcome, artifacts, costNano, finishedAt }: Finish): void {
    const { status, exitCode, signal, durationMs, cpuMs, memoryPeakBytes, truncated, runtime } = outcome;
    const { stdout, stderr, error = null, results = null, stateLost = null } = outcome;
    this.database.writeLater(FINISH, [
      id,
      status,
      Buffer.from(stdout),
      Buffer.from(stderr),
      JSON.stringify(truncated),
      exitCode,
      signal,
      durationMs,
      cpuMs,
      Math.round(memoryPeakBytes),
      JSON.stringify(runtime),
      jsonOf(error),
      jsonOf(results),
      jsonOf(artifacts),
      stateLost,
      costNano,
      finishedAt,
    ]);
  }

  /** The caller must hold the lock of the execution, and it must not have ended. */
  async end(
    id: string,
    { status, costNano, finishedAt }: { status: 'cancelled' | 'lost'; costNano: bigint | null; finishedAt: Date },
  ): Promise<void> {
    await this.database.manager.update(
      SandboxExecution,
      { id },
      { status, costNano: costNano?.toString() ?? null, finishedAt },
    );
  }

  /** Gives up and returns the executions whose worker can no longer be expected to report their end. */
  async giveUpOverdue(now: Date): Promise<OverdueExecution[]> {
    const result = await this.database.manager
      .createQueryBuilder()
      .update(SandboxExecution)
      .set({ status: () => "CASE WHEN status = 'queued' THEN 'cancelled' ELSE 'lost' END", finishedAt: now })
      .where("status IN ('queued', 'running') AND gives_up_at < :now", { now })
      .returning(['id', 'orgId', 'language', 'status'])
      .execute();
    type Row = Omit<OverdueExecution, 'orgId'> & { org_id: string };
    return (result.raw as Row[]).map(({ org_id, ...rest }) => ({ orgId: org_id, ...rest }));
  }

  /** Fails when the database is unavailable. */
  async ping(): Promise<void> {
    await this.database.manager.query('SELECT 1');
  }

  /** Deletes up to `limit` executions that were created before this time, and returns their number. */
  async deleteOlderThan(createdBefore: Date, limit: number): Promise<number> {
    const { affected } = await this.database.manager
      .createQueryBuilder()
      .delete()
      .from(SandboxExecution)
      .where(
        `id IN (SELECT id FROM sandbox_executions WHERE created_at < :createdBefore
                ORDER BY created_at LIMIT :limit FOR UPDATE SKIP LOCKED)`,
        { createdBefore, limit },
      )
      .execute();
    return affected ?? 0;
  }
}
