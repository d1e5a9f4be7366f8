import { JsonSchemas } from '../../src/modules/agents/json-schemas.js';
import { PriceSyncService } from '../../src/modules/ai/catalog/price-sync.service.js';
import { scopesOf } from '../../src/modules/auth/scopes.js';
import { WorkTokensService } from '../../src/modules/oauth/work-tokens.service.js';
import { FakeModelRouter, ROUTER_KEY, type ScriptedAnswer } from '../support/fake-model-router.js';
import { freePort } from '../support/free-port.js';
import { as, expectStatus, Make, type Person, uniqueName } from '../support/make.js';
import { callTool, connectMcp, sendMcp } from '../support/mcp-clients.js';
import { onThisMachine } from '../support/patience.js';
import { RunWorker } from '../support/run-worker.js';
import { TestApp } from '../support/test-app.js';

const MODEL = 'fake/small';

jest.setTimeout(onThisMachine(120_000));

const settings: NodeJS.ProcessEnv = { SANDBOX_ENABLED: 'false' };
const router = FakeModelRouter.use(settings, { speaks: 'openrouter' });
// There is no worker in this process: runs are driven by others, which reach the API as other machines do.
const app = new TestApp(settings, 'api');
const make = new Make(app);
const workers: RunWorker[] = [];
let ada: Person;
let key: string;

beforeAll(async () => {
  settings['PORT'] = String(await freePort());
  settings['AGENT_API_URL'] = `http://127.0.0.1:${settings['PORT']}`;
  await app.start();
  await app.get(PriceSyncService).run(new AbortController().signal);
});

beforeEach(async () => {
  ada = await make.person({ plan: 'enterprise' });
  key = await make.key(ada, { scopes: ['*'] });
  router.requests.splice(0);
});

afterEach(() => Promise.all(workers.splice(0).map((worker) => worker.stop())));

afterAll(() => app.stop());

const post = async (path: string, body: object, status = 201, by = key): Promise<any> =>
  expectStatus(status, await app.post(`/api/v1/${path}`, body, as(by))).body.data;
const read = async (path: string): Promise<any> =>
  expectStatus(200, await app.fetch(`/api/v1/${path}`, as(key))).body.data;
/** Lets a worker drive runs as far as they go. */
async function drive({
  dieAfterTool,
  apiUrl = app.url,
}: { dieAfterTool?: string; apiUrl?: string } = {}): Promise<void> {
  const worker = new RunWorker({
    settings: {
      ...app.sharedSettings,
      REDIS_TIMEOUT_MS: '5000',
      SANDBOX_ENABLED: 'false',
      DATA_DIR: app.dataDirectory,
      OPENROUTER_URL: router.url,
      OPENROUTER_API_KEY: ROUTER_KEY,
      PUBLIC_URL: app.config.publicUrl,
      AGENT_API_URL: apiUrl,
    },
    effectsUrl: 'http://127.0.0.1:1',
    hasTools: true,
    ...(dieAfterTool === undefined ? {} : { dieAfterTool }),
  });
  workers.push(worker);
  await worker.ready();
  const queries = await worker.take();
  if (dieAfterTool !== undefined) expect(queries).toBeUndefined();
  await worker.stop();
}
/** What the clock does in half a minute: the leases of lost workers end. */
const leasesEnd = (): Promise<unknown> => make.sql("UPDATE runs SET ready_at = now() WHERE state = 'running'");
interface Start {
  readonly scopes?: readonly string[];
  readonly use?: object;
  readonly by?: string;
}
async function start({ scopes, use = {}, by = key }: Start = {}): Promise<string> {
  const body = {
    name: uniqueName('agent'),
    instructions: 'Help.',
    models: [MODEL],
    tools: [{ name: 'service', ...use }],
    ...(scopes === undefined ? {} : { scopes }),
  };
  const agent = await post('agents', body);
  return (await post(`agents/${agent.id as string}/runs`, { input: 'Go.' }, 202, by)).id as string;
}
/** The model calls these tools once, one after the other, and is then done. */
function calls(...tools: readonly [string, object][]): void {
  router.decide = ({ messages }: { messages: { role: string }[] }): ScriptedAnswer => {
    const next = tools[messages.filter(({ role }) => role === 'tool').length];
    return next === undefined ? { text: 'Done.' } : { tools: [{ name: next[0], arguments: JSON.stringify(next[1]) }] };
  };
}
const offered = (): any[] => router.requests.find(({ path }) => path === '/chat/completions')!.body.tools as any[];
const callsOf = async (run: string): Promise<any[]> =>
  ((await read(`runs/${run}/steps`)) as any[]).flatMap(({ tool_calls: made }) => made as object[]);
