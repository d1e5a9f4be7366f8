import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';

/** Stores the projects whose production stays with the deploy of a rollback. */
@Injectable()
export class DeployPinsStore {
  constructor(private readonly database: Database) {}

  async pin(projectId: string, deployId: string, at: Date): Promise<void> {
    await this.database.manager.query(
      `
      INSERT INTO deploy_pins (project_id, deploy_id, pinned_at) VALUES ($1, $2, $3)
      ON CONFLICT (project_id) DO UPDATE SET deploy_id = excluded.deploy_id, pinned_at = excluded.pinned_at`,
      [projectId, deployId, at],
    );
  }

  async unpin(projectId: string): Promise<void> {
    await this.database.manager.query('DELETE FROM deploy_pins WHERE project_id = $1', [projectId]);
  }

  /** The deploy that production is pinned to, or null. */
  async of(projectId: string): Promise<string | null> {
    const [row] = await this.database.manager.query<{ deploy_id: string }[]>(
      'SELECT deploy_id FROM deploy_pins WHERE project_id = $1',
      [projectId],
    );
    return row?.deploy_id ?? null;
  }
}
