import { Injectable } from '@nestjs/common';
import { In, IsNull } from 'typeorm';
import { Database } from '../../../platform/database/database.js';
import { type Page, pageOf, type PageRequest } from '../../../platform/database/page.js';
import type { ExecutionArtifacts } from '../domain/artifacts.js';
import type { ExecutionState } from '../domain/execution-state.js';
import type { SandboxOutcome } from '../domain/sandbox-runtime.js';
import { violatedConstraintOf } from '../../../platform/database/violated-constraint.js';
import { type QueuedExecution, SandboxExecution } from './sandbox-execution.entity.js';

const LIVE = In(['queued', 'running']);
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

/** Each transition names the states that it leads from, so that the first of two concurrent transitions wins. */
@Injectable()
export class ExecutionsStore {
  constructor(private readonly database: Database) {}

  /** @throws {EffectAlreadyBegun} when the organization has an execution with the key of the effect. */
  async add(execution: QueuedExecution): Promise<void> {
    try {
      await this.database.manager.insert(SandboxExecution, execution);
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
    const { affected } = await this.database.manager
      .createQueryBuilder()
      .update(SandboxExecution)
      .set({ status: 'running', startedAt, queueMs, givesUpAt })
      .where({ id })
      .andWhere(
        "(status = 'queued' AND gives_up_at > :startedAt OR status = 'running' AND started_at = ANY(:triedAt))",
        { startedAt, triedAt: triedAtMs.map((ms) => new Date(ms)) },
      )
      .execute();
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
  lockLive(id: string): Promise<LiveExecution | null> {
    return this.database.manager
      .createQueryBuilder(SandboxExecution, 'execution')
      .select(['id', 'orgId', 'status', 'language', 'limits', 'startedAt'].map((name) => `execution.${name}`))
      .where({ id, status: LIVE })
      .setLock('pessimistic_write')
      .getOne();
  }

  /** The caller must hold the lock of the execution, and it must be running. */
  async finish(id: string, { outcome, artifacts, costNano, finishedAt }: Finish): Promise<void> {
    const { stdout, stderr, memoryPeakBytes, error, results, ...facts } = outcome;
    await this.database.manager.update(
      SandboxExecution,
      { id },
      {
        ...facts,
        stdout: Buffer.from(stdout),
        stderr: Buffer.from(stderr),
        memoryPeakBytes: String(Math.round(memoryPeakBytes)),
        error: error ?? null,
        results: results ?? null,
        artifacts,
        costNano: costNano?.toString() ?? null,
        finishedAt,
      },
    );
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
