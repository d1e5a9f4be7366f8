import { PriceSyncService } from '../../src/modules/ai/catalog/price-sync.service.js';
import { FakeModelRouter, ROUTER_KEY, type ScriptedAnswer } from '../support/fake-model-router.js';
import { as, expectStatus, type Person, uniqueName } from '../support/make.js';
import { Databases } from '../support/databases.js';
import { onThisMachine } from '../support/patience.js';
import { RunWorker, type WorkerOrder } from '../support/run-worker.js';
import { TestApp } from '../support/test-app.js';

const MODEL = 'fake/small';

jest.setTimeout(onThisMachine(120_000));

const settings: NodeJS.ProcessEnv = { SANDBOX_ENABLED: 'false' };
const router = FakeModelRouter.use(settings, { speaks: 'openrouter' });
// There is no worker in this process: runs are driven by those that the tests kill.
const app = new TestApp(settings, 'api');
const databases = new Databases(app);
const workers: RunWorker[] = [];
let host: TestApp;
let key: string;
let branch: any;
let bucket: any;

beforeAll(async () => {
  await app.start();
  host = await app.another({ role: 'databases' });
  await app.get(PriceSyncService).run(new AbortController().signal);
  await databases.begin();
  key = await databases.make.key(databases.owner, { scopes: ['*'] });
  const { id, name } = await databases.ready();
  await onDatabase(id as string, 'CREATE TABLE marks (run text)');
  const path = `/api/v1/databases/${id}/branches`;
  const created = expectStatus(201, await app.post(path, { name: `${name} branch` }, as(key)));
  branch = await databases.until(created.body.data.id as string, 'ready');
  bucket = expectStatus(201, await app.post('/api/v1/storage/buckets', { name: uniqueName('b') }, as(key))).body.data;
});

afterEach(() => Promise.all(workers.splice(0).map((worker) => worker.stop())));

afterAll(async () => {
  await host.stop();
  await app.stop();
});

const onDatabase = async (id: string, sql: string): Promise<any[][]> =>
  expectStatus(200, await app.post(`/api/v1/databases/${id}/query`, { sql, access: 'write' }, as(key))).body.data.rows;
const marksOf = async (run: string): Promise<number> =>
  (await onDatabase(branch.id, `SELECT count(*)::int FROM marks WHERE run = '${run}'`))[0]![0] as number;
const worker = async (dieAfterTool?: string): Promise<RunWorker> => {
  const started = new RunWorker({
    settings: {
      ...app.sharedSettings,
      REDIS_TIMEOUT_MS: '5000',
      SANDBOX_ENABLED: 'false',
      DATA_DIR: app.dataDirectory,
      OPENROUTER_URL: router.url,
      OPENROUTER_API_KEY: ROUTER_KEY,
    },
    effectsUrl: 'http://127.0.0.1:1',
    hasTools: true,
    ...(dieAfterTool === undefined ? {} : { dieAfterTool }),
  } satisfies WorkerOrder);
  workers.push(started);
  await started.ready();
  return started;
};
/** Lets a worker drive the run as far as it goes. */
const drive = async (dieAfterTool?: string): Promise<void> => {
  const driving = await worker(dieAfterTool);
  const queries = await driving.take();
  if (dieAfterTool !== undefined) expect(queries).toBeUndefined();
  await driving.stop();
};
/** With `always`, both calls wait: one that needs no approval would not wait for the other. */
const started = async (approval: 'auto' | 'always', by = key): Promise<string> => {
  const inOrg = { headers: { 'x-service-org': databases.orgId } };
  const tools = [
    { name: 'execute_sql', approval, unknown_outcome: 'tell_model', settings: { databases: [branch.id] } },
    { name: 'write_object', approval: approval === 'auto' ? 'never' : approval, settings: { buckets: [bucket.name] } },
  ];
  const body = { name: uniqueName('agent'), instructions: 'Write.', models: [MODEL], tools };
  const { id } = expectStatus(201, await app.post('/api/v1/agents', body, as(key))).body.data;
  const agent = `/api/v1/agents/${id as string}/runs`;
  const run = expectStatus(202, await app.post(agent, { input: 'Go.' }, as(by, inOrg))).body.data.id as string;
  router.decide = decisionOf(run);
  return run;
};
/** One answer with both calls, and then the output. */
const decisionOf =
  (run: string) =>
  ({ messages }: { messages: { role: string }[] }): ScriptedAnswer => {
    if (messages.some(({ role }) => role === 'tool')) return { text: 'Done.' };
    const sql = { database: branch.id, sql: 'INSERT INTO marks VALUES ($1)', params: [run] };
    const object = { bucket: bucket.id, key: run, content: 'A report.', expected_version: null };
    return {
      tools: [
        { name: 'execute_sql', arguments: JSON.stringify(sql) },
        { name: 'write_object', arguments: JSON.stringify(object) },
      ],
    };
  };
