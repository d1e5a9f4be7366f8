import { Injectable } from '@nestjs/common';
import { Client } from 'pg';
import { Config } from '../../../platform/config/config.js';
import { Database } from '../../../platform/database/database.js';
import { Shutdown } from '../../../platform/lifecycle/shutdown.js';

/** Any number, as long as nobody else takes it: locks of this kind share one space. */
const LOCK = 1_795_258_000;

/**
 * Keeps those who add blobs and those who delete them apart: any number of the first, or one of the second. A blob that
 * is there when somebody adds it is not written again, so it must not be deleted between that look and the row that
 * names it.
 *
 * Adding takes minutes at times. All who add in this process share one connection, which is none of the pool's: were
 * each to hold one of those and ask for another, they could wait for each other for ever.
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
   * Runs `work` while nothing is deleted; waits for a deletion that is under way, which takes moments.
   *
   * @throws {Error} when the lock was lost meanwhile, with its connection: `work` is then to be done again. It is given
   * a way to ask.
   */
  async whileAdding<T>(work: (requireHeld: () => void) => Promise<T>): Promise<T> {
    this.adders++;
    this.session ??= this.open();
    const mine = this.session;
    try {
      const session = await mine;
      return await work(() => {
        if (session.lost) throw new Error('The lock of the artifact store was lost with its connection.');
      });
    } finally {
      if (--this.adders === 0) {
        this.session = undefined;
        await this.end(mine);
      }
    }
  }

  /** Runs `work` while nothing is added; undefined, without running it, when something is. */
  async unlessAdding<T>(work: () => Promise<T>): Promise<T | undefined> {
    // Locks of a session need a connection that nobody else uses meanwhile.
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
      connectionString: this.config.databaseUrl,
      connectionTimeoutMillis: 2_000,
      keepAlive: true,
      application_name: 'service-platform artifacts',
    });
    const session: Session = { client, lost: false };
    const lose = (): void => {
      session.lost = true;
      // Those who come now get another one.
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
