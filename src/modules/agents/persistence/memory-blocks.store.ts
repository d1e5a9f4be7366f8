import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';

/** A block that was written since the agent was created. */
export interface BlockRow {
  readonly label: string;
  readonly value: string;
  readonly version: number;
  readonly runId: string | null;
  readonly tainted: boolean;
  readonly updatedAt: Date;
}

/** Callers that change blocks must hold the lock of the agent. */
@Injectable()
export class MemoryBlocksStore {
  constructor(private readonly database: Database) {}

  list(agentId: string): Promise<BlockRow[]> {
    return this.database.manager.query<BlockRow[]>(
      `SELECT label, value, version, run_id AS "runId", tainted, updated_at AS "updatedAt" FROM agent_blocks
       WHERE agent_id = $1`,
      [agentId],
    );
  }

  async set(agentId: string, { label, value, version, runId, tainted, updatedAt }: BlockRow): Promise<void> {
    await this.database.manager.query(
      `INSERT INTO agent_blocks (agent_id, label, value, version, run_id, tainted, updated_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7)
       ON CONFLICT (agent_id, label) DO UPDATE SET value = excluded.value, version = excluded.version,
         run_id = excluded.run_id, tainted = excluded.tainted, updated_at = excluded.updated_at`,
      [agentId, label, value, version, runId, tainted, updatedAt],
    );
  }

  async removeAll(agentId: string): Promise<void> {
    await this.database.manager.query('DELETE FROM agent_blocks WHERE agent_id = $1', [agentId]);
  }
}
