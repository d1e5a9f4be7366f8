import { readFileSync } from 'node:fs';
import { Client } from 'pg';
import { DatabaseEngine } from '../../src/modules/databases/engine/database-engine.js';
import { Clusters } from '../../src/modules/databases/engine/own/clusters.js';
import { HostedEngine } from '../../src/modules/databases/engine/hosted-engine.js';
import { CLUSTER_ID } from '../../src/modules/databases/databases.ids.js';
import type { IsolatedProgram } from '../../src/platform/isolation/isolated-program.js';
import { sampleTree } from '../../src/platform/isolation/process-facts.js';
import { Ids } from '../../src/platform/ids/ids.js';
import type { TestApp } from '../support/test-app.js';

/** The engine of an app, spoken to without the gateway. */
export class EngineOf {
  constructor(private readonly app: TestApp) {}

  get engine(): DatabaseEngine {
    return this.app.get(DatabaseEngine);
  }

  newId(): string {
    return this.app.get(Ids).next(CLUSTER_ID);
  }

  async opened(): Promise<void> {
    await this.app.get(HostedEngine).open();
  }

  async created(): Promise<string> {
    await this.opened();
    const id = this.newId();
    await this.engine.create(id);
    return id;
  }

  /** A client of the tenant's database. It must be ended. */
  async client(id: string, user = 'owner', database = 'app'): Promise<Client> {
    const stream = await this.engine.connect(id);
    // The client calls it, and the stream is connected already.
    Object.assign(stream, {
      connect: () => {
        queueMicrotask(() => stream.emit('connect'));
      },
      setNoDelay: () => undefined,
    });
    const client = new Client({ user, database, host: '/', stream: () => stream });
    client.on('error', () => undefined);
    await client.connect();
    return client;
  }

  async query(id: string, sql: string, user = 'owner', database = 'app'): Promise<Record<string, unknown>[]> {
    const client = await this.client(id, user, database);
    try {
      return (await client.query<Record<string, unknown>>(sql)).rows;
    } finally {
      await client.end();
    }
  }

  /** The processes of a running server, as this machine sees them. */
  processes(id: string): Promise<number[]> {
    return this.app
      .get(Clusters)
      .of(id)
      .hold((server) => {
        const { program } = (server as unknown as { launched: { program: IsolatedProgram } }).launched;
        return Promise.resolve([...sampleTree(program.initPid).pids]);
      });
  }

  /** Kills the whole server of a database, as a lack of memory would. */
  async kill(id: string): Promise<void> {
    for (const pid of await this.processes(id)) {
      try {
        if (readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === 'postgres') process.kill(pid, 'SIGKILL');
      } catch {
        // It has ended since.
      }
    }
  }
}
