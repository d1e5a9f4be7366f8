import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { ApiKey } from './api-key.entity.js';

/** A key, found by one of its secrets. */
interface KeyOfSecret {
  readonly key: ApiKey;
  /** True when the key has another secret by now. */
  readonly isReplaced: boolean;
}

/** Finds keys, sessions and sign-ins by tokens that were found in public, whether they still work or not. */
@Injectable()
export class LeakedTokensStore {
  constructor(private readonly database: Database) {}

  /** Returns those of the hashes that are secrets of keys, replaced ones included. */
  knownKeySecrets(hashes: readonly Buffer[]): Promise<Buffer[]> {
    return this.hashesOf('SELECT hash FROM api_key_secrets WHERE hash = ANY($1)', hashes);
  }

  /** Returns those of the hashes that are or were tokens of sessions, ended ones included. */
  knownSessionTokens(hashes: readonly Buffer[]): Promise<Buffer[]> {
    return this.hashesOf(
      `
      SELECT token_hash AS hash FROM sessions WHERE token_hash = ANY($1)
      UNION
      SELECT former.hash FROM sessions, unnest(rotated_from) AS former (hash)
      WHERE rotated_from && $1::bytea[] AND former.hash = ANY($1)`,
      hashes,
    );
  }

  knownSignInFlows(hashes: readonly Buffer[]): Promise<Buffer[]> {
    return this.hashesOf('SELECT token_hash AS hash FROM sign_in_flows WHERE token_hash = ANY($1)', hashes);
  }

  /** Finds the key of a secret, and locks it until the running transaction ends. */
  async lockKey(hash: Buffer): Promise<KeyOfSecret | undefined> {
    const key = await this.database.manager
      .createQueryBuilder(ApiKey, 'key')
      .where('key.id = (SELECT key_id FROM api_key_secrets WHERE hash = :hash)', { hash })
      .setLock('pessimistic_write')
      .getOne();
    // This is read after the lock, so that a rotation in between is not missed.
    const [secret] = await this.database.manager.query<{ isReplaced: boolean }[]>(
      'SELECT rotated_at IS NOT NULL AS "isReplaced" FROM api_key_secrets WHERE hash = $1',
      [hash],
    );
    return key === null || secret === undefined ? undefined : { key, ...secret };
  }

  /** Ends a secret that was replaced. Returns false when it had stopped working before. */
  async endKeySecret(hash: Buffer, now: Date): Promise<boolean> {
    const [, changed] = await this.database.manager.query<[unknown, number]>(
      'UPDATE api_key_secrets SET works_until = $2 WHERE hash = $1 AND works_until > $2',
      [hash, now],
    );
    return changed === 1;
  }

  /** Finds the session that has this token, or had it before a rotation. */
  async findSession(hash: Buffer): Promise<{ id: string; userId: string } | undefined> {
    const [row] = await this.database.manager.query<{ id: string; userId: string }[]>(
      `
      SELECT id, user_id AS "userId" FROM sessions WHERE token_hash = $1
      UNION ALL
      SELECT id, user_id FROM sessions WHERE rotated_from && ARRAY[$1::bytea]`,
      [hash],
    );
    return row;
  }

  private async hashesOf(query: string, hashes: readonly Buffer[]): Promise<Buffer[]> {
    const rows = await this.database.manager.query<{ hash: Buffer }[]>(query, [hashes]);
    return rows.map(({ hash }) => hash);
  }
}
