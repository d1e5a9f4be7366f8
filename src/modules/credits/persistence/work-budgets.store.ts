import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { type BudgetWindow, periodsOf } from '../domain/budget.js';

export interface WorkBudgetRow {
  readonly id: string;
  readonly orgId: string;
  readonly subject: string;
  readonly window: BudgetWindow;
  readonly limitNano: bigint;
}

export interface WorkBudgetSpending {
  readonly limitNano: bigint;
  readonly postedNano: bigint;
  readonly heldNano: bigint;
}

/** Stores the budgets that belong to pieces of work. People neither list nor change them as budgets. */
@Injectable()
export class WorkBudgetsStore {
  constructor(private readonly database: Database) {}

  /** Returns those of the organizations that have no account yet. */
  async withoutAccount(orgIds: readonly string[]): Promise<string[]> {
    const rows = await this.query<{ id: string }>(
      `
      SELECT id FROM unnest($1::text[]) AS wanted (id)
      WHERE NOT EXISTS (SELECT FROM credit_accounts WHERE org_id = wanted.id)`,
      [orgIds],
    );
    return rows.map(({ id }) => id);
  }

  async addUnlessThere(budgets: readonly WorkBudgetRow[], at: Date): Promise<void> {
    await this.query(
      `
      INSERT INTO budgets (id, org_id, subject, "window", limit_nano, of_work, created_at, updated_at)
      SELECT id, org_id, subject, span, limit_nano, true, $6, $6
      FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[])
        AS added (id, org_id, subject, span, limit_nano)
      ON CONFLICT ON CONSTRAINT budgets_subject DO NOTHING`,
      [
        budgets.map(({ id }) => id),
        budgets.map(({ orgId }) => orgId),
        budgets.map(({ subject }) => subject),
        budgets.map(({ window }) => window),
        budgets.map(({ limitNano }) => limitNano),
        at,
      ],
    );
  }

  /** Returns false when the subject has no budget of this window. */
  async setLimit({ orgId, subject, window, limitNano }: Omit<WorkBudgetRow, 'id'>, at: Date): Promise<boolean> {
    const [, count] = await this.database.manager.query<[unknown, number]>(
      `UPDATE budgets SET limit_nano = $4, updated_at = $5
       WHERE org_id = $1 AND subject = $2 AND "window" = $3 AND of_work`,
      [orgId, subject, window, limitNano, at],
    );
    return count > 0;
  }

  async delete(orgId: string, subjects: readonly string[]): Promise<void> {
    await this.query('DELETE FROM budgets WHERE org_id = $1 AND subject = ANY($2) AND of_work', [orgId, subjects]);
  }

  async spendingOf(orgId: string, subjects: readonly string[], at: Date): Promise<Map<string, WorkBudgetSpending>> {
    const rows = await this.query<{ subject: string; limit: string; posted: string; held: string }>(
      `
      SELECT b.subject, b.limit_nano::text AS limit, coalesce(p.posted_nano, 0)::text AS posted,
        coalesce(p.held_nano, 0)::text AS held
      FROM budgets b LEFT JOIN budget_periods p ON p.budget_id = b.id AND p.period = ANY($3)
      WHERE b.org_id = $1 AND b.subject = ANY($2)`,
      [orgId, subjects, periodsOf(at)],
    );
    return new Map(
      rows.map(({ subject, limit, posted, held }) => [
        subject,
        { limitNano: BigInt(limit), postedNano: BigInt(posted), heldNano: BigInt(held) },
      ]),
    );
  }

  private query<T>(text: string, values: unknown[]): Promise<T[]> {
    return this.database.manager.query<T[]>(text, values);
  }
}
