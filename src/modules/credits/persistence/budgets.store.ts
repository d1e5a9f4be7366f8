import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { type Page, pageOf, type PageRequest } from '../../../platform/database/page.js';
import { type Budget, type BudgetWindow, periodsOf, resetOf } from '../domain/budget.js';
import type { BudgetPeriod } from '../purse/purse-budgets.js';

/** A budget with what its current period has spent and holds, and when that period ends. */
export type SpentBudget = Budget & Readonly<BudgetPeriod> & { readonly resetsAt: Date | null };

interface Row {
  readonly id: string;
  readonly org_id: string;
  readonly subject: string;
  readonly window: BudgetWindow;
  readonly limit_nano: string;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly posted_nano: string | null;
  readonly held_nano: string | null;
}

/** Periods of the three windows have different names, so that at most one of them is the current one of a budget. */
const SELECT = `
  SELECT b.*, p.posted_nano, p.held_nano FROM budgets b
  LEFT JOIN budget_periods p ON p.budget_id = b.id AND p.period = ANY($2)`;

@Injectable()
export class BudgetsStore {
  constructor(private readonly database: Database) {}

  async find(orgId: string, subject: string, at: Date): Promise<SpentBudget | undefined> {
    const [row] = await this.query<Row>(`${SELECT} WHERE b.org_id = $1 AND b.subject = $3`, [
      orgId,
      periodsOf(at),
      subject,
    ]);
    return row && budgetOf(row, at);
  }

  /** Returns budgets, newest first. */
  async list(orgId: string, { limit, after }: PageRequest, at: Date): Promise<Page<SpentBudget>> {
    const rows = await this.query<Row>(
      `${SELECT} WHERE b.org_id = $1 AND NOT b.of_work AND ($3::text IS NULL OR b.id < $3) ORDER BY b.id DESC LIMIT $4`,
      [orgId, periodsOf(at), after ?? null, limit + 1],
    );
    return pageOf(
      rows.map((row) => budgetOf(row, at)),
      { limit, after },
      ({ id }) => id,
    );
  }

  async count(orgId: string): Promise<number> {
    const [row] = await this.query<{ count: number }>(
      'SELECT count(*)::int AS count FROM budgets WHERE org_id = $1 AND NOT of_work',
      [orgId],
    );
    return row!.count;
  }

  async insert({ id, orgId, subject, window, limitNano, createdAt, updatedAt }: Budget): Promise<void> {
    await this.query(
      `
      INSERT INTO budgets (id, org_id, subject, "window", limit_nano, created_at, updated_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7)`,
      [id, orgId, subject, window, limitNano, createdAt, updatedAt],
    );
  }

  async setLimit(id: string, limitNano: bigint, at: Date): Promise<void> {
    await this.query('UPDATE budgets SET limit_nano = $2, updated_at = $3 WHERE id = $1', [id, limitNano, at]);
  }

  /** Deletes a budget with its periods. What work still holds of it is forgotten. */
  async delete(id: string): Promise<void> {
    await this.query('DELETE FROM budgets WHERE id = $1', [id]);
  }

  private query<T>(text: string, values: unknown[]): Promise<T[]> {
    return this.database.manager.query<T[]>(text, values);
  }
}

const budgetOf = (row: Row, at: Date): SpentBudget => ({
  id: row.id,
  orgId: row.org_id,
  subject: row.subject,
  window: row.window,
  limitNano: BigInt(row.limit_nano),
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  postedNano: BigInt(row.posted_nano ?? 0),
  heldNano: BigInt(row.held_nano ?? 0),
  resetsAt: resetOf(row.window, at),
});
