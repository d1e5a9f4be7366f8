import type { Client } from '@modelcontextprotocol/client';
import { Database } from '../../src/platform/database/database.js';
import { as, expectStatus } from '../support/make.js';
import { connectMcp, errorIn } from '../support/mcp-clients.js';
import { bucketOf } from '../support/storage.js';
import { useApp, WITH_SANDBOX } from '../support/test-app.js';
import { Wire } from '../support/wire.js';

/** What the service writes by itself while it runs: leases, reports of its workers, and archives of databases. */
const OWN_TABLES = ['schedule_leases', 'deploy_workers', 'database_hosts', 'database_archives', 'database_operations'];
/** What says that a key or a database was used, whichever route used it, and what the hosts of databases measure. */
const OWN_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  api_keys: ['last_used_at', 'last_used_ip'],
  databases: [
    ...['last_active_at', 'activity', 'connections', 'updated_at'],
    ...['size_bytes', 'empty_bytes', 'disk_bytes', 'undrained_bytes', 'measured_at'],
    // What its host has applied.
    ...['restriction', 'restricted_cluster_id'],
  ],
  // Who reads a file of a session wakes it for a moment.
  sandbox_sessions: ['status', 'last_used_at', 'alive_until'],
};

describe('the address with read_only=1', () => {
  const app = useApp(WITH_SANDBOX, 'all');
  const wire = new Wire(app);
  let client: Client;
  let given: Readonly<Record<string, object>>;

  beforeAll(async () => {
    await wire.begin();
    const bucket = await bucketOf(app, wire.owner, 'photos');
    const target = `/api/v1/storage/buckets/${bucket.id}/objects/a.txt`;
    expectStatus(200, await app.call('PUT', target, { ...as(wire.key), body: 'text' }));
    const project = await wire.project('shop');
    const database = await wire.ready();
    await wire.query(database.id as string, { sql: 'CREATE TABLE people (id int)', access: 'write' });
    const project_id = project.id as string;
    const database_id = database.id as string;
    const sessions = '/api/v1/sandbox/sessions';
    const session = expectStatus(201, await app.post(sessions, { language: 'python' }, as(wire.key))).body.data;
    const code = 'for path in ("/artifacts/a.txt", "a.txt"): open(path, "w").write("text")';
    const work = { code, artifacts: true };
    const runs = `${sessions}/${session.id as string}/runs`;
    const execution = expectStatus(200, await app.post(runs, work, as(wire.key))).body.data;
    const { id: session_id } = session;
    const { id: execution_id } = execution;
    client = await connectMcp(app, wire.key, { query: '?read_only=1' });
    given = {
      explain_access: { method: 'DELETE', path: '/api/v1/projects/shop' },
      get_project: { project_id },
      list_variables: { project_id },
      list_deploys: { project_id },
      read_files: { repository_id: 'repo_00000000000000000000000000' },
      get_deploy: { deploy_id: 'dpl_00000000000000000000000000' },
      get_deploy_logs: { deploy_id: 'dpl_00000000000000000000000000' },
      describe_schema: { database_id },
      query_database: { database_id, sql: 'SELECT count(*) FROM people' },
      list_objects: { bucket_id: bucket.id },
      read_object: { bucket_id: bucket.id, key: 'a.txt' },
      get_run: { run_id: 'run_00000000000000000000000000' },
      list_session_files: { session_id },
      read_session_file: { session_id, path: 'a.txt' },
      list_artifacts: { execution_id },
      read_artifact: { execution_id, artifact_id: execution.artifacts[0].id },
      estimate_cost: { code: 'print(1)', language: 'python' },
      search_docs: { q: 'deploy' },
      explain_error: { code: 'invalid_request' },
    };
  });
  afterAll(() => client.close());

  /** A digest of the rows of each table of the service. Its months may be created at any time. */
  async function digests(): Promise<Record<string, string>> {
    const { manager } = app.get(Database);
    const tables = await manager.query<{ name: string }[]>(
      `SELECT relname AS name FROM pg_class
       WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition ORDER BY 1`,
    );
    const found: Record<string, string> = {};
    for (const { name } of tables.filter((table) => !OWN_TABLES.includes(table.name))) {
      const left = (OWN_COLUMNS[name] ?? []).map((column) => ` - '${column}'`).join('');
      const [row] = await manager.query<[{ digest: string }]>(
        `SELECT coalesce(string_agg(md5(row::text), ' ' ORDER BY md5(row::text)), '') AS digest
         FROM (SELECT to_jsonb(t)${left} AS row FROM "${name}" t) rows`,
      );
      found[name] = row.digest;
    }
    return found;
  }

  it('has tools that together change no row, and none that writes or sends data out', async () => {
    const { tools } = await client.listTools();
    expect(tools.length).toBeGreaterThan(20);
    expect(tools.filter(({ annotations }) => annotations?.readOnlyHint !== true)).toEqual([]);
    expect(tools.map(({ name }) => name)).not.toContain('sign_url');

    const before = await digests();
    for (const { name, inputSchema } of tools) {
      expect([name, given[name] !== undefined || (inputSchema.required ?? []).length === 0]).toEqual([name, true]);
      const result: any = await client.callTool({ name, arguments: { ...given[name] } });
      if (result.isError === true) expect([name, errorIn(result).status]).toEqual([name, 404]);
      if (/_session_file|_artifact/.test(name)) expect([name, result.isError]).toEqual([name, undefined]);
    }
    expect(await digests()).toEqual(before);
  });

  it('is noticed by this test when something does change a row', async () => {
    const before = await digests();
    expectStatus(201, await app.post('/api/v1/projects', { name: 'another' }, as(wire.key)));
    expect(await digests()).not.toEqual(before);
  });

  it('refuses a tool that writes, as if there were none', async () => {
    await expect(client.callTool({ name: 'create_project', arguments: { name: 'x' } })).rejects.toThrow(
      'There is no tool create_project for this caller.',
    );
  });
});
