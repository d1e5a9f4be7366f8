import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { keyOfProduction } from './alias-keys.js';
import { ALIASES_CHANNEL } from './aliases.store.js';
import { AppProtection } from './app-protection.entity.js';

@Injectable()
export class AppProtectionsStore {
  constructor(private readonly database: Database) {}

  find(projectId: string): Promise<AppProtection | null> {
    return this.database.manager.findOneBy(AppProtection, { projectId });
  }

  /** Joins the current transaction. Every process hears of the change as it does of a change of the aliases. */
  async set(protection: AppProtection): Promise<void> {
    await this.database.manager.upsert(AppProtection, protection, ['projectId']);
    const { projectId } = protection;
    // The custom hosts of the project are guarded like its production, which has a key of its own.
    await this.database.manager.query(
      `
      SELECT pg_notify($2, key)
      FROM (SELECT label AS key FROM host_aliases WHERE project_id = $1 UNION ALL SELECT $3) changed`,
      [projectId, ALIASES_CHANNEL, keyOfProduction(projectId)],
    );
  }

  async remove(projectId: string): Promise<void> {
    await this.database.manager.delete(AppProtection, { projectId });
  }
}
