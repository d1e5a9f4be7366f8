import { Injectable } from '@nestjs/common';
import { Client } from 'pg';
import { Config } from '../../../platform/config/config.js';
import { Database } from '../../../platform/database/database.js';
import { Shutdown } from '../../../platform/lifecycle/shutdown.js';

/** An arbitrary but unique number, because all advisory locks share one space. */
const LOCK = 1_795_258_000;

/**
 * Separates ingests, of which any number may run, from deletions, of which one may run. An ingest does not write a blob
 * that exists, so the blob must not be deleted before the row that uses it is committed.
 *
 * An ingest can take minutes. All ingests of this process share one connection outside of the pool. If each held a
 * pooled connection while it requested another one, they could wait for each other forever.
 */
@Injectable()
export class StoreLock {
  private adders = 0;
  private session: Promise<Session> | undefined;

  constructor(
    private readonly config: Config,
    private readonly database: Database,
    shutdown: Shutdown,
  ) {
    shutdown.at('database', async () => {
      await this.end(this.session);
    });
  }

  /**
   * Runs `work` while nothing is deleted. It first waits for an active deletion, which takes moments. `work` can check
   * the lock with `requireHeld`.
   *
   * @throws {Error} when the lock was lost with its connection; `work` must then be repeated.
   */
  async whileAdding<T>(work: (requireHeld: () => void) => Promise<T>): Promise<T> {
    this.adders++;
    this.session ??= this.open();
    const mine = this.session;
    try {
      const session = await mine;
      return await work(() => {
        if (session.lost) throw new Error('The lock of the blob storage was lost with its connection.');
      });
    } finally {
      if (--this.adders === 0) {
        this.session = undefined;
        await this.end(mine);
      }
    }
  }

  /** Runs `work` while nothing is added. Returns undefined, without running it, when an ingest is active. */
  async unlessAdding<T>(work: () => Promise<T>): Promise<T | undefined> {
    // Session locks need a connection that is not shared.
    const { dataSource } = this.database.manager;
    const runner = dataSource.createQueryRunner();
    try {
      const [row] = await dataSource.query<{ taken: boolean }[]>(
        'SELECT pg_try_advisory_lock($1) AS taken',
        [LOCK],
        runner,
      );
      if (row?.taken !== true) return undefined;
      try {
        return await work();
      } finally {
        await runner.query('SELECT pg_advisory_unlock($1)', [LOCK]);
      }
    } finally {
      await runner.release();
    }
  }

  private async open(): Promise<Session> {
    const client = new Client({
      connectionString: this.config.directDatabaseUrl,
      connectionTimeoutMillis: 2_000,
      keepAlive: true,
      application_name: 'service-platform artifacts',
    });
    const session: Session = { client, lost: false };
    const lose = (): void => {
      session.lost = true;
      // Later ingests open a new session.
      void this.session?.then(
        (current) => {
          if (current === session) this.session = undefined;
        },
        () => undefined,
      );
    };
    client.on('error', lose);
    client.on('end', lose);
    try {
      await client.connect();
      await client.query('SELECT pg_advisory_lock_shared($1)', [LOCK]);
      return session;
    } catch (error) {
      this.session = undefined;
      await client.end().catch(() => undefined);
      throw error;
    }
  }

  private async end(session: Promise<Session> | undefined): Promise<void> {
    const opened = await session?.catch(() => undefined);
    await opened?.client.end().catch(() => undefined);
  }
}

interface Session {
  readonly client: Client;
  lost: boolean;
}
