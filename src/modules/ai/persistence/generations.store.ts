import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { insertOf } from '../../../platform/database/insert-of.js';
import { prepared } from '../../../platform/database/prepared.js';
import { type Page, pageOf, type PageRequest } from '../../../platform/database/page.js';
import type { GenerationOutcome } from '../domain/generation-state.js';
import { Generation, GenerationStart } from './generation.entity.js';

/** A filter for the generations of an organization. */
export interface GenerationFilter {
  readonly model: string | undefined;
  readonly outcome: GenerationOutcome | undefined;
  readonly keyId: string | undefined;
  readonly projectId: string | undefined;
}

@Injectable()
export class GenerationsStore {
  private endStatement: string | undefined;

  constructor(private readonly database: Database) {}

  /** Does nothing for starts that are known. */
  async begin(starts: readonly GenerationStart[]): Promise<void> {
    const { statement, rows } = insertOf(this.database.manager, GenerationStart, starts);
    await this.database.manager.query(statement, [rows]);
  }

  /** Removes the starts. Does nothing for generations that have ended before. */
  async end(generations: readonly Generation[]): Promise<void> {
    const { statement, rows } = insertOf(this.database.manager, Generation, generations);
    this.endStatement ??= prepared(
      `WITH ended AS (${statement}) DELETE FROM generation_starts WHERE id = ANY($2::text[])`,
    );
    await this.database.manager.query(this.endStatement, [rows, generations.map(({ id }) => id)]);
  }

  async forget(id: string): Promise<void> {
    await this.database.manager.delete(GenerationStart, { id });
  }

  /** Returns starts that nothing has ended in time. Two processes may get the same: ending it twice changes nothing. */
  overdue(now: Date, limit: number): Promise<GenerationStart[]> {
    return this.database.manager
      .createQueryBuilder(GenerationStart, 'start')
      .where('start.gives_up_at < :now', { now })
      .orderBy('start.gives_up_at')
      .limit(limit)
      .getMany();
  }

  /** Returns null for a generation of another organization, as for one that does not exist. */
  find(id: string, orgIds: readonly string[]): Promise<Generation | null> {
    return this.database.manager
      .createQueryBuilder(Generation, 'generation')
      .where('generation.id = :id AND generation.org_id = ANY(:orgIds)', { id, orgIds })
      .getOne();
  }

  /** Returns the newest generations first. */
  async list(orgId: string, filter: GenerationFilter, page: PageRequest): Promise<Page<Generation>> {
    const query = this.database.manager
      .createQueryBuilder(Generation, 'generation')
      .where('generation.org_id = :orgId', { orgId })
      .orderBy('generation.id', 'DESC')
      .limit(page.limit + 1);
    if (page.after !== undefined) query.andWhere('generation.id < :after', { after: page.after });
    const { model, outcome, keyId, projectId } = filter;
    if (model !== undefined) query.andWhere('generation.model = :model', { model });
    if (outcome !== undefined) query.andWhere('generation.outcome = :outcome', { outcome });
    if (keyId !== undefined) query.andWhere('generation.key_id = :keyId', { keyId });
    if (projectId !== undefined) query.andWhere('generation.project_id = :projectId', { projectId });
    return pageOf(await query.getMany(), page, ({ id }) => id);
  }

  /** Deletes up to `limit` generations that were created before this time, and returns their number. */
  async deleteExpired(createdBefore: Date, limit: number): Promise<number> {
    const { affected } = await this.database.manager
      .createQueryBuilder()
      .delete()
      .from(Generation)
      .where(
        `id IN (SELECT id FROM generations WHERE created_at < :createdBefore
                ORDER BY created_at LIMIT :limit FOR UPDATE SKIP LOCKED)`,
        { createdBefore, limit },
      )
      .execute();
    return affected ?? 0;
  }
}
