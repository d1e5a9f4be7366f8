import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { EmailChange, type EmailChangeFields, type EmailChangeOutcome } from '../emails/email-change.js';

const COLUMNS = `
  id, user_id AS "userId", session_id AS "sessionId", ip, old_email AS "oldEmail", new_email AS "newEmail",
  requested_at AS "requestedAt", waived_at AS "waivedAt", expires_at AS "expiresAt", proven_at AS "provenAt",
  approved_at AS "approvedAt", outcome`;

/** A person has at most one change that has not ended, which the database ensures. */
@Injectable()
export class EmailChangesStore {
  constructor(private readonly database: Database) {}

  async insert({ fields }: EmailChange): Promise<void> {
    const { id, userId, sessionId, ip, oldEmail, newEmail, requestedAt, waivedAt, expiresAt } = fields;
    await this.database.manager.query(
      `
      INSERT INTO email_changes
        (id, user_id, session_id, ip, old_email, new_email, requested_at, waived_at, expires_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
      [id, userId, sessionId, ip, oldEmail, newEmail, requestedAt, waivedAt, expiresAt],
    );
  }

  /** Finds a change by its id, also one that has ended. */
  find(id: string): Promise<EmailChange | undefined> {
    return this.first('id = $1', [id]);
  }

  findPending(userId: string, now: Date): Promise<EmailChange | undefined> {
    return this.first('user_id = $1 AND ended_at IS NULL AND expires_at > $2', [userId, now]);
  }

  async saveProofs({ fields: { id, provenAt, approvedAt } }: EmailChange): Promise<void> {
    await this.database.manager.query('UPDATE email_changes SET proven_at = $2, approved_at = $3 WHERE id = $1', [
      id,
      provenAt,
      approvedAt,
    ]);
  }

  async end(id: string, outcome: EmailChangeOutcome, at: Date): Promise<void> {
    await this.database.manager.query('UPDATE email_changes SET ended_at = $2, outcome = $3 WHERE id = $1', [
      id,
      at,
      outcome,
    ]);
  }

  /** Ends the change of a person, expired or not. Returns the id of one that had not expired. */
  async cancelOf(userId: string, now: Date): Promise<string | undefined> {
    const [rows] = await this.database.manager.query<[{ id: string; live: boolean }[], number]>(
      `
      UPDATE email_changes SET ended_at = $2, outcome = 'cancelled'
      WHERE user_id = $1 AND ended_at IS NULL RETURNING id, expires_at > $2 AS live`,
      [userId, now],
    );
    return rows.find(({ live }) => live)?.id;
  }

  /** Lists people whose new address is proven and whose old address has not answered in time. */
  async dueAt(now: Date, limit: number): Promise<string[]> {
    const rows = await this.database.manager.query<{ id: string }[]>(
      `
      SELECT user_id AS id FROM email_changes
      WHERE ended_at IS NULL AND proven_at IS NOT NULL AND waived_at <= $1 AND expires_at > $1
      ORDER BY waived_at LIMIT $2`,
      [now, limit],
    );
    return rows.map(({ id }) => id);
  }

  /** Marks changes as reminded of that wait for the old address alone and were requested before a time. */
  async remind(requestedBefore: Date, now: Date): Promise<string[]> {
    const [rows] = await this.database.manager.query<[{ id: string }[], number]>(
      `
      UPDATE email_changes SET reminded_at = $2
      WHERE ended_at IS NULL AND proven_at IS NOT NULL AND approved_at IS NULL AND reminded_at IS NULL
        AND requested_at <= $1 AND waived_at > $2 RETURNING id`,
      [requestedBefore, now],
    );
    return rows.map(({ id }) => id);
  }

  /** Deletes up to `limit` rows that ended before a time, and returns how many. */
  async deleteExpired(before: Date, limit: number): Promise<number> {
    const [, count] = await this.database.manager.query<[unknown[], number]>(
      `
      DELETE FROM email_changes WHERE id IN (
        SELECT id FROM email_changes WHERE coalesce(ended_at, expires_at) < $1 LIMIT $2 FOR UPDATE SKIP LOCKED)`,
      [before, limit],
    );
    return count;
  }

  private async first(condition: string, values: readonly unknown[]): Promise<EmailChange | undefined> {
    const [row] = await this.database.manager.query<EmailChangeFields[]>(
      `SELECT ${COLUMNS} FROM email_changes WHERE ${condition}`,
      [...values],
    );
    return row && new EmailChange(row);
  }
}
