import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { type Page, pageOf, type PageRequest } from '../../../platform/database/page.js';
import { violatedConstraintOf } from '../../../platform/database/violated-constraint.js';
import type { Language } from '../domain/sandbox-runtime.js';
import type { SessionEnd, SessionState } from '../domain/session-state.js';
import { SandboxSession } from './sandbox-session.entity.js';

const LIVE = "status IN ('starting', 'awake', 'frozen')";

/** A session whose end was written. */
export type EndedSession = Pick<SandboxSession, 'id' | 'orgId'>;

/** The state that the worker of a session reports, and when it was last used. */
export interface StateChange {
  readonly status: 'awake' | 'frozen';
  readonly workerId: string;
  readonly lastUsedAt: Date;
}

/** The run of an agent has a live session in this language. */
export class RunHasSession extends Error {}

/** The live sessions of the organization have as many choices of packages as they may. */
export class TooManyPackageChoices extends Error {}

/**
 * How many choices of packages the live sessions of one organization may have. A session keeps its packages on the disk
 * of its worker for hours, and the room for all organizations there is small.
 */
export const MAX_PACKAGE_CHOICES = 4;

/** Each transition names the states that it leads from, so that the first of two concurrent transitions wins. */
@Injectable()
export class SandboxSessionsStore {
  constructor(private readonly database: Database) {}

  /**
   * Returns false when the organization has as many live sessions as it may.
   *
   * @throws {RunHasSession}
   * @throws {TooManyPackageChoices}
   */
  async addWithin(limit: number, session: SandboxSession): Promise<boolean> {
    try {
      return await this.addNow(limit, session);
    } catch (error) {
      if (violatedConstraintOf(error) === 'sandbox_sessions_by_run') throw new RunHasSession();
      throw error;
    }
  }

  get(id: string): Promise<SandboxSession> {
    return this.database.manager.findOneByOrFail(SandboxSession, { id });
  }

  isStarting(id: string): Promise<boolean> {
    return this.database.manager.existsBy(SandboxSession, { id, status: 'starting' });
  }

  /** Returns null for a session of another organization, as for one that does not exist. */
  find(id: string, orgIds: readonly string[]): Promise<SandboxSession | null> {
    return this.database.manager
      .createQueryBuilder(SandboxSession, 'session')
      .where('session.id = :id AND session.org_id = ANY(:orgIds)', { id, orgIds })
      .getOne();
  }

  /** Returns the newest sessions first. */
  async list(orgId: string, status: SessionState | undefined, page: PageRequest): Promise<Page<SandboxSession>> {
    const query = this.database.manager
      .createQueryBuilder(SandboxSession, 'session')
      .where('session.org_id = :orgId', { orgId })
      .orderBy('session.id', 'DESC')
      .limit(page.limit + 1);
    if (status !== undefined) query.andWhere('session.status = :status', { status });
    if (page.after !== undefined) query.andWhere('session.id < :after', { after: page.after });
    return pageOf(await query.getMany(), page, ({ id }) => id);
  }

  /** Returns false when the session has ended. */
  async change(id: string, change: StateChange, aliveUntil?: Date): Promise<boolean> {
    const { affected } = await this.database.manager
      .createQueryBuilder()
      .update(SandboxSession)
      .set({ ...change, ...(aliveUntil === undefined ? {} : { aliveUntil }) })
      .where(`id = :id AND ${LIVE} AND (worker_id IS NULL OR worker_id = :workerId)`, {
        id,
        workerId: change.workerId,
      })
      .execute();
    return affected === 1;
  }

  /** Returns those of the sessions that are still live, after their end has been put off. */
  async keepAlive(ids: readonly string[], aliveUntil: Date): Promise<string[]> {
    if (ids.length === 0) return [];
    const result = await this.database.manager
      .createQueryBuilder()
      .update(SandboxSession)
      .set({ aliveUntil })
      .where(`id = ANY(:ids) AND ${LIVE}`, { ids })
      .returning(['id'])
      .execute();
    return (result.raw as { id: string }[]).map(({ id }) => id);
  }

