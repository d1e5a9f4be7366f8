import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { type Page, pageOf, type PageRequest } from '../../../platform/database/page.js';
import type { OpsTaskStatus, Severity } from '../domain/ops-task-status.js';
import { OpsTaskEvent } from './ops-task-event.entity.js';
import { OpsTask } from './ops-task.entity.js';

export interface TaskFilter {
  readonly status: OpsTaskStatus | undefined;
  readonly runbookTag: string | undefined;
}

export interface TaskFigures {
  readonly open: number;
  readonly claimed: number;
  readonly resolved24h: number;
  /** The oldest task that is neither claimed nor silenced; null when there is none. */
  readonly oldestOpenAt: Date | null;
  /** The number of unresolved tasks by tag. */
  readonly byTag: Readonly<Record<string, number>>;
  /** The same by severity. */
  readonly oldestOpenBySeverity: Readonly<Partial<Record<Severity, Date>>>;
}

@Injectable()
export class OpsTasksStore {
  constructor(private readonly database: Database) {}

  find(id: string): Promise<OpsTask | null> {
    return this.database.manager.findOneBy(OpsTask, { id });
  }

  /** Returns the newest tasks first. */
  async list({ status, runbookTag }: TaskFilter, page: PageRequest): Promise<Page<OpsTask>> {
    const query = this.database.manager
      .createQueryBuilder(OpsTask, 'task')
      .orderBy('task.id', 'DESC')
      .limit(page.limit + 1);
    if (status !== undefined) query.andWhere('task.status = :status', { status });
    if (runbookTag !== undefined) query.andWhere('task.runbook_tag = :runbookTag', { runbookTag });
    if (page.after !== undefined) query.andWhere('task.id < :after', { after: page.after });
    return pageOf(await query.getMany(), page, ({ id }) => id);
  }

  events(taskId: string): Promise<OpsTaskEvent[]> {
    return this.database.manager.find(OpsTaskEvent, { where: { taskId }, order: { at: 'ASC', id: 'ASC' } });
  }

  async record(event: OpsTaskEvent): Promise<void> {
    const { id, taskId, kind, actor, details, at } = event;
    await this.database.manager.insert(OpsTaskEvent, { id, taskId, kind, actor, details: details as object, at });
  }

  /**
   * Exactly one of several racing agents succeeds. Returns false when another agent holds the task, when it is
   * resolved, or when it does not exist.
   */
  claim(id: string, agent: string, expiresAt: Date, now: Date): Promise<boolean> {
    return this.changed(
      `
      UPDATE ops_tasks SET status = 'claimed', claimed_by = $2, claim_expires_at = $3, updated_at = $4
      WHERE id = $1 AND (status = 'open' OR (status = 'claimed' AND (claimed_by = $2 OR claim_expires_at <= $4)))`,
      [id, agent, expiresAt, now],
    );
  }

  /** Returns false unless `agent` holds the task. */
  prolong(id: string, agent: string, expiresAt: Date, now: Date): Promise<boolean> {
    return this.changed(
      `
      UPDATE ops_tasks SET claim_expires_at = $3, updated_at = $4
      WHERE id = $1 AND status = 'claimed' AND claimed_by = $2 AND claim_expires_at > $4`,
      [id, agent, expiresAt, now],
    );
  }

  /** Returns false unless `agent` holds the task. */
  release(id: string, agent: string, now: Date): Promise<boolean> {
    return this.changed(
      `
      UPDATE ops_tasks SET status = 'open', claimed_by = NULL, claim_expires_at = NULL, updated_at = $3
      WHERE id = $1 AND status = 'claimed' AND claimed_by = $2`,
      [id, agent, now],
    );
  }

  /** Returns false when another agent holds the task, or when it is resolved. */
  resolve(id: string, agent: string, resolution: string, now: Date): Promise<boolean> {
    return this.changed(
      `
      UPDATE ops_tasks
      SET status = 'resolved', resolved_at = $4, resolved_by = $2, resolution = $3,
          claimed_by = NULL, claim_expires_at = NULL, updated_at = $4
      WHERE id = $1 AND (status = 'open' OR (status = 'claimed' AND (claimed_by = $2 OR claim_expires_at <= $4)))`,
      [id, agent, resolution, now],
    );
  }

  /** Returns false when the task is resolved. */
  silence(id: string, until: Date, now: Date): Promise<boolean> {
    return this.changed(
      "UPDATE ops_tasks SET silenced_until = $2, updated_at = $3 WHERE id = $1 AND status <> 'resolved'",
      [id, until, now],
    );
  }

  /** Reopens the tasks whose claim has expired, and returns them with their former holders. */
  async openExpired(now: Date): Promise<{ id: string; holder: string }[]> {
    const [rows] = await this.database.manager.query<[{ id: string; holder: string }[], number]>(
      `
      WITH expired AS (
        SELECT id, claimed_by FROM ops_tasks WHERE status = 'claimed' AND claim_expires_at <= $1 FOR UPDATE SKIP LOCKED
      )
      UPDATE ops_tasks task SET status = 'open', claimed_by = NULL, claim_expires_at = NULL, updated_at = $1
      FROM expired WHERE task.id = expired.id RETURNING task.id, expired.claimed_by AS holder`,
      [now],
    );
    return rows;
  }

  async deleteResolvedBefore(before: Date, limit: number): Promise<number> {
    const [, count] = await this.database.manager.query<[unknown[], number]>(
      `
      DELETE FROM ops_tasks
      WHERE id IN (SELECT id FROM ops_tasks WHERE status = 'resolved' AND resolved_at < $1 LIMIT $2)`,
      [before, limit],
    );
    return count;
  }

  async figures(now: Date): Promise<TaskFigures> {
    const rows = await this.database.manager.query<
      { tag: string; severity: Severity; status: OpsTaskStatus; count: number; oldest: Date | null }[]
    >(
      `
      SELECT runbook_tag AS tag, severity, status, count(*)::int AS count,
             min(created_at) FILTER (WHERE silenced_until IS NULL OR silenced_until <= $1) AS oldest
      FROM ops_tasks WHERE status <> 'resolved' GROUP BY runbook_tag, severity, status`,
      [now],
    );
    const [resolved] = await this.database.manager.query<{ count: number }[]>(
      'SELECT count(*)::int AS count FROM ops_tasks WHERE resolved_at > $1',
      [new Date(now.getTime() - 86_400_000)],
    );

    const byTag: Record<string, number> = {};
    const oldest: Partial<Record<Severity, Date>> = {};
    for (const { tag, severity, status, count, oldest: at } of rows) {
      byTag[tag] = (byTag[tag] ?? 0) + count;
      const known = oldest[severity];
      if (status === 'open' && at !== null && (known === undefined || at < known)) oldest[severity] = at;
    }
    const total = (status: OpsTaskStatus): number =>
      rows.filter((row) => row.status === status).reduce((sum, { count }) => sum + count, 0);
    const [oldestOpenAt = null] = Object.values(oldest).sort((one, other) => one.getTime() - other.getTime());
    return {
      open: total('open'),
      claimed: total('claimed'),
      resolved24h: resolved!.count,
      oldestOpenAt,
      byTag,
      oldestOpenBySeverity: oldest,
    };
  }

  private async changed(statement: string, parameters: readonly unknown[]): Promise<boolean> {
    const [, count] = await this.database.manager.query<[unknown[], number]>(statement, [...parameters]);
    return count > 0;
  }
}
