import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';

/** A key of an organization for a router. */
export interface ProviderKey {
  readonly orgId: string;
  readonly router: string;
  /** The key, sealed by `SECRETS_KEY`. */
  readonly sealed: Buffer;
  readonly last4: string;
  readonly setBy: string;
  readonly setAt: Date;
}

const COLUMNS = 'org_id AS "orgId", router, sealed, last4, set_by AS "setBy", set_at AS "setAt"';

@Injectable()
export class ProviderKeysStore {
  constructor(private readonly database: Database) {}

  list(orgId: string): Promise<ProviderKey[]> {
    return this.query(`SELECT ${COLUMNS} FROM provider_keys WHERE org_id = $1`, [orgId]);
  }

  async find(orgId: string, router: string): Promise<ProviderKey | undefined> {
    const [row] = await this.query(`SELECT ${COLUMNS} FROM provider_keys WHERE org_id = $1 AND router = $2`, [
      orgId,
      router,
    ]);
    return row;
  }

  /** Locks the key until the running transaction ends. */
  async lock(orgId: string, router: string): Promise<ProviderKey | undefined> {
    const [row] = await this.query(
      `SELECT ${COLUMNS} FROM provider_keys WHERE org_id = $1 AND router = $2 FOR UPDATE`,
      [orgId, router],
    );
    return row;
  }

  async set({ orgId, router, sealed, last4, setBy, setAt }: ProviderKey): Promise<void> {
    await this.query(
      `
      INSERT INTO provider_keys (org_id, router, sealed, last4, set_by, set_at) VALUES ($1, $2, $3, $4, $5, $6)
      ON CONFLICT (org_id, router) DO UPDATE SET sealed = excluded.sealed, last4 = excluded.last4,
        set_by = excluded.set_by, set_at = excluded.set_at`,
      [orgId, router, sealed, last4, setBy, setAt],
    );
  }

  async delete(orgId: string, router: string): Promise<void> {
    await this.query('DELETE FROM provider_keys WHERE org_id = $1 AND router = $2', [orgId, router]);
  }

  async deleteOf(orgId: string): Promise<void> {
    await this.query('DELETE FROM provider_keys WHERE org_id = $1', [orgId]);
  }

  /** Returns keys after `last` whose sealed value does not begin with the mark. */
  withoutMark(mark: Buffer, last: ProviderKey | undefined, limit: number): Promise<ProviderKey[]> {
    return this.query(
      `SELECT ${COLUMNS} FROM provider_keys
       WHERE (org_id, router) > ($2, $3) AND substr(sealed, 1, length($1::bytea)) <> $1
       ORDER BY org_id, router LIMIT $4`,
      [mark, last?.orgId ?? '', last?.router ?? '', limit],
    );
  }

  private query(text: string, values: unknown[]): Promise<ProviderKey[]> {
    return this.database.manager.query<ProviderKey[]>(text, values);
  }
}
