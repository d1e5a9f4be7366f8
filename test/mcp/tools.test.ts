import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { StdioClientTransport as OldStdioTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { SCOPES } from '../../src/modules/auth/scopes.js';
import { TOOL_FILES } from '../../src/modules/mcp/tools/all-tools.js';
import { RedisConnections } from '../../src/platform/redis/redis-connections.js';
import { buildPackages } from '../support/built-packages.js';
import { COMMAND } from '../support/command-line.js';
import { Dice } from '../support/hostile-bytes.js';
import { as, expectStatus, Make, type Org, type Person, send, uniqueName } from '../support/make.js';
import { answerIn, callTool, connectMcp, ERAS, errorIn } from '../support/mcp-clients.js';
import { bucketOf } from '../support/storage.js';
import { useApp } from '../support/test-app.js';

const app = useApp({}, 'api');
const make = new Make(app);
/** Not even a value that the API shows again is shown to a model. */
const PLANTED = { name: 'TOKEN', value: 'a-planted-secret', targets: ['preview'], secret: false };
const COMMIT = { expected_head: null, message: 'A file', files: [{ path: 'a.txt', content: 'text' }] };
const INSPECTOR = join(dirname(require.resolve('@modelcontextprotocol/inspector-cli/package.json')), 'build/cli.js');
const TOOLS = TOOL_FILES.flatMap(({ tools }) => tools);

let ada: Person;
let key: string;
let project: { id: string; slug: string };
let deploy: string;
let bucket: string;
let repository: string;
let agent: string;
let run: string;

beforeAll(async () => {
  ada = await make.person({ plan: 'enterprise' });
  key = await make.key(ada);
  project = await newProject(key);
  deploy = await newDeploy(key, project.id);
  bucket = (await bucketOf(app, ada, uniqueName('photos'))).id;
  const made = await app.post('/api/v1/repositories', { name: uniqueName('repo') }, as(key));
  repository = expectStatus(201, made).body.data.id;
  const first = { branch: 'main', ...COMMIT };
  expectStatus(201, await app.post(`/api/v1/repositories/${repository}/commits`, first, as(key)));
  const definition = { name: uniqueName('agent'), instructions: 'Help.', models: ['fake/small'] };
  agent = expectStatus(201, await app.post('/api/v1/agents', definition, as(key))).body.data.id;
  const started = await app.post(`/api/v1/agents/${agent}/runs`, { input: 'Look.' }, as(key));
  run = expectStatus(202, started).body.data.id;
});

/** Arguments with which a tool succeeds here. */
const GIVEN: Record<string, () => object> = {
  explain_access: () => ({ method: 'GET', path: '/api/v1/projects' }),
  get_project: () => ({ project_id: project.slug }),
  create_project: () => ({ name: uniqueName('made') }),
  update_project: () => ({ project_id: project.id, name: uniqueName('renamed') }),
  list_variables: () => ({ project_id: project.id }),
  set_variables: () => ({ project_id: project.id, variables: [PLANTED] }),
  create_repository: () => ({ name: uniqueName('repo') }),
  read_files: () => ({ repository_id: repository }),
  write_files: () => ({ repository_id: repository, branch: uniqueName('branch'), ...COMMIT }),
  deploy_project: () => ({ project_id: project.id, wait_seconds: 0 }),
  get_deploy: () => ({ deploy_id: deploy }),
  list_deploys: () => ({ project_id: project.id }),
  get_deploy_logs: () => ({ deploy_id: deploy }),
  list_objects: () => ({ bucket_id: bucket }),
  write_object: () => ({ bucket_id: bucket, key: 'a.txt', content: 'text' }),
  sign_url: () => ({ bucket_id: bucket, key: 'a.txt', method: 'GET' }),
  run_agent: () => ({ agent_id: agent, input: 'Look.' }),
  get_run: () => ({ run_id: run }),
  search_docs: () => ({ q: 'deploy' }),
  explain_error: () => ({ code: 'invalid_request' }),
};

/** These need a deploy that is ready, a worker, or what another tool has made, and have tests of their own. */
const ELSEWHERE = [
  ...['cancel_deploy', 'promote_deploy', 'rollback_project', 'run_code', 'cancel_run', 'read_object'],
  ...['start_session', 'run_in_session', 'run_command_in_session', 'end_session', 'list_session_files'],
  ...['read_session_file', 'write_session_file', 'list_artifacts', 'read_artifact'],
  ...['describe_schema', 'query_database', 'create_branch', 'execute_sql', 'estimate_cost'],
];

async function newProject(by: string): Promise<{ id: string; slug: string }> {
  const body = { name: uniqueName('shop'), repo_url: 'https://github.com/acme/shop' };
  return expectStatus(201, await app.post('/api/v1/projects', body, as(by))).body.data;
}

const newDeploy = async (by: string, projectId: string): Promise<string> =>
  expectStatus(202, await app.post(`/api/v1/projects/${projectId}/deploys`, {}, as(by))).body.data.id as string;

const listed = async (by: string, query = ''): Promise<string[]> => {
  const client = await connectMcp(app, by, { query });
  try {
    return (await client.listTools()).tools.map(({ name }) => name);
  } finally {
    await client.close();
  }
};

describe('clients', () => {
  it.each(ERAS)('the official client lists and calls tools in the era %s', async (era) => {
    const client = await connectMcp(app, key, { era });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(TOOLS.map(({ name }) => name));
    expect(tools.find(({ name }) => name === 'get_project')).toMatchObject({
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
      inputSchema: { type: 'object', required: ['project_id'] },
      outputSchema: { type: 'object' },
    });
    const result = await client.callTool({ name: 'whoami', arguments: {} });
    expect(result.structuredContent).toMatchObject({ data: { user: { id: ada.user.id } } });
    await client.close();
  });

  it('the client of 2025 lists and calls tools over stdio, through the command line', async () => {
    buildPackages();
    const client = new OldClient({ name: 'test', version: '1.0.0' });
    await client.connect(
      new OldStdioTransport({
        command: process.execPath,
        args: [COMMAND, 'mcp', '--features', 'account,projects'],
        env: { PATH: process.env['PATH']!, SERVICE_URL: app.url, SERVICE_API_KEY: key },
      }),
    );
    const ofGroups = TOOL_FILES.filter(({ group }) => group === 'account' || group === 'projects');
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names).toEqual(ofGroups.flatMap(({ tools }) => tools.map(({ name }) => name)));
    const { structuredContent } = await client.callTool({ name: 'whoami', arguments: {} });
    expect(structuredContent).toMatchObject({ data: { user: { id: ada.user.id } } });
    await client.close();
  });

  it('the command line of the inspector lists and calls tools', async () => {
    const inspect = async (...args: string[]): Promise<any> => {
      const reached = [`${app.url}/mcp`, '--transport', 'http', '--header', `Authorization: Bearer ${key}`];
      // It looks for its package.json from the working directory.
      const options = { cwd: dirname(INSPECTOR), env: { PATH: process.env['PATH']! } };
      const given = [INSPECTOR, '--cli', ...reached, ...args];
      return JSON.parse((await promisify(execFile)(process.execPath, given, options)).stdout);
    };
    const { tools } = await inspect('--method', 'tools/list');
    expect(tools.map(({ name }: { name: string }) => name)).toEqual(TOOLS.map(({ name }) => name));
    const named = ['--tool-name', 'get_project', '--tool-arg', `project_id=${project.id}`];
    const { structuredContent } = await inspect('--method', 'tools/call', ...named);
    expect(structuredContent).toMatchObject({ data: { id: project.id } });
  });

  it('the client of 2025 lists and calls tools', async () => {
    const client = new OldClient({ name: 'test', version: '1.0.0' });
    const transport = new OldTransport(new URL(`${app.url}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${key}` } },
    });
    // The types of the package leave out that the session may be absent.
    await client.connect(transport);
    expect((await client.listTools()).tools).toHaveLength(TOOLS.length);
    const { structuredContent } = await client.callTool({ name: 'get_project', arguments: { project_id: project.id } });
    expect(structuredContent).toMatchObject({ data: { id: project.id } });
    await client.close();
  });
});

