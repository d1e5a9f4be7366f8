import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DATABASES } from '../support/databases.js';
import { as, expectStatus } from '../support/make.js';
import { eventually, useApp } from '../support/test-app.js';
import { Wire } from '../support/wire.js';
import { EngineOf } from './engine-harness.js';

const app = useApp({}, 'all');
const wire = new Wire(app);
const on = new EngineOf(app);

beforeAll(() => wire.begin());

const readable = (path: string): string => {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    // It has ended, or it is a socket.
    return '';
  }
};

/** What a user of this machine, or a tenant's server, can read of the processes: command lines and environments. */
const processesWith = (secret: string): string[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => ['cmdline', 'environ'].some((file) => readable(`/proc/${pid}/${file}`).includes(secret)));

const filesWith = (secret: string): string[] =>
  readdirSync(app.dataDirectory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => readable(path).includes(secret));

async function rowsWith(secret: string): Promise<string[]> {
  const tables = await wire.make.sql<{ name: string }>(
    `SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public'`,
  );
  const found: string[] = [];
  for (const { name } of tables)
    if ((await wire.make.sql(`SELECT FROM ${name} AS row WHERE row::text LIKE '%' || $1 || '%'`, [secret])).length > 0)
      found.push(name);
  return found;
}

it('keeps passwords of databases out of command lines, environments, logs, files and rows', async () => {
  const { database, url, credential } = await wire.database();
  const id = database.id as string;
  const clusterId = (await wire.make.sql('SELECT cluster_id FROM databases WHERE id = $1', [id]))[0]!['cluster_id'];
  const path = `${DATABASES}/${id}`;
  const rotated = await app.post(`${path}/credentials/${credential.id}/rotate`, { grace_seconds: 60 }, as(wire.key));
  const other = expectStatus(200, rotated).body.data.url as string;
  const secrets = [url, other].map((each) => new URL(each).password);
  expect(secrets.every((secret) => secret.length === 32)).toBe(true);

  // Sessions that are open, that fail, and that are refused.
  const client = await wire.client(url);
  await client.query('CREATE TABLE notes AS SELECT 7 AS n');
  await client.query('SELECT nothing').catch(() => undefined);
  expect(await wire.refusal(other, (changed) => (changed.username = 'nobody'))).toBe('28P01');
  expect(await wire.refusal(other, (changed) => (changed.pathname = '/none'))).not.toBe('none');
  // A client that sends its password in place of other fields must not find it in the log either.
  await wire.refusal(other, (changed) => (changed.username = changed.password));
  expectStatus(200, await wire.query(id, { sql: 'SELECT 1' }));
  expectStatus(200, await app.fetch(`${path}/export`, as(wire.key)));
  const project = await wire.project();
  const attached = await app.call('PUT', `${path}/attachments/${project.id}`, {
    ...as(wire.key, { headers: { 'content-type': 'application/json' } }),
    body: '{}',
  });
  expect(attached.status).toBeLessThan(300);
  expectStatus(202, await app.call('POST', `${path}/backups`, as(wire.key)));
  await eventually(
    async () => (await wire.make.sql("SELECT FROM database_backups WHERE state = 'ready'")).length > 0,
    'it is backed up',
    30_000,
  );
  expect((await on.processes(clusterId as string)).length).toBeGreaterThan(3);

  for (const secret of secrets) {
    expect(processesWith(secret)).toEqual([]);
    expect(app.log().filter((line) => JSON.stringify(line).includes(secret))).toEqual([]);
    expect(filesWith(secret)).toEqual([]);
    expect(await rowsWith(secret)).toEqual([]);
    for (const answer of [
      attached,
      await app.fetch(path, as(wire.key)),
      await app.fetch(`${path}/stats`, as(wire.key)),
    ])
      expect(answer.text).not.toContain(secret);
  }
  await client.end();
}, 60_000);

it('finds a secret where there is one', async () => {
  const { id } = await wire.ready();
  const clusterId = (await wire.make.sql('SELECT cluster_id FROM databases WHERE id = $1', [id]))[0]!['cluster_id'];
  const canary = 'a-canary-of-the-test-of-secrets';
  await on.query(clusterId as string, `CREATE TABLE notes AS SELECT '${canary}' AS text`);
  await on.engine.sleep(clusterId as string);
  expect(filesWith(canary).length).toBeGreaterThan(0);
  await wire.make.sql('UPDATE databases SET name = $2 WHERE id = $1', [id, canary]);
  expect(await rowsWith(canary)).toContain('databases');
});
