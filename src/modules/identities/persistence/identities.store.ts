import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { violatedConstraintOf } from '../../../platform/database/violated-constraint.js';
import type { ExternalMethod } from '../../auth/sign-in-method.js';
import type { CheckedIdentity, IdentityKey } from '../checked-identity.js';
import { IdentityConnected } from '../identities.errors.js';

export interface Identity {
  readonly id: string;
  readonly provider: ExternalMethod;
  /** The URL of the provider, or the id of the connection. */
  readonly issuer: string;
  /** The login or the address at the provider, when it was last used. */
  readonly name: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
}

const COLUMNS = 'id, provider, issuer, name, created_at AS "createdAt", last_used_at AS "lastUsedAt"';

@Injectable()
export class IdentitiesStore {
  constructor(private readonly database: Database) {}

  async findUserId({ provider, issuer, subject }: IdentityKey): Promise<string | undefined> {
    const [row] = await this.database.manager.query<{ userId: string }[]>(
      'SELECT user_id AS "userId" FROM identities WHERE provider = $1 AND issuer = $2 AND subject = $3',
      [provider, issuer, subject],
    );
    return row?.userId;
  }

  /** @throws {IdentityConnected} `already_exists` */
  async insert(
    { id, userId, at }: { readonly id: string; readonly userId: string; readonly at: Date },
    { provider, issuer, subject, name }: CheckedIdentity,
  ): Promise<void> {
    try {
      await this.database.manager.query(
        `
        INSERT INTO identities (id, user_id, provider, issuer, subject, name, created_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7)`,
        [id, userId, provider, issuer, subject, name, at],
      );
    } catch (error) {
      const constraint = violatedConstraintOf(error);
      if (constraint === 'identities_subject_unique') throw new IdentityConnected(provider, true);
      if (constraint === 'identities_provider_unique' || constraint === 'identities_connection_unique')
        throw new IdentityConnected(provider, false);
      throw error;
    }
  }

  /**
   * Notes a use, and locks the row until the transaction ends: an identity that is removed meanwhile ends the session
   * that the transaction opens. Returns false when the person has it no longer.
   */
  async use({ provider, issuer, subject, name }: CheckedIdentity, userId: string, at: Date): Promise<boolean> {
    const [, count] = await this.database.manager.query<[unknown, number]>(
      `
      UPDATE identities SET last_used_at = $5, name = $6
      WHERE provider = $1 AND issuer = $2 AND subject = $3 AND user_id = $4`,
      [provider, issuer, subject, userId, at, name],
    );
    return count === 1;
  }

  async list(userId: string): Promise<Identity[]> {
    return this.database.manager.query<Identity[]>(`SELECT ${COLUMNS} FROM identities WHERE user_id = $1 ORDER BY id`, [
      userId,
    ]);
  }

  /** Lists them and lets one change of them happen at a time. */
  async lock(userId: string): Promise<Identity[]> {
    return this.database.manager.query<Identity[]>(
      `SELECT ${COLUMNS} FROM identities WHERE user_id = $1 ORDER BY id FOR UPDATE`,
      [userId],
    );
  }

  async delete(id: string): Promise<void> {
    await this.database.manager.query('DELETE FROM identities WHERE id = $1', [id]);
  }

  /** Deletes those of a connection. Returns the people who had one. */
  async deleteAllThrough(connectionId: string): Promise<string[]> {
    const [rows] = await this.database.manager.query<[{ userId: string }[], number]>(
      'DELETE FROM identities WHERE provider = \'sso\' AND issuer = $1 RETURNING user_id AS "userId"',
      [connectionId],
    );
    return rows.map(({ userId }) => userId).sort();
  }

  /** Returns the providers of those that there were. */
  async deleteAll(userId: string): Promise<ExternalMethod[]> {
    const [rows] = await this.database.manager.query<[{ provider: ExternalMethod }[], number]>(
      'DELETE FROM identities WHERE user_id = $1 RETURNING provider',
      [userId],
    );
    return rows.map(({ provider }) => provider);
  }
}