describe('each tool', () => {
  const PLAIN = TOOLS.map(({ name }) => name).filter((name) => !ELSEWHERE.includes(name));

  it.each(PLAIN)('%s succeeds, and answers what its schema describes', async (name) => {
    const client = await connectMcp(app, key);
    await client.listTools();
    // The client refuses a result that does not match the schema.
    const result = await client.callTool({ name, arguments: (GIVEN[name]?.() ?? {}) as Record<string, unknown> });
    expect(result).not.toHaveProperty('isError', true);
    expect(JSON.stringify(result)).not.toContain('a-planted-secret');
    await client.close();
  });

  it.each(TOOLS.filter(({ path }) => path.includes('{')).map(({ name }) => name))(
    '%s answers with the error of the API for what does not exist',
    async (name) => {
      const absent = { project_id: 'prj_00000000000000000000000000', deploy_id: 'dpl_00000000000000000000000000' };
      const tool = TOOLS.find((each) => each.name === name)!;
      const given = tool.path.includes('{project_id}')
        ? { project_id: absent.project_id }
        : { deploy_id: absent.deploy_id };
      const needed = { ...GIVEN[name]?.(), ...given };
      const result = await callTool(app, key, name, needed);
      expect(result.isError).toBe(true);
      expect(errorIn(result)).toMatchObject({ code: expect.stringMatching(/_not_found$|^invalid_request$/) });
    },
  );

  it.each(TOOLS.filter(({ path }) => !path.includes('{')).map(({ name }) => name))(
    '%s refuses an argument that it does not have',
    async (name) => {
      const result = await callTool(app, key, name, { no_such_argument: 1 });
      expect(errorIn(result)).toMatchObject({ code: 'invalid_request', status: 400 });
    },
  );

  it('cancels a run, and refuses a second time as the API does', async () => {
    const { id } = answerIn(await callTool(app, key, 'run_agent', { agent_id: agent, input: 'Look.' })).data;
    const cancelled = await callTool(app, key, 'cancel_run', { run_id: id });
    expect(cancelled.content[0].text).toContain('"state":"cancelled"');
    expect(errorIn(await callTool(app, key, 'cancel_run', { run_id: id }))).toMatchObject({
      code: 'run_already_over',
      status: 409,
    });
  });

  it('cancels a deploy, and refuses a second time as the API does', async () => {
    const id = await newDeploy(key, project.id);
    expect(answerIn(await callTool(app, key, 'cancel_deploy', { deploy_id: id })).data).toMatchObject({
      id,
      state: 'canceled',
    });
    expect(errorIn(await callTool(app, key, 'cancel_deploy', { deploy_id: id }))).toMatchObject({
      code: 'deploy_already_over',
      hint: expect.any(String),
    });
  });

  it('waits for the end of a deploy that it creates, and reports progress', async () => {
    const own = await newProject(key);
    const client = await connectMcp(app, key);
    const messages: (string | undefined)[] = [];
    const waiting = client.callTool(
      { name: 'deploy_project', arguments: { project_id: own.id, wait_seconds: 60 } },
      { onprogress: ({ message }) => messages.push(message) },
    );
    let id: string | undefined;
    while (messages.length === 0) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      [id] = (await app.fetch(`/api/v1/projects/${own.id}/deploys`, as(key))).body.data.map((each: any) => each.id);
    }
    expectStatus(200, await app.post(`/api/v1/deploys/${id}/cancel`, {}, as(key)));
    expect((await waiting).structuredContent).toMatchObject({ data: { id, state: 'canceled' } });
    expect(messages[0]).toBe('queued');
    await client.close();
  });

  it.each([-1, 61, 'long', 1.5])('refuses to wait for %p seconds, and creates no deploy', async (seconds) => {
    const own = await newProject(key);
    const result = await callTool(app, key, 'deploy_project', { project_id: own.id, wait_seconds: seconds });
    expect(errorIn(result)).toMatchObject({ code: 'invalid_request' });
    expect((await app.fetch(`/api/v1/projects/${own.id}/deploys`, as(key))).body.data).toEqual([]);
  });

  it('returns what a build printed inside a boundary that differs each time', async () => {
    const marks = [];
    for (let at = 0; at < 2; at++) {
      const result = await callTool(app, key, 'get_deploy_logs', { deploy_id: deploy });
      const { text } = result.content[0] as { text: string };
      marks.push(/^(quoted-[0-9a-f]{24})\n[^]*\n\1$/m.exec(text)?.[1]);
      expect(result).not.toHaveProperty('structuredContent');
    }
    expect(marks[0]).toEqual(expect.any(String));
    expect(marks[0]).not.toBe(marks[1]);
  });
});

