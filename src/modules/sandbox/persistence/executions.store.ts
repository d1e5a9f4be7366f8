import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { Database } from '../../../platform/database/database.js';
import { type Page, pageOf, type PageRequest } from '../../../platform/database/page.js';
import type { ExecutionState } from '../domain/execution-state.js';
import type { SandboxOutcome } from '../domain/sandbox-runtime.js';
import { type QueuedExecution, SandboxExecution } from './sandbox-execution.entity.js';

const LIVE = In(['queued', 'running']);
/** Up to 2 MiB each. */
const LONG = ['stdout', 'stderr', 'error'];

/** An execution in a list: without what it printed. */
export type ListedExecution = Omit<SandboxExecution, 'stdout' | 'stderr' | 'error'>;

/** One that is not over, locked. */
export type LiveExecution = Pick<SandboxExecution, 'id' | 'orgId' | 'status' | 'language' | 'limits' | 'startedAt'>;
/** One that was given up: lost if it had begun, else cancelled. */
export type OverdueExecution = Pick<SandboxExecution, 'id' | 'orgId' | 'language'> & {
  readonly status: 'lost' | 'cancelled';
};

export interface Beginning {
  readonly startedAt: Date;
  readonly queueMs: number;
  readonly givesUpAt: Date;
  readonly triedAtMs: readonly number[];
}

/** Each change of state names the states that it leads from, so that of two that meet the first one wins. */
@Injectable()
export class ExecutionsStore {
  constructor(private readonly database: Database) {}

  async add(execution: QueuedExecution): Promise<void> {
    await this.database.manager.insert(SandboxExecution, execution);
  }

  get(id: string): Promise<SandboxExecution> {
    return this.database.manager.findOneByOrFail(SandboxExecution, { id });
  }

  /** Null for one of another organization, as for one that never was. */
  find(id: string, orgIds: readonly string[]): Promise<SandboxExecution | null> {
    return this.database.manager
      .createQueryBuilder(SandboxExecution, 'execution')
      .where('execution.id = :id AND execution.org_id = ANY(:orgIds)', { id, orgIds })
      .getOne();
  }

  /** Newest first. */
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
   * False when it was cancelled, or given up, before a worker came to it; or has begun, but for a beginning that was
   * tried before for this very job and of which nobody knew whether it was written.
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

  /** Also tells, by failing, that the database is away. */
  async statusOf(id: string): Promise<ExecutionState | undefined> {
    const row = await this.database.manager.findOne(SandboxExecution, {
      select: { id: true, status: true },
      where: { id },
    });
    return row?.status;
  }

  /** Null for one that is over. Nobody else ends it until the transaction does. */
  lockLive(id: string): Promise<LiveExecution | null> {
    return this.database.manager
      .createQueryBuilder(SandboxExecution, 'execution')
      .select(['id', 'orgId', 'status', 'language', 'limits', 'startedAt'].map((name) => `execution.${name}`))
      .where({ id, status: LIVE })
      .setLock('pessimistic_write')
      .getOne();
  }

  /** Of one that is locked and runs. */
  async finish(
    id: string,
    { outcome, costNano, finishedAt }: { outcome: SandboxOutcome; costNano: bigint | null; finishedAt: Date },
  ): Promise<void> {
    const { stdout, stderr, memoryPeakBytes, error, ...facts } = outcome;
    await this.database.manager.update(
      SandboxExecution,
      { id },
      {
        ...facts,
        stdout: Buffer.from(stdout),
        stderr: Buffer.from(stderr),
        memoryPeakBytes: String(Math.round(memoryPeakBytes)),
        error: error ?? null,
        costNano: costNano?.toString() ?? null,
        finishedAt,
      },
    );
  }

  /** Of one that is locked and not over. */
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

  /** Gives up those whose worker can no longer be expected to tell how they ended, and says which. */
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

  /** Fails when the database is away. */
  async ping(): Promise<void> {
    await this.database.manager.query('SELECT 1');
  }

  /** Deletes up to `limit` of those that were made before, and says how many there were. */
  async deleteOlderThan(createdBefore: Date, limit: number): Promise<number> {
    const { affected } = await this.database.manager
      .createQueryBuilder()
      .delete()
      .from(SandboxExecution)
      .where(
        'id IN (SELECT id FROM sandbox_executions WHERE created_at < :createdBefore ORDER BY created_at LIMIT :limit FOR UPDATE SKIP LOCKED)',
        { createdBefore, limit },
      )
      .execute();
    return affected ?? 0;
  }
}
