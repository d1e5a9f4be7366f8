import { Injectable } from '@nestjs/common';
import { arrayOfTexts, arrayOfTimes } from '../../../platform/database/array-literal.js';
import { Database } from '../../../platform/database/database.js';
import { prepared } from '../../../platform/database/prepared.js';
import type { CredentialAccess } from './database-credential-rows.js';
import type { DatabaseState } from './database-rows.js';

/** What a connection needs to know of its database. */
export interface WireDatabase {
  readonly databaseId: string;
  readonly orgId: string;
  readonly clusterId: string;
  readonly hostId: string;
  readonly state: DatabaseState;
}

export interface WireLogin extends WireDatabase {
  readonly credentialId: string;
  readonly access: CredentialAccess;
  readonly verifier: string;
}

/** The address of the host that keeps a database. */
export interface WireRoute extends WireDatabase {
  readonly address: string;
  readonly certificateSha256: string;
}

const DATABASE = `
  d.id AS "databaseId", d.org_id AS "orgId", d.cluster_id AS "clusterId", d.host_id AS "hostId", d.state`;

const FIND_LOGIN = prepared(`
  SELECT c.id AS "credentialId", c.access, c.verifier, ${DATABASE}
  FROM database_credentials c JOIN databases d ON d.id = c.database_id
  WHERE c.username = $1 AND d.label = $2 AND d.state <> 'deleted' AND (c.expires_at IS NULL OR c.expires_at > $3)`);

const FIND_ROUTE = prepared(`
  SELECT ${DATABASE}, h.address, h.certificate_sha256 AS "certificateSha256"
  FROM databases d JOIN database_hosts h ON h.id = d.host_id WHERE d.id = $1 AND d.state <> 'deleted'`);

/** What the gateway reads: who may connect to which data. */
@Injectable()
export class WireAccessStore {
  constructor(private readonly database: Database) {}

  async findLogin(username: string, label: string, now: Date): Promise<WireLogin | undefined> {
    const [row] = await this.database.manager.query<WireLogin[]>(FIND_LOGIN, [username, label, now]);
    return row;
  }

  async findRoute(databaseId: string): Promise<WireRoute | undefined> {
    const [row] = await this.database.manager.query<WireRoute[]>(FIND_ROUTE, [databaseId]);
    return row;
  }

  /** Returns those of the credentials that still work. */
  async validOf(credentialIds: readonly string[], now: Date): Promise<Set<string>> {
    const rows = await this.database.manager.query<{ id: string }[]>(
      'SELECT id FROM database_credentials WHERE id = ANY($1::text[]) AND (expires_at IS NULL OR expires_at > $2)',
      [credentialIds, now],
    );
    return new Set(rows.map(({ id }) => id));
  }

  /** Returns the data that belongs to each of the databases that can be used. */
  async clustersOf(databaseIds: readonly string[]): Promise<Map<string, string>> {
    const rows = await this.database.manager.query<{ id: string; cluster: string }[]>(
      `SELECT id, cluster_id AS cluster FROM databases WHERE id = ANY($1::text[]) AND state = 'ready'`,
      [databaseIds],
    );
    return new Map(rows.map(({ id, cluster }) => [id, cluster]));
  }

  async recordUse(usedAt: ReadonlyMap<string, Date>): Promise<void> {
    await this.database.manager.query(
      `UPDATE database_credentials c SET last_used_at = used.at
       FROM unnest($1::text[], $2::timestamptz[]) AS used (id, at)
       WHERE c.id = used.id AND (c.last_used_at IS NULL OR c.last_used_at < used.at)`,
      [arrayOfTexts([...usedAt.keys()]), arrayOfTimes([...usedAt.values()])],
    );
  }

  /** Returns how many were deleted. */
  async deleteExpired(before: Date, limit: number): Promise<number> {
    const rows = await this.database.manager.query<[unknown[], number]>(
      `DELETE FROM database_credentials WHERE id IN (
         SELECT id FROM database_credentials WHERE expires_at < $1 ORDER BY expires_at LIMIT $2)`,
      [before, limit],
    );
    return rows[1];
  }
}
