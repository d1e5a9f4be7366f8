import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';

/** A token as it is shown, without its secret. */
export interface ScimToken {
  readonly id: string;
  readonly connectionId: string;
  readonly name: string;
  readonly last4: string;
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly lastUsedAt: Date | null;
}

export interface NewScimToken extends Omit<ScimToken, 'lastUsedAt'> {
  readonly hash: Buffer;
  readonly pepperVersion: number;
}

const FACTS = `
  id, connection_id AS "connectionId", name, last4, created_by AS "createdBy", created_at AS "createdAt",
  expires_at AS "expiresAt", last_used_at AS "lastUsedAt"`;

/** The last use is written at most this often. */
const TOUCH_AFTER = '1 minute';

@Injectable()
export class ScimTokensStore {
  constructor(private readonly database: Database) {}

  async insert(token: NewScimToken): Promise<void> {
    await this.sql(
      `INSERT INTO scim_tokens
         (id, connection_id, name, last4, created_by, created_at, expires_at, token_hash, pepper_version)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
      [
        token.id,
        token.connectionId,
        token.name,
        token.last4,
        token.createdBy,
        token.createdAt,
        token.expiresAt,
        token.hash,
        token.pepperVersion,
      ],
    );
  }

  /** Returns the tokens that are not revoked, expired ones included, newest first. */
  list(connectionId: string): Promise<ScimToken[]> {
    return this.sql<ScimToken>(
      `SELECT ${FACTS} FROM scim_tokens WHERE connection_id = $1 AND revoked_at IS NULL ORDER BY id DESC`,
      [connectionId],
    );
  }

  async findLive(hashes: readonly Buffer[], now: Date): Promise<ScimToken | undefined> {
    const [row] = await this.sql<ScimToken>(
      `SELECT ${FACTS} FROM scim_tokens WHERE token_hash = ANY($1) AND revoked_at IS NULL AND expires_at > $2`,
      [hashes, now],
    );
    return row;
  }

  /** Returns those of the hashes that belong to tokens, ended ones included. */
  async known(hashes: readonly Buffer[]): Promise<Buffer[]> {
    const rows = await this.sql<{ hash: Buffer }>(
      'SELECT token_hash AS hash FROM scim_tokens WHERE token_hash = ANY($1)',
      [hashes],
    );
    return rows.map(({ hash }) => hash);
  }

  /** Returns undefined when the connection has no such token, or when it was revoked before. */
  async revoke(connectionId: string, id: string, at: Date): Promise<ScimToken | undefined> {
    const [rows] = await this.database.manager.query<[ScimToken[], number]>(
      `UPDATE scim_tokens SET revoked_at = $3 WHERE connection_id = $1 AND id = $2 AND revoked_at IS NULL
       RETURNING ${FACTS}`,
      [connectionId, id, at],
    );
    return rows[0];
  }

  /** {@link revoke} for a token that was found in public. */
  async revokeByHash(hash: Buffer, at: Date): Promise<ScimToken | undefined> {
    const [rows] = await this.database.manager.query<[ScimToken[], number]>(
      `UPDATE scim_tokens SET revoked_at = $2 WHERE token_hash = $1 AND revoked_at IS NULL RETURNING ${FACTS}`,
      [hash, at],
    );
    return rows[0];
  }

  async touch(id: string, at: Date): Promise<void> {
    await this.sql(
      `UPDATE scim_tokens SET last_used_at = $2
       WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < $2::timestamptz - interval '${TOUCH_AFTER}')`,
      [id, at],
    );
  }

  private sql<Row>(text: string, values: unknown[]): Promise<Row[]> {
    return this.database.manager.query<Row[]>(text, values);
  }
}