describe('law 1: the tools that are listed are those whose routes let the caller in', () => {
  const dice = new Dice(20_261_123);
  /** Calls the route of a tool with resources that exist and a body that is not valid. */
  const isLetIn = async (tool: (typeof TOOLS)[number], by: string, own: { project: string; deploy: string }) => {
    const path = tool.path.replace('{project_id}', own.project).replace('{deploy_id}', own.deploy);
    const { status } = await (tool.method === 'GET'
      ? app.fetch(tool.answers === 'lines' ? `${path}?follow=false` : path, as(by))
      : send(app, [tool.method, path], {}, as(by)));
    return status !== 401 && status !== 403;
  };

  it.each(['free', 'enterprise'] as const)('for random keys of the plan %s', async (plan) => {
    const eve = await make.person({ plan });
    const all = await make.key(eve);
    const { id } = await newProject(all);
    for (let round = 0; round < 4; round++) {
      const scopes = SCOPES.filter(() => dice.happens(0.4));
      const by = await make.key(eve, { scopes: scopes.length === 0 ? ['projects:read'] : scopes });
      const own = { project: id, deploy: await newDeploy(all, id) };
      // A round makes more calls at once than the plan allows in a burst.
      await app.get(RedisConnections).fast().del(`limits:burst:${eve.organization.id}`);
      const open = [];
      for (const tool of TOOLS) {
        // There are more tools than calls in a burst of the smallest plan.
        await app.get(RedisConnections).fast().del(`limits:burst:${eve.organization.id}`);
        if (await isLetIn(tool, by, own)) open.push(tool.name);
      }
      expect({ scopes, tools: await listed(by) }).toEqual({ scopes, tools: open });
    }
  });

  it('a tool that is not listed cannot be called', async () => {
    const by = await make.key(ada, { scopes: ['projects:read'] });
    expect(await callTool(app, by, 'create_project', { name: 'x' })).toHaveProperty('refused');
  });
});

