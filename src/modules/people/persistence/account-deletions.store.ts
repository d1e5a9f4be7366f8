import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';

/** The deletion of an account. What names the person is forgotten when it is completed. */
export interface AccountDeletion {
  readonly userId: string;
  readonly username: string;
  /** The address that gets the last message. Null where none is sent. */
  readonly email: string | null;
  readonly requestedAt: Date;
}

@Injectable()
export class AccountDeletionsStore {
  constructor(private readonly database: Database) {}

  async insert({ userId, username, email, requestedAt }: AccountDeletion): Promise<void> {
    await this.database.manager.query(
      'INSERT INTO account_deletions (user_id, username, email, requested_at) VALUES ($1, $2, $3, $4)',
      [userId, username, email, requestedAt],
    );
  }

  /** Finds a deletion in progress. */
  async find(userId: string): Promise<AccountDeletion | undefined> {
    const [row] = await this.database.manager.query<AccountDeletion[]>(
      `
      SELECT user_id AS "userId", username, email, requested_at AS "requestedAt"
      FROM account_deletions WHERE user_id = $1 AND completed_at IS NULL`,
      [userId],
    );
    return row;
  }

  /** Lists whose deletions were requested before a time and are not completed. */
  async inProgress(requestedBefore: Date, limit: number): Promise<string[]> {
    const rows = await this.database.manager.query<{ id: string }[]>(
      `
      SELECT user_id AS id FROM account_deletions
      WHERE completed_at IS NULL AND requested_at < $1 ORDER BY requested_at LIMIT $2`,
      [requestedBefore, limit],
    );
    return rows.map(({ id }) => id);
  }

  async complete(userId: string, at: Date): Promise<void> {
    await this.database.manager.query(
      `
      UPDATE account_deletions SET completed_at = $2, username = NULL, email = NULL
      WHERE user_id = $1 AND completed_at IS NULL`,
      [userId, at],
    );
  }
}
