import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';

/** The tables of this module that hold personal data besides the account itself. */
const TABLES = ['email_changes', 'email_tokens', 'sign_in_addresses'] as const;

@Injectable()
export class PersonalRowsStore {
  constructor(private readonly database: Database) {}

  async deleteAllOf(userId: string): Promise<void> {
    for (const table of TABLES) await this.database.manager.query(`DELETE FROM ${table} WHERE user_id = $1`, [userId]);
  }
}
