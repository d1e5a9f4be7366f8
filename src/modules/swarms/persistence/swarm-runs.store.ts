import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';

/** A run of an agent of a swarm. */
export interface SwarmRun {
  readonly runId: string;
  readonly swarmId: string;
  readonly agentId: string;
  readonly role: 'coordinator' | 'worker';
  /** How many tasks it has completed. */
  readonly done: number;
}

const COLUMNS = 'run_id AS "runId", swarm_id AS "swarmId", agent_id AS "agentId", role, done';

@Injectable()
export class SwarmRunsStore {
  constructor(private readonly database: Database) {}

  async insertAll(runs: readonly Omit<SwarmRun, 'done'>[]): Promise<void> {
    await this.database.manager.query(
      `INSERT INTO swarm_runs (run_id, swarm_id, agent_id, role)
       SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[])`,
      [
        runs.map(({ runId }) => runId),
        runs.map(({ swarmId }) => swarmId),
        runs.map(({ agentId }) => agentId),
        runs.map(({ role }) => role),
      ],
    );
  }

  activeOf(swarmId: string): Promise<SwarmRun[]> {
    return this.database.manager.query<SwarmRun[]>(
      `SELECT ${COLUMNS} FROM swarm_runs WHERE swarm_id = $1 AND ended_at IS NULL ORDER BY run_id`,
      [swarmId],
    );
  }

  async completedTask(runId: string): Promise<void> {
    await this.database.manager.query('UPDATE swarm_runs SET done = done + 1 WHERE run_id = $1', [runId]);
  }

  /** Returns undefined for a run that no swarm has started, such as a run below one of its runs. */
  async end(runId: string, at: Date): Promise<SwarmRun | undefined> {
    const [rows] = await this.database.manager.query<[SwarmRun[], number]>(
      `UPDATE swarm_runs SET ended_at = $2 WHERE run_id = $1 RETURNING ${COLUMNS}`,
      [runId, at],
    );
    return rows[0];
  }
}
