import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { type Page, pageOf, type PageRequest } from '../../../platform/database/page.js';
import type { KnownTask, PlacedTask } from '../domain/task-graph.js';
import {
  type SwarmTask,
  TASK_COLUMNS,
  TASK_STATES,
  type TaskCounts,
  type TaskNote,
  type TaskState,
} from './swarm-rows.js';

const NO_HOLDER = 'holder_run_id = NULL, holder_user_id = NULL, holder_name = NULL, lease_expires_at = NULL';

/** Tasks of swarms, and what follows from their needs. */
@Injectable()
export class SwarmTasksStore {
  constructor(private readonly database: Database) {}

  async insert(swarm: { id: string; orgId: string }, tasks: readonly PlacedTask[], now: Date): Promise<void> {
    const rows = tasks.map(({ id, title, description, openNeeds, labels, maxAttempts }) => ({
      ...{ id, title, description: description ?? null, open_needs: openNeeds, labels, max_attempts: maxAttempts },
    }));
    await this.sql(
      `INSERT INTO swarm_tasks (id, swarm_id, org_id, title, description, state, open_needs, labels, max_attempts,
         created_at, updated_at)
       SELECT id, $1, $2, title, description, CASE WHEN open_needs = 0 THEN 'open' ELSE 'blocked' END, open_needs,
         labels, max_attempts, $4, $4
       FROM json_to_recordset($3) AS t (id text, title text, description text, open_needs int, labels text[],
         max_attempts int)`,
      [swarm.id, swarm.orgId, JSON.stringify(rows), now],
    );
    await this.insertNeeds(tasks.flatMap(({ id, needs }) => needs.map((need) => ({ task: id, need }))));
  }

  async insertNeeds(needs: readonly { task: string; need: string }[]): Promise<void> {
    if (needs.length === 0) return;
    await this.sql(
      `INSERT INTO swarm_task_needs (task_id, need_id) SELECT * FROM unnest($1::text[], $2::text[])
       ON CONFLICT DO NOTHING`,
      [needs.map(({ task }) => task), needs.map(({ need }) => need)],
    );
  }

  /** Counts the needs of a task that is blocked or open again, and returns false when it is neither. */
  recount(id: string): Promise<boolean> {
    return this.changed(
      `UPDATE swarm_tasks t SET open_needs = n.open, state = CASE WHEN n.open = 0 THEN 'open' ELSE 'blocked' END,
         updated_at = clock_timestamp()
       FROM (SELECT count(*)::int AS open FROM swarm_task_needs JOIN swarm_tasks need ON need.id = need_id
             WHERE task_id = $1 AND need.state <> 'done') n
       WHERE t.id = $1 AND t.state IN ('blocked', 'open')`,
      [id],
    );
  }

  /** All tasks of a swarm, as far as needs are concerned. */
  graph(swarmId: string): Promise<KnownTask[]> {
    return this.sql<KnownTask>(
      `SELECT id, state, ARRAY(SELECT need_id FROM swarm_task_needs WHERE task_id = t.id) AS needs
       FROM swarm_tasks t WHERE swarm_id = $1 ORDER BY id`,
      [swarmId],
    );
  }

  /** Finds a task of one of these organizations. */
  async find(orgIds: readonly string[], id: string): Promise<SwarmTask | undefined> {
    const [row] = await this.sql<SwarmTask>(
      `SELECT ${TASK_COLUMNS} FROM swarm_tasks t WHERE id = $1 AND org_id = ANY($2)`,
      [id, orgIds],
    );
    return row;
  }

  /** In the order of the ids. */
  all(ids: readonly string[]): Promise<SwarmTask[]> {
    return this.sql(`SELECT ${TASK_COLUMNS} FROM swarm_tasks t WHERE id = ANY($1) ORDER BY array_position($1, id)`, [
      ids,
    ]);
  }

  /** Oldest first. */
  async list(swarmId: string, state: TaskState | undefined, page: PageRequest): Promise<Page<SwarmTask>> {
    const rows = await this.sql<SwarmTask>(
      `SELECT ${TASK_COLUMNS} FROM swarm_tasks t
       WHERE swarm_id = $1 AND ($2::text IS NULL OR state = $2) AND ($3::text IS NULL OR id > $3)
       ORDER BY id LIMIT $4`,
      [swarmId, state ?? null, page.after ?? null, page.limit + 1],
    );
    return pageOf(rows, page, ({ id }) => id);
  }

