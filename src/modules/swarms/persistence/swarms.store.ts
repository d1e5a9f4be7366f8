import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { type Page, pageOf, type PageRequest } from '../../../platform/database/page.js';
import type { Failure, Swarm, SwarmEndState, SwarmState } from './swarm-rows.js';

const COLUMNS = `
  id, org_id AS "orgId", name, goal, state, coordinator_agent_id AS "coordinatorAgentId",
  coordinator_run_id AS "coordinatorRunId", workers, cost_nano AS "costNano", reserve_nano AS "reserveNano", output,
  error, moves, awaited_moves AS "awaitedMoves", nudged_moves AS "nudgedMoves", fruitless_runs AS "fruitlessRuns",
  created_by AS "createdBy", created_by_key AS "createdByKey", created_at AS "createdAt", ended_at AS "endedAt"`;

export type NewSwarm = Pick<
  Swarm,
  | 'id'
  | 'orgId'
  | 'name'
  | 'goal'
  | 'coordinatorAgentId'
  | 'workers'
  | 'costNano'
  | 'reserveNano'
  | 'createdBy'
  | 'createdByKey'
  | 'createdAt'
>;

/** How a swarm ended. */
export interface SwarmEnd {
  readonly state: SwarmEndState;
  readonly output?: unknown;
  readonly error: Failure | null;
  readonly at: Date;
}

type Row = Omit<Swarm, 'costNano' | 'reserveNano'> & { costNano: string; reserveNano: string };
const swarmOf = (row: Row): Swarm => ({
  ...row,
  costNano: BigInt(row.costNano),
  reserveNano: BigInt(row.reserveNano),
});

@Injectable()
export class SwarmsStore {
  constructor(private readonly database: Database) {}

  async insert(swarm: NewSwarm): Promise<void> {
    const { id, orgId, name, goal, coordinatorAgentId, workers, costNano, reserveNano } = swarm;
    const { createdBy, createdByKey, createdAt } = swarm;
    await this.sql(
      `INSERT INTO swarms (id, org_id, name, goal, state, coordinator_agent_id, workers, cost_nano, reserve_nano,
         created_by, created_by_key, created_at)
       VALUES ($1, $2, $3, $4, 'running', $5, $6, $7, $8, $9, $10, $11)`,
      [
        ...[id, orgId, name, goal, coordinatorAgentId, JSON.stringify(workers), costNano.toString()],
        ...[reserveNano.toString(), createdBy, createdByKey, createdAt],
      ],
    );
  }

  async setCoordinatorRun(id: string, runId: string): Promise<void> {
    await this.sql('UPDATE swarms SET coordinator_run_id = $2 WHERE id = $1', [id, runId]);
  }

  /** Finds a swarm of one of these organizations. */
  async find(orgIds: readonly string[], id: string): Promise<Swarm | undefined> {
    return (await this.rows(`SELECT ${COLUMNS} FROM swarms WHERE id = $1 AND org_id = ANY($2)`, [id, orgIds]))[0];
  }

  /** Locks the swarm until the running transaction ends. It is locked after runs and before tasks. */
  async lock(id: string): Promise<Swarm | undefined> {
    return (await this.rows(`SELECT ${COLUMNS} FROM swarms WHERE id = $1 FOR UPDATE`, [id]))[0];
  }

  /** {@link lock}, unless another transaction has locked it. */
  async lockIfFree(id: string): Promise<Swarm | undefined> {
    return (await this.rows(`SELECT ${COLUMNS} FROM swarms WHERE id = $1 FOR UPDATE SKIP LOCKED`, [id]))[0];
  }

  /** Newest first. */
  async list(orgId: string, state: SwarmState | undefined, page: PageRequest): Promise<Page<Swarm>> {
    const rows = await this.rows(
      `SELECT ${COLUMNS} FROM swarms
       WHERE org_id = $1 AND ($2::text IS NULL OR state = $2) AND ($3::text IS NULL OR id < $3)
       ORDER BY id DESC LIMIT $4`,
      [orgId, state ?? null, page.after ?? null, page.limit + 1],
    );
    return pageOf(rows, page, ({ id }) => id);
  }

  async countActive(orgId: string): Promise<number> {
    const [row] = await this.sql<{ n: number }>(
      'SELECT count(*)::int AS n FROM swarms WHERE org_id = $1 AND ended_at IS NULL',
      [orgId],
    );
    return row!.n;
  }