  /** Returns why those of the sessions have ended that have. */
  async endReasonsOf(ids: readonly string[]): Promise<ReadonlyMap<string, SessionEnd>> {
    const ended = await this.database.manager
      .createQueryBuilder(SandboxSession, 'session')
      .select(['session.id', 'session.endReason'])
      .where('session.id = ANY(:ids) AND session.end_reason IS NOT NULL', { ids })
      .getMany();
    return new Map(ended.map(({ id, endReason }) => [id, endReason!]));
  }

  /** Returns false when the session had ended before. */
  async end(id: string, endReason: SessionEnd, at: Date): Promise<boolean> {
    const { affected } = await this.database.manager
      .createQueryBuilder()
      .update(SandboxSession)
      .set({ status: endReason === 'worker_lost' ? 'lost' : 'ended', endReason, endedAt: at })
      .where(`id = :id AND ${LIVE}`, { id })
      .execute();
    return affected === 1;
  }

  /** Returns the live sessions of the run of an agent, or that in one language. */
  liveOfRun(runId: string, language?: Language): Promise<SandboxSession[]> {
    const query = this.database.manager
      .createQueryBuilder(SandboxSession, 'session')
      .where(`session.run_id = :runId AND session.${LIVE}`, { runId });
    if (language !== undefined) query.andWhere('session.language = :language', { language });
    return query.getMany();
  }

  liveOf(orgId: string): Promise<SandboxSession[]> {
    return this.database.manager
      .createQueryBuilder(SandboxSession, 'session')
      .where(`session.org_id = :orgId AND session.${LIVE}`, { orgId })
      .getMany();
  }

  /** Ends and returns the sessions whose worker is gone. */
  async loseOverdue(now: Date): Promise<EndedSession[]> {
    const result = await this.database.manager
      .createQueryBuilder()
      .update(SandboxSession)
      .set({ status: 'lost', endReason: 'worker_lost', endedAt: now })
      .where(`${LIVE} AND alive_until < :now`, { now })
      .returning(['id', 'orgId'])
      .execute();
    return (result.raw as { id: string; org_id: string }[]).map(({ id, org_id }) => ({ id, orgId: org_id }));
  }

  /** Fails when the database is unavailable. */
  async ping(): Promise<void> {
    await this.database.manager.query('SELECT 1');
  }

  /** Deletes up to `limit` sessions that ended before this time, and returns their number. */
  async deleteEndedBefore(endedBefore: Date, limit: number): Promise<number> {
    const { affected } = await this.database.manager
      .createQueryBuilder()
      .delete()
      .from(SandboxSession)
      .where(
        `id IN (SELECT id FROM sandbox_sessions WHERE created_at < :endedBefore AND ended_at < :endedBefore
                ORDER BY created_at LIMIT :limit FOR UPDATE SKIP LOCKED)`,
        { endedBefore, limit },
      )
      .execute();
    return affected ?? 0;
  }

  private addNow(limit: number, session: SandboxSession): Promise<boolean> {
    return this.database.transaction(async () => {
      const { manager } = this.database;
      await manager.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [
        `sandbox sessions of ${session.orgId}`,
      ]);
      const [live] = await manager.query<[{ count: string }]>(
        `SELECT count(*) FROM sandbox_sessions WHERE org_id = $1 AND ${LIVE}`,
        [session.orgId],
      );
      if (Number(live.count) >= limit) return false;
      await this.requireFewChoices(session);
      await manager.insert(SandboxSession, session);
      return true;
    });
  }

  /** Sets are few, and shared by all. */
  private async requireFewChoices({ orgId, packages }: SandboxSession): Promise<void> {
    if (packages === null || packages.set !== undefined) return;
    const [others] = await this.database.manager.query<[{ count: string }]>(
      `SELECT count(DISTINCT packages) FROM sandbox_sessions
       WHERE org_id = $1 AND ${LIVE} AND NOT packages ? 'set' AND packages <> $2::jsonb`,
      [orgId, JSON.stringify(packages)],
    );
    if (Number(others.count) >= MAX_PACKAGE_CHOICES) throw new TooManyPackageChoices();
  }
}