describe('law 2: a tool does what the same call over HTTP does', () => {
  it('costs one call, and none when the route refuses', async () => {
    const eve = await make.person();
    const by = await make.key(eve);
    const remaining = async (): Promise<number> =>
      Number((await app.fetch('/api/v1/me', as(by))).headers.get('x-service-calls-remaining'));
    const before = await remaining();
    await callTool(app, by, 'list_projects');
    expect(await remaining()).toBe(before - 2);
    const other = await make.key(ada);
    const { id } = await newProject(other);
    await callTool(app, by, 'get_project', { project_id: id });
    expect(await remaining()).toBe(before - 4);
  });

  it('writes the same entry to the audit log, with the tool that did it', async () => {
    const acme: Org = await make.org(ada, { plan: 'pro' });
    const headers = { 'x-service-org': acme.id };
    const byTool = answerIn(await callTool(app, key, 'create_project', { name: 'by-tool' }, { headers })).data;
    const byHttp = expectStatus(201, await app.post('/api/v1/projects', { name: 'by-http' }, as(key, { headers }))).body
      .data;
    const { data } = (await app.fetch(`/api/v1/orgs/${acme.id}/audit-log`, as(ada))).body;
    const entryOf = (id: string): any => data.find(({ target }: any) => target?.id === id);
    expect(entryOf(byHttp.id)).toBeDefined();
    expect(entryOf(byTool.id)).toEqual({
      ...entryOf(byHttp.id),
      id: expect.any(String),
      at: expect.any(String),
      created_at: entryOf(byTool.id).created_at,
      request_id: expect.any(String),
      ip: entryOf(byTool.id).ip,
      target: { ...entryOf(byHttp.id).target, id: byTool.id },
      details: { name: 'by-tool', slug: 'by-tool', via: 'mcp:create_project' },
    });
    expect(entryOf(byHttp.id).details).toEqual({ name: 'by-http', slug: 'by-http' });
  });

  it('runs once for two requests with one idempotency key, and not at all as a dry run', async () => {
    const name = uniqueName('once');
    const headers = { 'idempotency-key': uniqueName('key') };
    const first = answerIn(await callTool(app, key, 'create_project', { name }, { headers }));
    const second = answerIn(await callTool(app, key, 'create_project', { name }, { headers }));
    expect(second.data.id).toBe(first.data.id);
    const rehearsed = uniqueName('dry');
    await callTool(app, key, 'create_project', { name: rehearsed }, { headers: { 'dry-run': 'true' } });
    expect((await app.fetch(`/api/v1/projects/${rehearsed}`, as(key))).status).toBe(404);
  });

  it('reports the address of the outer caller', async () => {
    const by = await make.key(ada, { allowed_ips: ['203.0.113.7'] });
    expect(await callTool(app, by, 'whoami', {}, { from: '203.0.113.7' })).not.toHaveProperty('isError');
    await expect(callTool(app, by, 'whoami', {}, { from: '203.0.113.8' })).rejects.toThrow('ip_not_allowed');
  });
});