  /**
   * Something on the board has changed: a stalled swarm is running again, and the next round of the schedule looks at
   * it. Locks the swarm.
   */
  async moved(id: string): Promise<void> {
    await this.sql(
      `UPDATE swarms SET moves = moves + 1, needs_turn = true,
         fruitless_runs = CASE WHEN state = 'stalled' THEN 0 ELSE fruitless_runs END,
         error = CASE WHEN state = 'stalled' THEN NULL ELSE error END,
         state = CASE WHEN state = 'stalled' THEN 'running' ELSE state END
       WHERE id = $1`,
      [id],
    );
  }

  /** Returns false, and adds nothing, when the results of the tasks would be larger together. Locks the swarm. */
  async addResult(id: string, bytes: number, atMost: number): Promise<boolean> {
    const [, count] = await this.database.manager.query<[unknown, number]>(
      'UPDATE swarms SET result_bytes = result_bytes + $2 WHERE id = $1 AND result_bytes + $2 <= $3',
      [id, bytes, atMost],
    );
    return count > 0;
  }

  async setFruitlessRuns(id: string, count: number): Promise<void> {
    await this.sql('UPDATE swarms SET fruitless_runs = $2, needs_turn = true WHERE id = $1', [id, count]);
  }

  /** Records what the coordinator waits for. Null: it does not wait. */
  async setAwaited(id: string, awaitedMoves: number | null, nudgedMoves: number | null): Promise<void> {
    await this.sql('UPDATE swarms SET awaited_moves = $2, nudged_moves = $3, needs_turn = true WHERE id = $1', [
      id,
      awaitedMoves,
      nudgedMoves,
    ]);
  }

  async stall(id: string, error: Failure): Promise<void> {
    await this.sql("UPDATE swarms SET state = 'stalled', error = $2, needs_turn = true WHERE id = $1", [
      id,
      JSON.stringify(error),
    ]);
  }

  async end(id: string, { state, output, error, at }: SwarmEnd): Promise<void> {
    await this.sql(
      `UPDATE swarms SET state = $2, output = $3, error = $4, ended_at = $5, needs_turn = true, awaited_moves = NULL
       WHERE id = $1`,
      [
        ...[id, state, output === undefined ? null : JSON.stringify(output)],
        ...[error === null ? null : JSON.stringify(error), at],
      ],
    );
  }

  async askForTurns(ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await this.sql('UPDATE swarms SET needs_turn = true WHERE id = ANY($1)', [ids]);
  }

  /** The swarms of organizations whose plan has changed may start runs again. */
  async askForTurnsWithOpenTasks(): Promise<void> {
    await this.sql(
      `UPDATE swarms s SET needs_turn = true WHERE state = 'running' AND NOT needs_turn
         AND EXISTS (SELECT 1 FROM swarm_tasks t WHERE t.swarm_id = s.id AND t.state = 'open')`,
      [],
    );
  }

  /** Swarms that need a turn, in the order of their ids, after `last`. */
  needingTurn(last: string | undefined, limit: number): Promise<{ id: string; orgId: string }[]> {
    return this.sql('SELECT id, org_id AS "orgId" FROM swarms WHERE needs_turn AND id > $1 ORDER BY id LIMIT $2', [
      last ?? '',
      limit,
    ]);
  }

  async turnDone(id: string): Promise<void> {
    await this.sql('UPDATE swarms SET needs_turn = false WHERE id = $1', [id]);
  }

  /** Swarms of one organization each, that ended before a time and whose runs have ended. */
  endedBefore(time: Date, limit: number): Promise<{ orgId: string; ids: string[] }[]> {
    return this.sql(
      `SELECT org_id AS "orgId", array_agg(id) AS ids FROM (
         SELECT org_id, id FROM swarms WHERE ended_at < $1 AND NOT needs_turn ORDER BY ended_at LIMIT $2) old
       GROUP BY org_id`,
      [time, limit],
    );
  }

  async delete(ids: readonly string[]): Promise<void> {
    await this.sql('DELETE FROM swarms WHERE id = ANY($1)', [ids]);
  }

  async countStalled(): Promise<number> {
    const [row] = await this.sql<{ n: number }>("SELECT count(*)::int AS n FROM swarms WHERE state = 'stalled'", []);
    return row!.n;
  }

  private async rows(text: string, values: readonly unknown[]): Promise<Swarm[]> {
    return (await this.sql<Row>(text, values)).map(swarmOf);
  }

  private sql<T>(text: string, values: readonly unknown[]): Promise<T[]> {
    return this.database.manager.query<T[]>(text, [...values]);
  }
}
