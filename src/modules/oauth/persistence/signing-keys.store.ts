import { Injectable } from '@nestjs/common';
import type { JWK } from 'jose';
import { Database } from '../../../platform/database/database.js';

export interface SigningKeyRow {
  readonly id: string;
  readonly publicJwk: JWK;
  /** The private key, encrypted. */
  readonly privateKey: Buffer;
  readonly createdAt: Date;
}

const COLUMNS = 'id, public_jwk AS "publicJwk", private_key AS "privateKey", created_at AS "createdAt"';

@Injectable()
export class SigningKeysStore {
  constructor(private readonly database: Database) {}

  /** Lists keys, newest first. */
  list(): Promise<SigningKeyRow[]> {
    return this.database.manager.query<SigningKeyRow[]>(
      `SELECT ${COLUMNS} FROM oauth_signing_keys ORDER BY created_at DESC, id DESC`,
    );
  }

  /** Lets one process at a time decide whether a key is needed, until the running transaction ends. */
  async lock(): Promise<void> {
    await this.database.manager.query("SELECT pg_advisory_xact_lock(hashtext('oauth_signing_keys'))");
  }

  async insert({ id, publicJwk, privateKey, createdAt }: SigningKeyRow): Promise<void> {
    await this.database.manager.query(
      'INSERT INTO oauth_signing_keys (id, public_jwk, private_key, created_at) VALUES ($1, $2, $3, $4)',
      [id, JSON.stringify(publicJwk), privateKey, createdAt],
    );
  }

  async saveEncrypted(id: string, privateKey: Buffer): Promise<void> {
    await this.database.manager.query('UPDATE oauth_signing_keys SET private_key = $2 WHERE id = $1', [id, privateKey]);
  }

  /** Returns keys after `afterId` that were not encrypted with the newest key of the service. */
  withoutMark(mark: Buffer, afterId: string | undefined, limit: number): Promise<SigningKeyRow[]> {
    return this.database.manager.query<SigningKeyRow[]>(
      `
      SELECT ${COLUMNS} FROM oauth_signing_keys
      WHERE substring(private_key FOR length($1::bytea)) <> $1 AND ($2::text IS NULL OR id > $2)
      ORDER BY id LIMIT $3`,
      [mark, afterId ?? null, limit],
    );
  }

  async delete(id: string): Promise<void> {
    await this.database.manager.query('DELETE FROM oauth_signing_keys WHERE id = $1', [id]);
  }
}
