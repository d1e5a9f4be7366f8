import { IsString } from 'class-validator';
import { join } from 'node:path';
import { Client } from 'pg';
import { StoreLock } from '../../src/modules/hosting/persistence/store-lock.js';
import { defineJob } from '../../src/platform/background/define-job.js';
import { Config } from '../../src/platform/config/config.js';
import { readSettings } from '../../src/platform/config/settings.js';
import { connect } from '../../src/platform/database/connect.js';
import { Database } from '../../src/platform/database/database.js';
import { DatabaseNotifications } from '../../src/platform/database/database-notifications.js';
import { Shutdown } from '../../src/platform/lifecycle/shutdown.js';
import { Log, openLog } from '../../src/platform/logging/log.js';
import { Outbox } from '../../src/platform/outbox/outbox.js';
import { QueueWorkers } from '../../src/platform/queues/queue-workers.js';
import { backUp } from '../../src/roles/backup/back-up.js';
import { BackupFiles } from '../../src/roles/backup/backup-files.js';
import { createDataSource } from '../../src/roles/data-source.js';
import { migrate } from '../../src/roles/migrate.js';
import { onThisMachine } from '../support/patience.js';
import { Pgbouncer, withPgbouncer } from '../support/pgbouncer.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';
import { eventually, TestApp } from '../support/test-app.js';

jest.setTimeout(onThisMachine(60_000));

class Note {
  @IsString() readonly text!: string;
}

const QUEUE = defineJob({
  name: 'pgbouncer-notes',
  summary: 'Is tested.',
  payload: Note,
  attempts: 1,
  backoffMs: 1,
  concurrency: 1,
});

describe('PgBouncer in front of PostgreSQL', () => {
  let database: TestDatabase;

  beforeEach(async () => {
    database = await createTestDatabase();
  });

  afterEach(() => database.drop());

  const kept = (url: string): TestDatabase => ({ url, drop: () => Promise.resolve() });

  async function behind(mode: 'session' | 'transaction', work: (pooler: Pgbouncer, url: string) => Promise<void>) {
    const pooler = new Pgbouncer(mode);
    try {
      await pooler.start();
      await work(pooler, pooler.urlOf(database.url));
    } finally {
      await pooler.stop();
    }
  }

  withPgbouncer('serves the service in session mode, and notifications come by the direct address', () =>
    behind('session', async (pooler, url) => {
      const app = new TestApp({ DATABASE_DIRECT_URL: database.url }, 'without_databases');
      await app.start({ database: kept(url) });
      try {
        const heard: (string | undefined)[] = [];
        app.get(DatabaseNotifications).listen('of_the_test', (payload) => heard.push(payload));
        const jobs: string[] = [];
        app.get(QueueWorkers).start(QUEUE, {
          handle: ({ text }: Note) => {
            jobs.push(text);
            return Promise.resolve();
          },
        });
        await eventually(() => heard.length > 0, 'it listens');
        const { manager } = app.get(Database);
        await app.get(Database).transaction(async () => {
          await app.get(Outbox).enqueue(QUEUE, { text: 'one' });
          await app.get(Database).manager.query("NOTIFY of_the_test, 'two'");
        });
        await eventually(() => jobs.length === 1 && heard.includes('two'), 'the job has run, and the news came');
        expect((await app.fetch('/ready')).status).toBe(200);
        // It would not be one of the pooler's parameters of a connection.
        expect(await manager.query('SHOW statement_timeout')).toEqual([{ statement_timeout: '30s' }]);

        await pooler.end();
        const direct = new Client({ connectionString: database.url });
        await direct.connect();
        await direct.query("NOTIFY of_the_test, 'three'");
        await direct.end();
        await eventually(() => heard.includes('three'), 'news come without the pooler');
      } finally {
        await app.stop();
      }
    }),
  );

  withPgbouncer('leaves what keeps a session for long to the direct address', () =>
    behind('session', async (pooler, url) => {
      const app = new TestApp({ DATABASE_DIRECT_URL: database.url }, 'without_databases');
      await app.start({ database: kept(url) });
      const direct = new Client({ connectionString: database.url, application_name: 'the test' });
      await direct.connect();
      /** The names of the service's connections, as PgBouncer and as PostgreSQL have them. */
      const names = async (): Promise<{ pooled: Set<string>; all: Set<string> }> => {
        const { rows } = await direct.query<{ name: string }>(
          `SELECT application_name AS name FROM pg_stat_activity
           WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()`,
        );
        return {
          pooled: new Set(await pooler.clientsOf(database.url)),
          all: new Set(rows.map(({ name }) => name)),
        };
      };
      try {
        await app.get(Database).manager.query('SELECT 1');
        const save: BackupFiles['save'] = Reflect.get(BackupFiles.prototype, 'save');
        let during: Awaited<ReturnType<typeof names>> | undefined;
        jest.spyOn(BackupFiles.prototype, 'save').mockImplementation(async function (this: BackupFiles, ...given) {
          during ??= await names();
          return save.apply(this, given);
        });
        await app
          .get(StoreLock)
          .whileAdding(() =>
            backUp(app.settings, app.get(Log), { directory: join(app.dataDirectory, 'backup'), now: new Date() }),
          );
        expect([...during!.pooled]).toEqual(['service-platform']);
        // PgBouncer hands its clients' names on.
        expect([...during!.all].sort()).toEqual([
          'service-platform',
          'service-platform aliases',
          'service-platform artifacts',
          'service-platform backup',
          'service-platform-listener',
        ]);
      } finally {
        jest.restoreAllMocks();
        await direct.end();
        await app.stop();
      }
    }),
  );

  withPgbouncer('serves notifications and migrations in session mode without a direct address', () =>
    behind('session', async (_pooler, url) => {
      const config = readSettings([], { ROLE: 'migrate', DATABASE_URL: url }).of(Config);
      const shutdown = new Shutdown();
      const notifications = new DatabaseNotifications(config, openLog(config, { write: () => undefined }), shutdown);
      const heard: (string | undefined)[] = [];
      notifications.listen('of_the_test', (payload) => heard.push(payload));
      await eventually(() => heard.length > 0, 'it listens');
      expect(await migrate(url)).toEqual([]);
      const client = new Client({ connectionString: url });
      await client.connect();
      await client.query("NOTIFY of_the_test, 'two'");
      await client.end();
      await eventually(() => heard.includes('two'), 'the news came');
      await shutdown.onApplicationShutdown();
    }),
  );

  withPgbouncer('is refused in transaction mode, where sessions are shared', () =>
    behind('transaction', async (_pooler, url) => {
      const dataSource = createDataSource({ url, poolSize: 2, connectTimeoutMs: onThisMachine(2_000) });
      await expect(connect(dataSource)).rejects.toThrow(/a pooler in transaction mode.*pool_mode = session/);
      expect(dataSource.isInitialized).toBe(false);
    }),
  );
});