  async counts(swarmIds: readonly string[]): Promise<ReadonlyMap<string, TaskCounts>> {
    const rows = await this.sql<{ swarmId: string; state: TaskState; n: number }>(
      `SELECT swarm_id AS "swarmId", state, count(*)::int AS n FROM swarm_tasks
       WHERE swarm_id = ANY($1) GROUP BY swarm_id, state`,
      [swarmIds],
    );
    const none = Object.fromEntries(TASK_STATES.map((state) => [state, 0])) as Record<TaskState, number>;
    const counts = new Map(swarmIds.map((id) => [id, { ...none }]));
    for (const { swarmId, state, n } of rows) counts.get(swarmId)![state] = n;
    return counts;
  }

  async countHeldByRuns(swarmId: string): Promise<number> {
    const [row] = await this.sql<{ n: number }>(
      'SELECT count(*)::int AS n FROM swarm_tasks WHERE swarm_id = $1 AND holder_run_id IS NOT NULL',
      [swarmId],
    );
    return row!.n;
  }

  async addNote(id: string, note: TaskNote, atMost: number): Promise<boolean> {
    return this.changed(
      `UPDATE swarm_tasks SET notes = notes || $2::jsonb, updated_at = clock_timestamp()
       WHERE id = $1 AND jsonb_array_length(notes) < $3`,
      [id, JSON.stringify([note]), atMost],
    );
  }

  /** A need of these tasks is done. Returns those that are open now. The caller has locked the swarm. */
  async needDone(needId: string): Promise<string[]> {
    const rows = await this.returning<{ id: string; state: TaskState }>(
      `UPDATE swarm_tasks SET open_needs = open_needs - 1,
         state = CASE WHEN open_needs = 1 THEN 'open' ELSE state END, updated_at = clock_timestamp()
       WHERE id IN (SELECT task_id FROM swarm_task_needs WHERE need_id = $1) AND state = 'blocked'
       RETURNING id, state`,
      [needId],
    );
    return rows.filter(({ state }) => state === 'open').map(({ id }) => id);
  }

  /** Cancels every task that needs these, also through others. The caller has locked the swarm. */
  async cancelDependants(failedIds: readonly string[]): Promise<string[]> {
    const rows = await this.returning<{ id: string }>(
      `WITH RECURSIVE dependants AS (
         SELECT task_id FROM swarm_task_needs WHERE need_id = ANY($1)
         UNION SELECT n.task_id FROM swarm_task_needs n JOIN dependants d ON n.need_id = d.task_id)
       UPDATE swarm_tasks SET state = 'cancelled', updated_at = clock_timestamp(),
         error = '{"code": "need_failed", "message": "A task that it needs has failed."}'
       WHERE id IN (SELECT task_id FROM dependants) AND state = 'blocked' RETURNING id`,
      [failedIds],
    );
    return rows.map(({ id }) => id).sort();
  }

  /** Cancels what is not over. The caller has locked the swarm. */
  async cancelAll(swarmId: string): Promise<void> {
    await this.sql(
      `UPDATE swarm_tasks SET state = 'cancelled', ${NO_HOLDER}, updated_at = clock_timestamp()
       WHERE swarm_id = $1 AND state IN ('blocked', 'open', 'claimed')`,
      [swarmId],
    );
  }

  /** What is written to these tasks comes from outside of the service. */
  async taint(ids: readonly string[]): Promise<void> {
    await this.sql('UPDATE swarm_tasks SET tainted = true WHERE id = ANY($1)', [ids]);
  }

  /** All tasks of swarms that are active, by state. */
  async figures(): Promise<TaskCounts> {
    const rows = await this.sql<{ state: TaskState; n: number }>(
      `SELECT t.state, count(*)::int AS n FROM swarm_tasks t JOIN swarms s ON s.id = t.swarm_id
       WHERE s.ended_at IS NULL GROUP BY t.state`,
      [],
    );
    const of = (state: TaskState): number => rows.find((row) => row.state === state)?.n ?? 0;
    return Object.fromEntries(TASK_STATES.map((state) => [state, of(state)])) as TaskCounts;
  }

  private async changed(text: string, values: readonly unknown[]): Promise<boolean> {
    const [, count] = await this.database.manager.query<[unknown, number]>(text, [...values]);
    return count > 0;
  }

  private async returning<Row>(text: string, values: readonly unknown[]): Promise<Row[]> {
    const [rows] = await this.database.manager.query<[Row[], number]>(text, [...values]);
    return rows;
  }

  private sql<Row>(text: string, values: readonly unknown[]): Promise<Row[]> {
    return this.database.manager.query<Row[]>(text, [...values]);
  }
}