const runOf = async (id: string): Promise<any> =>
  expectStatus(200, await app.fetch(`/api/v1/runs/${id}`, as(key))).body.data;
const callsOf = async (id: string): Promise<any[]> =>
  expectStatus(200, await app.fetch(`/api/v1/runs/${id}/steps`, as(key))).body.data[0].tool_calls;
const versionOf = async (run: string): Promise<string | undefined> =>
  (await databases.make.sql<{ revision: string }>('SELECT revision FROM objects WHERE key = $1', [run]))[0]?.revision;
/** What the clock does in half a minute: the leases of lost workers end. */
const leasesEnd = (): Promise<unknown> =>
  databases.make.sql("UPDATE runs SET ready_at = now() WHERE state = 'running'");
const approve = async (run: string): Promise<void> => {
  const list = expectStatus(200, await app.fetch('/api/v1/approvals?state=waiting', as(key))).body.data as any[];
  const approvals = list.filter(({ run_id: id }) => id === run);
  expect(approvals).toHaveLength(2);
  for (const { id } of approvals)
    expectStatus(200, await app.post(`/api/v1/approvals/${id as string}`, { decision: 'approve' }, as(key)));
};

it('executes a statement once although the worker dies before its result is known', async () => {
  const run = await started('auto');
  await drive('execute_sql');
  expect(await marksOf(run)).toBe(1);
  await leasesEnd();
  await drive();
  expect(await runOf(run)).toMatchObject({ state: 'succeeded', output: 'Done.' });
  expect(await callsOf(run)).toMatchObject([
    { tool: 'execute_sql', state: 'outcome_unknown' },
    { tool: 'write_object', state: 'succeeded' },
  ]);
  expect(await marksOf(run)).toBe(1);
});

it('writes an object once although the worker dies before its result is known', async () => {
  const run = await started('auto');
  await drive('write_object');
  const version = await versionOf(run);
  expect(version).toMatch(/^rsv_/);
  await leasesEnd();
  await drive();
  expect(await runOf(run)).toMatchObject({ state: 'succeeded', output: 'Done.', tainted: true });
  expect((await callsOf(run))[1]).toMatchObject({ tool: 'write_object', state: 'succeeded', output: { version } });
  expect(await versionOf(run)).toBe(version);
  expect(await marksOf(run)).toBe(1);
});

it('changes nothing once the key that started it is revoked', async () => {
  const body = { kind: 'personal', name: 'starter', scopes: ['*'] };
  const { id, secret } = expectStatus(201, await app.post('/api/v1/keys', body, as(databases.owner))).body.data;
  const run = await started('always', secret as string);
  await drive();
  expect(await versionOf(run)).toBeUndefined();
  expect((await app.call('DELETE', `/api/v1/keys/${id as string}`, as(databases.owner))).status).toBe(204);
  await approve(run);
  await drive();
  expect(await runOf(run)).toMatchObject({ state: 'failed', error: { code: 'access_revoked' } });
  expect([await marksOf(run), await versionOf(run)]).toEqual([0, undefined]);
});

it('changes nothing once the person who started it is no member any more', async () => {
  const { owner, make } = databases;
  const member: Person = await make.person();
  await make.member(owner.organization, member, 'member');
  const run = await started('always', await make.key(member, { scopes: ['*'] }));
  await drive();
  await make.sql('DELETE FROM memberships WHERE org_id = $1 AND user_id = $2', [owner.organization.id, member.user.id]);
  await approve(run);
  await drive();
  expect(await runOf(run)).toMatchObject({ state: 'failed', error: { code: 'access_revoked' } });
  expect([await marksOf(run), await versionOf(run)]).toEqual([0, undefined]);
});

it('tells the model that a database was deleted before the call was approved', async () => {
  const kept = branch;
  const { id, name } = await databases.ready();
  const path = `/api/v1/databases/${id as string}/branches`;
  const created = expectStatus(201, await app.post(path, { name: `${name as string} gone` }, as(key)));
  branch = await databases.until(created.body.data.id as string, 'ready');
  const run = await started('always');
  await drive();
  await databases.deleted(branch.id as string);
  branch = kept;
  await approve(run);
  await drive();
  expect(await runOf(run)).toMatchObject({ state: 'succeeded' });
  expect((await callsOf(run))[0]).toMatchObject({ state: 'failed', error: { code: 'database_not_found' } });
});