const stateOf = async (run: string): Promise<string> => (await read(`runs/${run}`)).state as string;

it('offers the model what the MCP server lists for a key with the scopes, without tools that start runs', async () => {
  const scopes = ['projects:read', 'projects:write', 'deploys:read', 'storage:read', 'agents:read', 'agents:run'];
  calls();
  const run = await start({ scopes });
  await drive();
  expect(await stateOf(run)).toBe('succeeded');
  const client = await connectMcp(app, await make.key(ada, { scopes }));
  const listed = (await client.listTools()).tools;
  await client.close();
  const groups = ['list_agents', 'run_agent', 'get_run', 'cancel_run'];
  const expected = listed.filter(({ name }) => !groups.includes(name));
  expect(expected.length).toBeGreaterThan(15);
  expect(
    offered().map(({ function: { name, description, parameters } }) => ({ name, description, parameters })),
  ).toEqual(expected.map(({ name, description, inputSchema }) => ({ name, description, parameters: inputSchema })));
  for (const { name, inputSchema } of listed)
    expect([name, app.get(JsonSchemas).faultsOf(inputSchema as never)]).toEqual([name, []]);
});

it('acts as the person who started the run, once although the worker dies, and is in the audit log', async () => {
  const name = uniqueName('shop');
  calls(['create_project', { name, repo_url: 'https://github.com/acme/shop' }]);
  const run = await start({ scopes: ['projects:write'] });
  await drive({ dieAfterTool: 'service' });
  await leasesEnd();
  await drive();
  expect(await stateOf(run)).toBe('succeeded');
  const projects = (await read('projects')) as { name: string; id: string }[];
  expect(projects.map((project) => project.name)).toEqual([name]);
  const [call] = await callsOf(run);
  expect(call).toMatchObject({ tool: 'create_project', effect: 'keyed', state: 'succeeded' });
  expect(call.output.data).toMatchObject({ id: projects[0]!.id });
  const audit = (await read(`orgs/${ada.organization.id}/audit-log`)) as any[];
  const created = audit.filter(({ action }) => action === 'project.created');
  expect(created).toHaveLength(1);
  expect(JSON.stringify(created[0])).toContain('mcp:create_project');
  expect(JSON.stringify(created[0])).toContain(ada.user.id);
});

it('may do what the scopes of the version and the caller both allow, and nothing else', async () => {
  const by = await make.key(ada, { scopes: ['agents:*', 'ai:invoke', 'projects:read'] });
  calls(['create_project', { name: 'x', repo_url: 'https://github.com/acme/shop' }]);
  const run = await start({ scopes: ['projects:read', 'projects:write', 'deploys:read'], by });
  await drive();
  const names = offered().map(({ function: { name } }) => name as string);
  expect(names).toContain('list_projects');
  expect(names).not.toContain('create_project');
  expect(names).not.toContain('list_deploys');
  expect((await callsOf(run))[0]).toMatchObject({ tool: 'create_project', state: 'failed' });
  expect(await read('projects')).toEqual([]);
});

it('narrows by settings: groups, names, reading, and one project', async () => {
  const repo = 'https://github.com/acme/shop';
  const [one, other] = await Promise.all(
    ['one', 'other'].map((name) => post('projects', { name: uniqueName(name), repo_url: repo })),
  );
  calls(['get_project', { project_id: other.id }], ['get_project', { project_id: one.id }]);
  const use = { settings: { features: ['projects', 'deploys'], read_only: true, project: one.slug } };
  const run = await start({ scopes: ['projects:read', 'projects:write', 'deploys:read', 'deploys:write'], use });
  await drive();
  expect(offered().every(({ function: { name } }) => /^(get|list|describe)_/.test(name as string))).toBe(true);
  expect(await callsOf(run)).toMatchObject([
    { state: 'failed', error: { code: expect.any(String) } },
    { state: 'succeeded', output: { data: { id: one.id } } },
  ]);
  router.requests.splice(0);
  calls();
  await start({ use: { settings: { tools: ['whoami'] } } });
  await drive();
  expect(offered().map(({ function: { name } }) => name as string)).toEqual(['whoami']);
});

