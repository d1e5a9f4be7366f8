import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { until } from '../support/embedded-servers.js';
import { onThisMachine } from '../support/patience.js';
import { makeMemoryDirectory, removeScratchDirectory } from '../support/scratch-directory.js';
import { ServiceProcess } from '../support/service-process.js';

jest.setTimeout(onThisMachine(300_000));

/** The service gives up after five deaths in a minute. */
const KILLS = 2;
/** A step takes about this long, so that kills hit all of them. */
const WITHIN_MS = 600;
const SETTLED_MS = 120_000;

describe('databases whose process is killed again and again', () => {
  let dataDir: string;
  let service: ServiceProcess;
  let headers: Record<string, string>;
  const ids: string[] = [];

  beforeAll(async () => {
    dataDir = makeMemoryDirectory();
    service = await ServiceProcess.start({ env: { DATA_DIR: dataDir, DATABASES_PORT: '0' } });
    headers = await account();
    await until('a host is there', async () => ids.push(...(await create('first'))) > 0, SETTLED_MS);
  });

  afterAll(async () => {
    await ServiceProcess.killAll();
    removeScratchDirectory(dataDir);
  });

  async function call(method: string, path: string, body?: object): Promise<{ status: number; data: any }> {
    const answer = await fetch(`${service.url}/api/v1${path}`, {
      method,
      headers: { ...headers, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, data: text === '' ? undefined : (JSON.parse(text) as { data: any }).data };
  }

  async function account(): Promise<Record<string, string>> {
    headers = {};
    const username = `d${Date.now().toString(36)}`;
    const person = { username, email: `${username}@example.org`, password: 'a-long-enough-secret' };
    const { data } = await call('POST', '/auth/sign-up', person);
    await sql("UPDATE organizations SET plan = 'pro' WHERE id = $1", [data.organization.id]);
    headers = { authorization: `Bearer ${data.session_token}` };
    const key = await call('POST', '/keys', { name: 'a key' });
    return { authorization: `Bearer ${key.data.secret}` };
  }

  /** Returns the id, or nothing while no host is there. */
  async function create(name: string): Promise<string[]> {
    const { status, data } = await call('POST', '/databases', { name });
    return status === 201 ? [data.id as string] : [];
  }

  const stateOf = async (id: string): Promise<string> => (await call('GET', `/databases/${id}`)).data.state as string;

  async function killSoon(): Promise<void> {
    await sleep(Math.random() * WITHIN_MS);
    const { pid } = service.processOf('databases');
    process.kill(pid, 'SIGKILL');
    await until('it runs again', () => runsAgain(pid), SETTLED_MS);
  }

  function runsAgain(pid: number): boolean {
    try {
      return service.processOf('databases').pid !== pid;
    } catch {
      return false;
    }
  }

  async function sql(text: string, values: unknown[] = []): Promise<any[]> {
    const client = new Client({ host: join(dataDir, 'postgres/run'), user: 'app', database: 'postgres', port: 5432 });
    await client.connect();
    try {
      return (await client.query(text, values)).rows;
    } finally {
      await client.end();
    }
  }

  const clusters = (): string[] => readdirSync(join(dataDir, 'databases/clusters')).sort();

  it('has a whole database or none for each that was accepted, and deletes what was to be deleted', async () => {
    for (let kill = 0; kill < KILLS; kill++) {
      ids.push(...(await create(`number ${kill}`)));
      await killSoon();
    }
    for (const id of ids) await until(`${id} is ready`, async () => (await stateOf(id)) === 'ready', SETTLED_MS);
    const rows = await sql('SELECT cluster_id FROM databases ORDER BY cluster_id');
    expect(clusters()).toEqual(rows.map(({ cluster_id }) => cluster_id));

    for (const [index, id] of ids.entries()) {
      expect((await call('DELETE', `/databases/${id}`)).status).toBe(204);
      if (index < KILLS) await killSoon();
    }
    for (const id of ids) await until(`${id} is deleted`, async () => (await stateOf(id)) === 'deleted', SETTLED_MS);
    // The data stays for as long as the deletion can be undone.
    expect(clusters()).toEqual(rows.map(({ cluster_id }) => cluster_id));
    expect((await call('POST', `/databases/${ids[0]!}/undelete`)).data).toMatchObject({ state: 'ready' });
    expect(await sql("SELECT FROM database_operations WHERE state NOT IN ('done')")).toEqual([]);
  });
});
