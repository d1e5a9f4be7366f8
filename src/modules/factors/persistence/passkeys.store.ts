import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { violatedConstraintOf } from '../../../platform/database/violated-constraint.js';
import { FactorRefused } from '../factors.errors.js';

export interface PasskeyRow {
  readonly id: string;
  readonly userId: string;
  readonly credentialId: string;
  readonly publicKey: Buffer;
  readonly counter: number;
  readonly transports: readonly string[];
  /** True when the passkey is copied between devices by their maker, so that losing one device does not lose it. */
  readonly backedUp: boolean;
  readonly name: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
}

const COLUMNS = `
  id, user_id AS "userId", credential_id AS "credentialId", public_key AS "publicKey", counter, transports,
  backed_up AS "backedUp", name, created_at AS "createdAt", last_used_at AS "lastUsedAt"`;

@Injectable()
export class PasskeysStore {
  constructor(private readonly database: Database) {}

  /** @throws {FactorRefused} `invalid_factor`: the same credential was registered before. */
  async insert(row: Omit<PasskeyRow, 'lastUsedAt'>): Promise<void> {
    const { id, userId, credentialId, publicKey, counter, transports, backedUp, name, createdAt } = row;
    try {
      await this.database.manager.query(
        `
        INSERT INTO passkeys
          (id, user_id, credential_id, public_key, counter, transports, backed_up, name, created_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
        [id, userId, credentialId, publicKey, counter, transports, backedUp, name, createdAt],
      );
    } catch (error) {
      throw violatedConstraintOf(error) === 'passkeys_credential_id_unique' ? new FactorRefused() : error;
    }
  }

  async findByCredential(credentialId: string): Promise<PasskeyRow | undefined> {
    return (await this.select('credential_id = $1', credentialId))[0];
  }

  async find(id: string): Promise<PasskeyRow | undefined> {
    return (await this.select('id = $1', id))[0];
  }

  list(userId: string): Promise<PasskeyRow[]> {
    return this.select('user_id = $1 ORDER BY id', userId);
  }

  /**
   * Notes a use. Returns false for a counter that is not above the last one, in all processes, unless the passkey does
   * not count at all.
   */
  async use(id: string, counter: number, at: Date): Promise<boolean> {
    const [, changed] = await this.database.manager.query<[unknown, number]>(
      `
      UPDATE passkeys SET counter = $2, last_used_at = $3
      WHERE id = $1 AND (counter < $2 OR (counter = 0 AND $2::bigint = 0))`,
      [id, counter, at],
    );
    return changed === 1;
  }

  /** Returns true when the person had a passkey with this id. */
  async delete(id: string, userId: string): Promise<boolean> {
    const [, count] = await this.database.manager.query<[unknown, number]>(
      'DELETE FROM passkeys WHERE id = $1 AND user_id = $2',
      [id, userId],
    );
    return count === 1;
  }

  async deleteAll(userId: string): Promise<void> {
    await this.database.manager.query('DELETE FROM passkeys WHERE user_id = $1', [userId]);
  }

  private async select(condition: string, value: string): Promise<PasskeyRow[]> {
    const rows = await this.database.manager.query<(PasskeyRow & { counter: string })[]>(
      `SELECT ${COLUMNS} FROM passkeys WHERE ${condition}`,
      [value],
    );
    return rows.map((row) => ({ ...row, counter: Number(row.counter) }));
  }
}
