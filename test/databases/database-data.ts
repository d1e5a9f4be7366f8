import { as, expectStatus } from '../support/make.js';
import { DATABASES, type Databases } from '../support/databases.js';
import { eventually, type TestApp } from '../support/test-app.js';
import { EngineOf } from './engine-harness.js';

/** The data of databases, asked without the gateway, and what changes all of it at once. */
export class DatabaseData {
  readonly engine: EngineOf;

  constructor(
    private readonly app: TestApp,
    private readonly databases: Databases,
  ) {
    this.engine = new EngineOf(app);
  }

  async clusterOf(id: string): Promise<string> {
    const [row] = await this.databases.make.sql('SELECT cluster_id FROM databases WHERE id = $1', [id]);
    return row!['cluster_id'] as string;
  }

  async query(id: string, sql: string): Promise<Record<string, unknown>[]> {
    return this.engine.query(await this.clusterOf(id), sql);
  }

  /** Returns the rows of the table `marks`. */
  async marks(id: string): Promise<number[]> {
    return (await this.query(id, 'SELECT n FROM marks ORDER BY n')).map(({ n }) => n as number);
  }

  async sleep(id: string): Promise<void> {
    await this.engine.engine.sleep(await this.clusterOf(id));
  }

  post(id: string, path: string, body: object = {}, key = this.databases.key): ReturnType<TestApp['post']> {
    return this.app.post(`${DATABASES}/${id}/${path}`, body, as(key));
  }

  /** Asks for a backup without a body, and waits for it. */
  async backedUp(id: string): Promise<any> {
    const answer = await this.app.call('POST', `${DATABASES}/${id}/backups`, as(this.databases.key));
    const { id: backupId } = expectStatus(202, answer).body.data as { id: string };
    let found: any;
    await eventually(
      async () => {
        const list = await this.app.fetch(`${DATABASES}/${id}/backups`, as(this.databases.key));
        found = expectStatus(200, list).body.data.find((each: { id: string }) => each.id === backupId);
        return found.state !== 'pending';
      },
      'the backup is made',
      30_000,
    );
    return found;
  }

  /** Creates a database with a table `marks`. */
  async marked(): Promise<any> {
    const database = await this.databases.ready();
    await this.query(database.id as string, 'CREATE TABLE marks (n int PRIMARY KEY)');
    return database;
  }

  async restored(id: string, at: Date | string): Promise<any> {
    const answer = await this.post(id, 'restore', { at: new Date(at).toISOString() });
    return this.databases.until(expectStatus(201, answer).body.data.id as string, 'ready');
  }

  async branched(id: string, name: string): Promise<any> {
    const answer = await this.post(id, 'branches', { name });
    return this.databases.until(expectStatus(201, answer).body.data.id as string, 'ready');
  }
}
