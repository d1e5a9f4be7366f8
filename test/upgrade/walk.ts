import { createHash, createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { until } from '../support/embedded-servers.js';
import { GitClient } from '../support/git-client.js';
import type { FakeModelRouter } from '../support/fake-model-router.js';
import { uniqueName } from '../support/make.js';
import type { Answered, Backends } from './backends.js';
import type { Hooks } from './hooks.js';

export const OPS_TOKEN = 'an-operator-of-the-upgrade-test';
const PASSWORD = 'a sentence of ones own';
const MCP = '/mcp';
/** What a deploy, executions and a run of an agent are charged by. */
const METERS = ['sandbox_compute', 'ai_tokens'];
const OBJECT = 'kept/in a bucket';

/** What a caller has made, which every release has to show from then on. */
export interface Made {
  readonly key: string;
  readonly organization: string;
  readonly project: string;
  readonly deploy: string;
  readonly page: { readonly host: string; readonly html: string };
  readonly execution: string;
  readonly run: string;
  readonly bucket: string;
  readonly task: string;
  readonly repository: Repository;
  readonly database: string;
  readonly endpoint: string;
}

/** One that the service keeps, with the page that a push to it has deployed. */
interface Repository {
  readonly owner: string;
  readonly path: string;
  readonly commit: string;
  readonly page: Made['page'];
}

/** Where callers call, and what is called for them. */
export interface Places {
  readonly api: Backends;
  readonly sites: Backends;
  readonly router: FakeModelRouter;
  readonly hooks: Hooks;
}

/** Calls the API as one caller. Each call may be answered by another process. */
export class Caller {
  constructor(
    readonly api: Backends,
    readonly token?: string,
  ) {}

  /** @throws {Error} with the answer unless it is a success. */
  async call(method: string, path: string, body?: unknown): Promise<any> {
    const { status, text } = await this.send(method, path, body);
    if (status >= 300) throw new Error(`${method} ${path} was answered ${status}: ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  }

  send(method: string, path: string, body?: unknown): Promise<Answered> {
    const isBytes = Buffer.isBuffer(body);
    return this.api.send({
      method,
      path,
      headers: {
        ...(body === undefined ? {} : { 'content-type': isBytes ? 'application/octet-stream' : 'application/json' }),
        ...(this.token === undefined ? {} : { authorization: `Bearer ${this.token}` }),
        accept: path === MCP ? 'application/json, text/event-stream' : 'application/json',
      },
      body: body === undefined || isBytes ? body : JSON.stringify(body),
    });
  }

  /** The `data` of the answer of a route below `/api/v1`. */
  async data(method: string, path: string, body?: unknown): Promise<any> {
    return (await this.call(method, `/api/v1${path}`, body))?.data;
  }

  /** Reads until it holds, and returns what was read. */
  async when(path: string, holds: (data: any) => boolean): Promise<any> {
    let data: any;
    await until(`${path} is as expected`, async () => holds((data = await this.data('GET', path))), 60_000);
    return data;
  }
}

/** Goes through the API as a new customer does, and leaves something of each kind. */
export async function walk(places: Places): Promise<Made> {
  const { api, sites, router, hooks } = places;
  const name = uniqueName('walk');
  const { key, organization } = await signUp(api, name);
  const caller = new Caller(api, key);
  const project = (await caller.data('POST', '/projects', { name })).id as string;
  const endpoint = await listen(caller, { organization, hooks });
  const { deploy, page } = await deployPage(caller, project);
  await hear(caller, { organization, endpoint, hooks, deploy });
  const database = await fillDatabase(caller, name);
  const repository = await push(caller, name);
  await until('its page is served', async () => (await visit(sites, page.host)).text === page.html, 20_000);
  const execution = await execute(caller);
  await useSession(caller);
  const run = await runAgent(caller, name, router);
  const bucket = await storeObject(caller, name);
  const task = await openTask(api, name);
  await useMcp(caller, name);
  await caller.when('/billing/usage', (lines: { meter: string }[]) =>
    METERS.every((meter) => lines.some((line) => line.meter === meter)),
  );
  const made = {
    ...{ key, organization, project, deploy, page, execution, run, bucket, task },
    ...{ repository, database, endpoint: endpoint.id },
  };
  await revisit(places, made);
  return made;
}

/** Reads what {@link walk} has left. @throws {Error} when some of it is not as it was. */
export async function revisit({ api, sites }: Places, made: Made): Promise<void> {
  const caller = new Caller(api, made.key);
  const { project, deploy, execution, run, bucket, organization } = made;
  expect((await caller.data('GET', '/me')).organization.id).toBe(organization);
  expect(await caller.data('GET', `/projects/${project}/env`)).toMatchObject([{ name: 'GREETING', secret: true }]);
  expect(await caller.data('GET', `/deploys/${deploy}`)).toMatchObject({ id: deploy, state: 'ready' });
  expect((await visit(sites, made.page.host)).text).toBe(made.page.html);
  expect(await caller.data('GET', `/sandbox/executions/${execution}`)).toMatchObject({ stdout: 'later\n' });
  expect(await caller.data('GET', `/runs/${run}`)).toMatchObject({ id: run, state: 'succeeded' });
  expect((await caller.send('GET', `/api/v1/runs/${run}/events?follow=false`)).text).toContain('run.succeeded');
  const object = `/api/v1/storage/buckets/${bucket}/objects/${encodeURI(OBJECT)}`;
  expect(await caller.send('GET', object)).toEqual({ status: 200, text: 'bytes' });
  expect((await caller.data('GET', `/orgs/${organization}/audit-log`)).length).toBeGreaterThan(0);
  const operator = new Caller(api, OPS_TOKEN);
  expect(await operator.call('GET', `/ops/tasks/${made.task}`)).toMatchObject({ status: 'resolved' });
  const deliveries = await caller.data('GET', deliveriesOf(organization, made.endpoint));
  expect(deliveries).toContainEqual(expect.objectContaining({ type: 'deploy.ready', attempts: 1, status: 200 }));
  await revisitRepository(caller, sites, made.repository);
  const sql = { sql: 'SELECT n FROM marks', access: 'read' };
  expect(await caller.data('POST', `/databases/${made.database}/query`, sql)).toMatchObject({ rows: [[42]] });
}

async function signUp(api: Backends, username: string): Promise<{ key: string; organization: string }> {
  const account = { username, email: `${username}@example.org`, password: PASSWORD };
  const created = await new Caller(api).data('POST', '/auth/sign-up', account);
  const signedIn = await new Caller(api).data('POST', '/auth/sign-in', { login: username, password: PASSWORD });
  for (const { session_token: token } of [created, signedIn]) await new Caller(api, token).data('GET', '/me');
  const key = { name: 'walk', kind: 'personal', scopes: ['*'] };
  const { secret } = await new Caller(api, signedIn.session_token).data('POST', '/keys', key);
  return { key: secret, organization: created.organization.id };
}

async function deployPage(caller: Caller, project: string): Promise<Pick<Made, 'deploy' | 'page'>> {
  const variables = [{ name: 'GREETING', value: 'hello', targets: ['preview', 'production'], secret: true }];
  await caller.data('PUT', `/projects/${project}/env`, { variables });
  const html = `<!doctype html><title>${project}</title>`;
  const sha256 = createHash('sha256').update(html).digest('hex');
  const files = [{ path: 'index.html', sha256, bytes: html.length, executable: false }];
  const { id: upload } = await caller.data('POST', `/projects/${project}/uploads`, { files });
  await caller.data('PUT', `/projects/${project}/uploads/${upload}/blobs`, Buffer.from(`${sha256}\n${html}`));
  const { id } = await caller.data('POST', `/projects/${project}/deploys`, { source: { upload_id: upload } });
  const { state, error, url } = await caller.when(`/deploys/${id}`, ({ finished_at: at }) => at !== undefined);
  expect({ state, error }).toEqual({ state: 'ready' });
  return { deploy: id, page: { host: new URL(url as string).host, html } };
}

const visit = (sites: Backends, host: string): Promise<Answered> => sites.send({ path: '/', headers: { host } });

/** One that is handed over, with the output while it runs, and one that waits in the queue. */
async function execute(caller: Caller): Promise<string> {
  const code = 'print("at once")';
  const atOnce = await caller.data('POST', '/sandbox/executions', { language: 'python', code });
  expect(atOnce).toMatchObject({ status: 'succeeded', stdout: 'at once\n' });
  const later = { language: 'python', code: 'print("later")', wait: false };
  const { id } = await caller.data('POST', '/sandbox/executions', later);
  const ended = await caller.when(`/sandbox/executions/${id}`, ({ status }) => !/queued|running/.test(status));
  expect(ended).toMatchObject({ status: 'succeeded', stdout: 'later\n' });
  return id;
}

async function useSession(caller: Caller): Promise<void> {
  const { id } = await caller.data('POST', '/sandbox/sessions', { language: 'python' });
  const path = `/sandbox/sessions/${id}`;
  expect(await caller.data('POST', `${path}/runs`, { code: 'x = 40' })).toMatchObject({ status: 'succeeded' });
  // Another process may have been asked for the first run.
  for (let process = 0; process < 2; process++)
    expect(await caller.data('POST', `${path}/runs`, { code: 'print(x + 2)' })).toMatchObject({ stdout: '42\n' });
  await caller.data('DELETE', path);
}

/** It calls a tool that runs code, so that the sandbox is asked by a worker too. */
async function runAgent(caller: Caller, slug: string, router: FakeModelRouter): Promise<string> {
  router.decide = ({ messages }) =>
    messages.some(({ role }: { role: string }) => role === 'tool')
      ? { text: 'Done.' }
      : { tools: [{ name: 'run_code', arguments: '{"language":"python","code":"print(6 * 7)"}' }] };
  const definition = { instructions: 'Work.', models: ['fake/small'], tools: [{ name: 'run_code' }] };
  await caller.data('POST', '/agents', { name: slug, slug, ...definition });
  const { id } = await caller.data('POST', `/agents/${slug}/runs`, { input: 'Compute.' });
  const { state, error } = await caller.when(`/runs/${id}`, ({ ended_at: at }) => at !== undefined);
  expect({ state, error }).toEqual({ state: 'succeeded' });
  return id;
}

async function storeObject(caller: Caller, name: string): Promise<string> {
  const { id } = await caller.data('POST', '/storage/buckets', { name });
  await caller.data('PUT', `/storage/buckets/${id}/objects/${encodeURI(OBJECT)}`, Buffer.from('bytes'));
  expect(await caller.data('GET', `/storage/buckets/${id}/objects`)).toMatchObject({ objects: [{ key: OBJECT }] });
  return id;
}

async function openTask(api: Backends, title: string): Promise<string> {
  const operator = new Caller(api, OPS_TOKEN);
  const [{ id }] = (await operator.call('POST', '/ops/alert', { title })).tasks;
  await operator.call('POST', `/ops/tasks/${id}/claim`, { agent: 'ada', leaseSeconds: 60 });
  await operator.call('POST', `/ops/tasks/${id}/resolve`, { agent: 'ada', resolution: 'Made room.' });
  return id;
}

async function useMcp(caller: Caller, project: string): Promise<void> {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_projects', arguments: {} } };
  expect((await caller.send('POST', MCP, message)).text).toContain(project);
}

interface Endpoint {
  readonly id: string;
  readonly secret: string;
  readonly path: string;
}

const deliveriesOf = (organization: string, endpoint: string): string =>
  `/orgs/${organization}/webhook-endpoints/${endpoint}/deliveries`;

async function listen(
  caller: Caller,
  { organization, hooks }: { organization: string; hooks: Hooks },
): Promise<Endpoint> {
  const path = `/${organization}`;
  const wanted = { url: hooks.url + path, types: ['deploy.ready'] };
  const { id, secret } = await caller.data('POST', `/orgs/${organization}/webhook-endpoints`, wanted);
  return { id, secret, path };
}

/** The message of a deploy comes, signed as Standard Webhooks describes it, and is on record. */
async function hear(
  caller: Caller,
  { organization, endpoint, hooks, deploy }: { organization: string; endpoint: Endpoint; hooks: Hooks; deploy: string },
): Promise<void> {
  const arrived = (): Hooks['received'] => hooks.received.filter(({ path }) => path === endpoint.path);
  await until('the message has come', () => arrived().length > 0, 60_000);
  const [{ headers, body }] = arrived() as [Hooks['received'][number]];
  expect(JSON.parse(body)).toMatchObject({ type: 'deploy.ready', org_id: organization, data: { deploy_id: deploy } });
  const content = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`;
  const bytes = Buffer.from(endpoint.secret.replace('whsec_', ''), 'base64');
  expect(headers['webhook-signature']).toBe(`v1,${createHmac('sha256', bytes).update(content).digest('base64')}`);
  await caller.when(deliveriesOf(organization, endpoint.id), (all: { status?: number }[]) => all[0]?.status === 200);
}

async function fillDatabase(caller: Caller, name: string): Promise<string> {
  const { id } = await caller.data('POST', '/databases', { name });
  await caller.when(`/databases/${id}`, ({ state }) => state === 'ready');
  const sql = { sql: 'CREATE TABLE marks AS SELECT 42 AS n', access: 'write' };
  await caller.data('POST', `/databases/${id}/query`, sql);
  return id;
}

const remoteOf = ({ api, token }: Caller, { owner, path }: Pick<Repository, 'owner' | 'path'>): string =>
  api.origin.replace('//', `//${owner}:${token!}@`) + path;

/** A push to a repository of the service deploys the project that is connected to it. */
async function push(caller: Caller, name: string): Promise<Repository> {
  const { repo_url } = await caller.data('POST', '/repositories', { name });
  const { id: project } = await caller.data('POST', '/projects', { name: `${name}-pushed`, repo_url });
  const place = { owner: name, path: new URL(repo_url as string).pathname };
  const html = `<!doctype html><title>pushed to ${project}</title>`;
  const git = new GitClient();
  let commit: string;
  try {
    await git.run(['init', '--quiet', '-b', 'main', 'site']);
    writeFileSync(git.path('site', 'index.html'), html);
    await git.run(['add', '.'], { cwd: 'site' });
    await git.run(['commit', '--quiet', '-m', 'First page'], { cwd: 'site' });
    await git.run(['push', '--quiet', remoteOf(caller, place), 'main'], { cwd: 'site' });
    commit = await git.run(['rev-parse', 'HEAD'], { cwd: 'site' });
  } finally {
    git.remove();
  }
  const [{ url }] = await caller.when(
    `/projects/${project}/deploys`,
    ([latest]: { finished_at?: string }[]) => latest?.finished_at !== undefined,
  );
  return { ...place, commit, page: { host: new URL(url as string).host, html } };
}

async function revisitRepository(caller: Caller, sites: Backends, repository: Repository): Promise<void> {
  const git = new GitClient();
  try {
    expect(await git.run(['ls-remote', remoteOf(caller, repository), 'refs/heads/main'])).toContain(repository.commit);
  } finally {
    git.remove();
  }
  expect((await visit(sites, repository.page.host)).text).toBe(repository.page.html);
}
