import { Injectable } from '@nestjs/common';
import { Clock } from '../../../../platform/time/clock.js';
import { DatabaseUnavailable } from '../../databases.errors.js';
import { ClustersStore } from '../../persistence/clusters.store.js';
import type { ClusterLimits, Measured, Restriction } from '../database-engine.js';
import { guardStatements, readerResets } from '../read-only-guard.js';
import { namesOf, type TenantNames } from './tenant-names.js';
import { TenantServer } from './tenant-server.js';

/** The operator's own statements, and those of other tenants, are not to be seen. */
const IN_DATABASE = ({ owner }: TenantNames): string[] => [
  `ALTER SCHEMA public OWNER TO ${owner}`,
  'REVOKE ALL ON SCHEMA public FROM PUBLIC',
  'GRANT USAGE ON SCHEMA public TO PUBLIC',
];
const FOUND = 'SELECT shobj_description(oid, $2) AS description FROM pg_database WHERE datname = $1';
const ENDED = 'SELECT count(pg_terminate_backend(pid))::int AS ended FROM pg_stat_activity WHERE datname = $1';

/** One database and its two roles on the operator's server. */
@Injectable()
export class DatabaseOnServer {
  /** Connections that arrive at once must not change the same roles. */
  private readonly prepared = new Map<string, Promise<void>>();

  constructor(
    private readonly server: TenantServer,
    private readonly clusters: ClustersStore,
    private readonly clock: Clock,
  ) {}

  /** The description, which is the size of the empty database, is written last and makes it complete. */
  async create(clusterId: string, { maxConnections }: ClusterLimits): Promise<void> {
    const names = namesOf(clusterId);
    const { database, owner, reader } = names;
    const found = await this.descriptionOf(database);
    if (typeof found === 'string') return;
    for (const role of [owner, reader]) await this.makeRole(role);
    if (found === undefined) await this.server.ask(`CREATE DATABASE ${database} TEMPLATE template0 ENCODING 'UTF8'`);
    await this.server.ask(`ALTER DATABASE ${database} CONNECTION LIMIT ${maxConnections}`);
    await this.server.ask(`REVOKE CONNECT, TEMPORARY ON DATABASE ${database} FROM PUBLIC`);
    await this.server.ask(`GRANT CONNECT, TEMPORARY, CREATE ON DATABASE ${database} TO ${owner}`);
    await this.server.ask(`GRANT CONNECT ON DATABASE ${database} TO ${reader}`);
    await this.server.ask(`GRANT pg_read_all_data TO ${reader}`);
    await this.server.askIn(database, IN_DATABASE(names));
    await this.guard(names);
    const bytes = await this.sizeOf(database);
    await this.server.ask(`COMMENT ON DATABASE ${database} IS '${bytes}'`);
  }

  /**
   * Checks that a database is there, and sets its passwords and its guard once in each process, because SECRETS_KEY
   * and the release may be new.
   * @throws {DatabaseUnavailable} when there is no such database.
   */
  async require(clusterId: string): Promise<void> {
    if (typeof (await this.descriptionOf(namesOf(clusterId).database)) !== 'string')
      throw new DatabaseUnavailable('The database has no data on the server.');
    const preparing = this.prepared.get(clusterId) ?? this.prepare(clusterId);
    this.prepared.set(clusterId, preparing);
    await preparing;
  }

  async measure(clusterId: string): Promise<Measured> {
    const { database, reader } = namesOf(clusterId);
    const emptyBytes = BigInt((await this.descriptionOf(database)) ?? 0);
    for (const statement of readerResets(reader, database)) await this.server.ask(statement);
    const bytes = await this.sizeOf(database);
    await this.clusters.resize({ clusterId, bytes, emptyBytes, measuredAt: this.clock.now() });
    return { bytes, emptyBytes };
  }

  async restrict(clusterId: string, restriction: Restriction): Promise<void> {
    const { database, owner } = namesOf(clusterId);
    const change =
      restriction === 'none' ? 'RESET default_transaction_read_only' : 'SET default_transaction_read_only = on';
    await this.server.ask(`ALTER DATABASE ${database} ${change}`);
    const [may, to] = restriction === 'reader_only' ? ['REVOKE', 'FROM'] : ['GRANT', 'TO'];
    await this.server.ask(`${may} CONNECT ON DATABASE ${database} ${to} ${owner}`);
    if (restriction !== 'none') await this.server.ask(`${ENDED} AND usename = $2`, [database, owner]);
  }

  async endWriters(clusterId: string): Promise<number> {
    const { database, owner } = namesOf(clusterId);
    const [row] = await this.server.ask<{ ended: number }>(`${ENDED} AND usename = $2 AND backend_xid IS NOT NULL`, [
      database,
      owner,
    ]);
    return row?.ended ?? 0;
  }

  async endSessions(clusterId: string): Promise<void> {
    await this.server.ask(ENDED, [namesOf(clusterId).database]);
  }

  async drop(clusterId: string): Promise<void> {
    const { database, owner, reader } = namesOf(clusterId);
    this.prepared.delete(clusterId);
    await this.server.ask(`DROP DATABASE IF EXISTS ${database} WITH (FORCE)`);
    for (const role of [owner, reader]) await this.server.ask(`DROP ROLE IF EXISTS ${role}`);
  }

  /** It is tried again by the next connection when it fails. */
  private async prepare(clusterId: string): Promise<void> {
    const names = namesOf(clusterId);
    try {
      for (const role of [names.owner, names.reader]) await this.makeRole(role);
      await this.guard(names);
    } catch (error) {
      this.prepared.delete(clusterId);
      throw error;
    }
  }

  /** Readers change nothing, in databases of an earlier release too. */
  private async guard({ database, owner, reader }: TenantNames): Promise<void> {
    await this.server.ask(`REVOKE TEMPORARY ON DATABASE ${database} FROM ${reader}`);
    await this.server.askIn(database, guardStatements({ owner, reader }));
  }

  /** The password is set again, because it changes with SECRETS_KEY. */
  private async makeRole(role: string): Promise<void> {
    const [known] = await this.server.ask('SELECT 1 FROM pg_roles WHERE rolname = $1', [role]);
    if (known === undefined) await this.server.ask(`CREATE ROLE ${role} LOGIN`);
    await this.server.ask(`ALTER ROLE ${role} PASSWORD '${this.server.passwordOf(role)}'`);
  }

  /** Null when the database is not complete, and undefined when there is none. */
  private async descriptionOf(database: string): Promise<string | null | undefined> {
    const [row] = await this.server.ask<{ description: string | null }>(FOUND, [database, 'pg_database']);
    return row?.description;
  }

  private async sizeOf(database: string): Promise<bigint> {
    const [row] = await this.server.ask<{ bytes: string }>('SELECT pg_database_size($1::name)::text AS bytes', [
      database,
    ]);
    return BigInt(row!.bytes);
  }
}