describe('law 3: what is listed for read only changes nothing', () => {
  it('lists no tool that writes or hands data out', async () => {
    expect(await listed(key, '?read_only=1')).toEqual(
      TOOLS.filter(({ effect, sendsDataOut }) => effect === 'reads' && sendsDataOut !== true).map(({ name }) => name),
    );
    expect(await callTool(app, key, 'create_project', { name: 'x' }, { query: '?read_only=1' })).toHaveProperty(
      'refused',
    );
  });
});

describe('law 8: no result holds a planted secret', () => {
  it('not in any tool that reads, after secrets were stored', async () => {
    const path = `/api/v1/projects/${project.id}/env`;
    const hidden = { ...PLANTED, name: 'HIDDEN', secret: true };
    expectStatus(200, await send(app, ['PUT', path], { variables: [PLANTED, hidden] }, as(key)));
    for (const { name, effect } of TOOLS) {
      if (effect !== 'reads' || ELSEWHERE.includes(name)) continue;
      const result = await callTool(app, key, name, GIVEN[name]?.() ?? {});
      expect([name, result]).not.toHaveProperty('1.isError', true);
      const text = JSON.stringify(result);
      expect(text).not.toContain(PLANTED.value);
      expect(text).not.toContain(key);
    }
  });
});

describe('narrowing', () => {
  it('to an organization hides the others', async () => {
    const acme = await make.org(ada, { plan: 'pro' });
    const query = `?org=${acme.slug}`;
    expect(answerIn(await callTool(app, key, 'whoami', {}, { query })).data).toMatchObject({
      organization: { id: acme.id },
    });
    expect(errorIn(await callTool(app, key, 'get_project', { project_id: project.id }, { query }))).toMatchObject({
      code: 'project_not_found',
    });
  });

  it('to an organization that the caller has no access to is refused', async () => {
    const eve = await make.person();
    const query = `?org=${eve.organization.id}`;
    await expect(callTool(app, key, 'whoami', {}, { query })).rejects.toThrow('org_access_denied');
    const bound = await make.key(ada, { kind: 'org_bound', org_id: ada.organization.id });
    await expect(callTool(app, bound, 'whoami', {}, { query })).rejects.toThrow('key_org_mismatch');
  });

  it('to a project refuses other projects and their deploys', async () => {
    const other = await newProject(key);
    const otherDeploy = await newDeploy(key, other.id);
    const query = `?project=${project.slug}`;
    expect(answerIn(await callTool(app, key, 'get_deploy', { deploy_id: deploy }, { query })).data.id).toBe(deploy);
    expect(answerIn(await callTool(app, key, 'get_project', { project_id: project.id }, { query })).data.id).toBe(
      project.id,
    );
    for (const [name, given] of [
      ['get_project', { project_id: other.id }],
      ['get_deploy', { deploy_id: otherDeploy }],
      ['cancel_deploy', { deploy_id: otherDeploy }],
      ['set_variables', { project_id: other.slug, variables: [PLANTED] }],
    ] as const)
      expect(errorIn(await callTool(app, key, name, given, { query }))).toMatchObject({
        code: 'invalid_request',
        message: expect.stringContaining(project.slug),
      });
    expect(await listed(key, query)).not.toContain('list_projects');
  });

  it('to groups lists those alone', async () => {
    expect(await listed(key, '?features=repositories,sandbox')).toEqual([
      'list_templates',
      'list_repositories',
      'create_repository',
      'read_files',
      'write_files',
      'run_code',
      'start_session',
      'list_sessions',
      'run_in_session',
      'run_command_in_session',
      'list_session_files',
      'read_session_file',
      'write_session_file',
      'list_artifacts',
      'read_artifact',
      'end_session',
    ]);
  });

  it.each(['?readonly=1', '?read_only=maybe', '?features=all', '?org=a&org=b', '?project=', '?writes=none'])(
    'refuses %s, which would silently allow more',
    async (query) => {
      await expect(callTool(app, key, 'whoami', {}, { query })).rejects.toThrow('invalid_request');
    },
  );
});