it('waits for a person before a production deploy, and shows refusals with their codes and hints', async () => {
  const project = await post('projects', { name: uniqueName('shop'), repo_url: 'https://github.com/acme/shop' });
  calls(
    ['deploy_project', { project_id: project.id, type: 'production', wait_seconds: 0 }],
    ['get_project', { project_id: 'prj_00000000000000000000000000' }],
  );
  const run = await start({ scopes: ['projects:read', 'deploys:read', 'deploys:write', 'deploys:production'] });
  await drive();
  expect(await read(`runs/${run}`)).toMatchObject({ state: 'waiting', waiting_for: 'approval' });
  expect(await read(`projects/${project.id as string}/deploys`)).toEqual([]);
  const [approval] = ((await read('approvals?state=waiting')) as any[]).filter(({ run_id: id }) => id === run);
  const input = { ...approval.arguments, wait_seconds: 1 };
  await post(`approvals/${approval.id as string}`, { decision: 'approve', arguments: input }, 200);
  await drive();
  expect(await stateOf(run)).toBe('succeeded');
  expect(await read(`projects/${project.id as string}/deploys`)).toMatchObject([{ type: 'production' }]);
  expect((await callsOf(run))[1]).toMatchObject({ state: 'failed', error: { code: 'project_not_found' } });
});

it('goes on when the API was unavailable', async () => {
  calls(['whoami', {}]);
  const run = await start();
  await drive({ apiUrl: `http://127.0.0.1:${await freePort()}` });
  expect(await stateOf(run)).toBe('running');
  await leasesEnd();
  await drive();
  expect(await stateOf(run)).toBe('succeeded');
  expect((await callsOf(run))[0]).toMatchObject({
    state: 'succeeded',
    output: { data: { user: { id: ada.user.id } } },
  });
});

describe('the access token of a run', () => {
  const tokenFor = (changed: { orgId?: string; keyId?: string; scopes?: string[] } = {}): Promise<string> => {
    const {
      scopes = ['projects:read', 'agents:run', 'agents:read'],
      orgId = ada.organization.id,
      keyId = null,
    } = changed;
    const work = { id: 'run_test', orgId, userId: ada.user.id, keyId, scopes: [...scopesOf(scopes)] };
    return app.get(WorkTokensService).sign({ work, budgetSubjects: [] });
  };
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

  it('opens /mcp for two minutes, and no other route', async () => {
    const token = await tokenFor();
    expect((await sendMcp(app, token, list)).text).toContain('list_projects');
    expect((await app.fetch('/api/v1/projects', as(token))).status).toBe(401);
    const { exp, iat } = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as Record<
      string,
      number
    >;
    expect(exp! - iat!).toBe(120);
    const [head, body, signature] = token.split('.');
    const forged = JSON.parse(Buffer.from(body!, 'base64url').toString()) as object;
    const other = Buffer.from(JSON.stringify({ ...forged, scope: '*' })).toString('base64url');
    expect((await sendMcp(app, `${head}.${other}.${signature}`, list)).status).toBe(401);
  });

  it('starts no run, and names no organization but its own', async () => {
    const token = await tokenFor();
    expect((await sendMcp(app, token, list)).text).not.toContain('run_agent');
    expect(await callTool(app, token, 'run_agent', { agent_id: 'x' })).toHaveProperty('refused');
    const team = await make.org(ada);
    const elsewhere = await sendMcp(app, token, list, { headers: { 'x-service-org': team.id } });
    expect([elsewhere.status, elsewhere.body.error.code]).toEqual([403, 'org_access_denied']);
  });

  it('is worth nothing once the key or the membership of its caller has ended', async () => {
    const made = await post('keys', { name: 'k', kind: 'personal', scopes: ['*'] }, 201, ada.sessionToken);
    const token = await tokenFor({ keyId: made.id as string });
    expect((await sendMcp(app, token, list)).status).toBe(200);
    expectStatus(204, await app.call('DELETE', `/api/v1/keys/${made.id as string}`, as(ada.sessionToken)));
    expect((await sendMcp(app, token, list)).status).toBe(401);
    const eve = await make.person();
    expect((await sendMcp(app, await tokenFor({ orgId: eve.organization.id }), list)).status).toBe(401);
  });
});
