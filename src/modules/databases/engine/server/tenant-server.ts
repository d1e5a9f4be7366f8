import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Client, Pool, type PoolClient } from 'pg';
import { Config } from '../../../../platform/config/config.js';
import { keyFor } from '../../../../platform/secrets/sealed.js';
import { Shutdown } from '../../../../platform/lifecycle/shutdown.js';
import { DatabaseUnavailable } from '../../databases.errors.js';
import { DatabasesSettings } from '../../databases.settings.js';

const CONNECTIONS = 4;
const CONNECT_WITHIN_MS = 10_000;

/** The operator's PostgreSQL server. */
@Injectable()
export class TenantServer {
  private opened: Pool | undefined;

  constructor(
    private readonly settings: DatabasesSettings,
    private readonly config: Config,
    shutdown: Shutdown,
  ) {
    shutdown.at('database', () => this.opened?.end());
  }

  /** Where the server listens. A directory is that of its socket. */
  get place(): { readonly host: string; readonly port: number } {
    const { host, port } = new Client({ connectionString: this.url });
    return { host, port };
  }

  /** Asks as the operator. @throws {DatabaseUnavailable} when the server does not answer. */
  async ask<Row extends object>(statement: string, values: unknown[] = []): Promise<Row[]> {
    return this.with(async (client) => (await client.query<Row>(statement, values)).rows);
  }

  /** Runs statements as the operator in a tenant's database. */
  async askIn(database: string, statements: readonly string[]): Promise<void> {
    const address = new URL(this.url);
    address.pathname = `/${database}`;
    const client = new Client({ connectionString: address.href, connectionTimeoutMillis: CONNECT_WITHIN_MS });
    client.on('error', () => undefined);
    try {
      await client.connect().catch(unavailable);
      for (const statement of statements) await client.query(statement);
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  /** A client of a role of a tenant, which is not connected yet. */
  clientOf(role: string, database: string, options: { applicationName?: string; settings?: string }): Client {
    const address = new URL(this.url);
    address.username = role;
    address.password = this.passwordOf(role);
    address.pathname = `/${database}`;
    return new Client({
      connectionString: address.href,
      connectionTimeoutMillis: CONNECT_WITHIN_MS,
      keepAlive: true,
      ...(options.applicationName === undefined ? {} : { application_name: options.applicationName }),
      ...(options.settings === undefined ? {} : { options: options.settings }),
    });
  }

  /** Nobody but the service knows it, and it is not stored. It changes with the newest secret. */
  passwordOf(role: string): string {
    const [newest] = this.config.secretsKeys;
    if (newest === undefined) throw new Error('This process has no SECRETS_KEY and cannot name roles of databases.');
    return createHmac('sha256', keyFor('tenant-databases', newest.secret)).update(role).digest('base64url');
  }

  private async with<Answer>(work: (client: PoolClient) => Promise<Answer>): Promise<Answer> {
    const client = await this.pool.connect().catch(unavailable);
    try {
      return await work(client);
    } finally {
      client.release();
    }
  }

  private get pool(): Pool {
    if (this.opened === undefined) {
      this.opened = new Pool({
        connectionString: this.url,
        max: CONNECTIONS,
        connectionTimeoutMillis: CONNECT_WITHIN_MS,
        application_name: 'platform',
      });
      this.opened.on('error', () => undefined);
    }
    return this.opened;
  }

  private get url(): string {
    const { tenantServerUrl } = this.settings;
    if (tenantServerUrl === undefined) throw new Error('TENANT_DATABASES_URL is not set.');
    return tenantServerUrl;
  }
}

function unavailable(cause: unknown): never {
  throw new DatabaseUnavailable('The server of the databases does not answer.', { cause });
}
