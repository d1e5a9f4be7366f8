import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { inBatches } from '../../../platform/database/in-batches.js';
import { Clock } from '../../../platform/time/clock.js';
import { DatabaseBusy, DatabaseNotFound } from '../databases.errors.js';
import type { PreviewBranch } from '../persistence/attachment-rows.js';
import { DatabasesStore } from '../persistence/databases.store.js';
import { PreviewBranchesStore } from '../persistence/preview-branches.store.js';
import { DatabaseAdmission } from './database-admission.js';
import { DatabaseCreation } from './database-creation.js';
import { DatabaseDeletion } from './database-deletion.js';
import { MAX_DATABASE_NAME_LENGTH } from './database-label.js';

const KEPT_UNUSED_MS = 7 * 86_400_000;
const BATCH = 100;

/** Branches of databases for the previews of git branches. */
@Injectable()
export class PreviewBranches {
  constructor(
    private readonly database: Database,
    private readonly databases: DatabasesStore,
    private readonly previews: PreviewBranchesStore,
    private readonly admission: DatabaseAdmission,
    private readonly creation: DatabaseCreation,
    private readonly deletion: DatabaseDeletion,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns the id of the branch, and asks for it if there is none.
   *
   * @throws {DatabaseNotFound} `database_not_found`
   * @throws {TooManyDatabases} `plan_limit_reached`
   */
  async branchFor(preview: Omit<PreviewBranch, 'databaseId'>): Promise<string> {
    const used = await this.previews.use(preview, this.clock.now());
    return used ?? this.database.transaction(() => this.create(preview));
  }

  /** Deletes the branches of a project for a git branch, or all of a parent, as soon as nothing changes them. */
  async forget(of: {
    readonly projectId: string;
    readonly parentId?: string;
    readonly branch?: string;
  }): Promise<void> {
    await this.previews.expire(of);
  }

  /** Deletes the branches that nothing has used for 7 days. */
  async deleteUnused(stopping?: AbortSignal): Promise<void> {
    const before = new Date(this.clock.now().getTime() - KEPT_UNUSED_MS);
    await inBatches(
      async (limit) => {
        const ids = await this.previews.unusedSince(before, limit);
        for (const id of ids) await this.delete(id, before);
        return ids.length;
      },
      { size: BATCH, most: 10, stopping },
    );
  }

  private async create(preview: Omit<PreviewBranch, 'databaseId'>): Promise<string> {
    const { parentId, projectId, branch } = preview;
    const found = await this.databases.findById(parentId);
    if (found === undefined) throw new DatabaseNotFound();
    // The organization is always locked before its databases.
    await this.admission.lockRoom(undefined, found.org_id);
    const used = await this.previews.use(preview, this.clock.now());
    if (used !== undefined) return used;
    const parent = await this.databases.lockById(parentId);
    if (parent?.state !== 'ready') throw new DatabaseNotFound();
    const { id: databaseId } = await this.creation.add(undefined, {
      orgId: parent.org_id,
      projectId,
      name: await this.freeNameOf(parent.org_id, `${parent.name} ${branch}`),
      parent,
      operation: { kind: 'branch', state: 'creating', input: { parent_id: parentId } },
    });
    await this.previews.save({ ...preview, databaseId }, this.clock.now());
    return databaseId;
  }

  private async freeNameOf(orgId: string, name: string): Promise<string> {
    for (let number = 1; ; number++) {
      const suffix = number === 1 ? '' : ` ${number}`;
      const free = name.slice(0, MAX_DATABASE_NAME_LENGTH - suffix.length) + suffix;
      if (!(await this.databases.hasName(orgId, free))) return free;
    }
  }

  private async delete(id: string, before: Date): Promise<void> {
    try {
      await this.database.transaction(async () => {
        const database = await this.databases.lockById(id);
        if (database !== undefined && (await this.previews.isUnusedSince(id, before)))
          await this.deletion.begin(undefined, database);
      });
    } catch (error) {
      // The next sweep deletes it.
      if (!(error instanceof DatabaseBusy)) throw error;
    }
  }
}