describe('a change of production', () => {
  it('needs the slug of the project from a client that cannot ask', async () => {
    const given = { deploy_id: deploy };
    for (const confirm of [undefined, '', 'yes', project.id])
      expect(errorIn(await callTool(app, key, 'promote_deploy', { ...given, confirm }))).toMatchObject({
        details: [{ path: 'confirm' }],
      });
    // It passes on to the route, which refuses because nothing is ready.
    expect(errorIn(await callTool(app, key, 'promote_deploy', { ...given, confirm: project.slug }))).toMatchObject({
      code: 'deploy_not_ready',
    });
    expect(
      errorIn(await callTool(app, key, 'rollback_project', { project_id: project.id, confirm: project.slug })),
    ).toMatchObject({ code: expect.stringMatching(/no_earlier_deploy|deploy_not/) });
  });

  it.each([true, false])('asks a person, who answers %p', async (agrees) => {
    const questions: string[] = [];
    const client = await connectMcp(app, key, {
      agrees: (message) => {
        questions.push(message);
        return agrees;
      },
    });
    const result = await client.callTool({ name: 'promote_deploy', arguments: { deploy_id: deploy } });
    expect(questions).toEqual([expect.stringContaining(deploy)]);
    expect(JSON.stringify(result)).toContain(agrees ? 'deploy_not_ready' : 'did not agree');
    await client.close();
  });
});
