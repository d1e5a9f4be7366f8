import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';

/** Whom usage can be of: also organizations and projects that are deleted, because they used what they used before. */
@Injectable()
export class UsageOwnersStore {
  constructor(private readonly database: Database) {}

  async organizations(ids: readonly string[]): Promise<string[]> {
    const rows = await this.database.manager.query<{ id: string }[]>(
      'SELECT id FROM organizations WHERE id = ANY($1)',
      [ids],
    );
    return rows.map(({ id }) => id);
  }

  /** Each with its organization. */
  projects(ids: readonly string[]): Promise<{ id: string; org_id: string }[]> {
    return this.database.manager.query<{ id: string; org_id: string }[]>(
      'SELECT id, org_id FROM projects WHERE id = ANY($1)',
      [ids],
    );
  }
}
