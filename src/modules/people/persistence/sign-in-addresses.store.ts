import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';

/** The networks that users have signed in from. */
@Injectable()
export class SignInAddressesStore {
  constructor(private readonly database: Database) {}

  async has(userId: string, network: string): Promise<boolean> {
    const rows = await this.database.manager.query<unknown[]>(
      'SELECT 1 FROM sign_in_addresses WHERE user_id = $1 AND network = $2',
      [userId, network],
    );
    return rows.length > 0;
  }

  /** Returns true when the network is new for the user. Deletes networks last seen before `forgetBefore`. */
  async note(
    userId: string,
    network: string,
    { now, forgetBefore }: { now: Date; forgetBefore: Date },
  ): Promise<boolean> {
    await this.database.manager.query('DELETE FROM sign_in_addresses WHERE user_id = $1 AND last_seen_at < $2', [
      userId,
      forgetBefore,
    ]);
    const [row] = await this.database.manager.query<[{ is_new: boolean }]>(
      `
      INSERT INTO sign_in_addresses (user_id, network, first_seen_at, last_seen_at) VALUES ($1, $2, $3, $3)
      ON CONFLICT (user_id, network)
        DO UPDATE SET last_seen_at = greatest(sign_in_addresses.last_seen_at, excluded.last_seen_at)
      RETURNING xmax = 0 AS is_new`,
      [userId, network, now],
    );
    return row.is_new;
  }

  async forgetAll(userId: string): Promise<void> {
    await this.database.manager.query('DELETE FROM sign_in_addresses WHERE user_id = $1', [userId]);
  }
}
