import { Service } from '../../client/src/index.js';
import { FakeBuilds } from '../support/fake-builds.js';
import { as, expectStatus, Make, type Person, send, uniqueName } from '../support/make.js';
import { type Answer, eventually, useApp } from '../support/test-app.js';

const LONG = 30_000;
const UNKNOWN = { value: null, source: 'unknown' };

describe('GET /api/v1/projects/:id/settings', () => {
  const app = useApp();
  const make = new Make(app);
  const builds = new FakeBuilds(app);
  let ada: Person;
  let key: string;
  let project: string;

  beforeAll(async () => {
    ada = await make.person({ plan: 'builder' });
    key = await make.key(ada);
  });
  beforeEach(async () => {
    project = await newProject({ node_version: '22', start_timeout_ms: 30_000 });
  });

  const newProject = async (body: object = {}, by = key): Promise<string> =>
    expectStatus(
      201,
      await app.post(
        '/api/v1/projects',
        { name: uniqueName('shop'), repo_url: 'https://github.com/acme/shop', ...body },
        as(by),
      ),
    ).body.data.id as string;
  const change = (body: object, by = key): Promise<Answer> =>
    send(app, ['PATCH', `/api/v1/projects/${project}`], body, as(by));
  const deployed = async (body: object = {}): Promise<any> => {
    const { id } = expectStatus(202, await app.post(`/api/v1/projects/${project}/deploys`, body, as(key))).body.data;
    const get = async (): Promise<any> => (await app.fetch(`/api/v1/deploys/${id}`, as(key))).body.data;
    await eventually(async () => (await get()).finished_at !== undefined, 'the deploy is over', LONG);
    return get();
  };
  const read = (by = key, id = project): Promise<Answer> => app.fetch(`/api/v1/projects/${id}/settings`, as(by));
  const codeOf = (answer: Answer): [number, string] => [answer.status, answer.body.error?.code];

  it('returns what the project sets before the first deploy, and the rest as unknown', async () => {
    expect(expectStatus(200, await read()).body.data).toEqual({
      settings: {
        framework: UNKNOWN,
        root_directory: UNKNOWN,
        install_command: UNKNOWN,
        build_command: UNKNOWN,
        output_directory: UNKNOWN,
        node_version: { value: '22', source: 'set' },
        start_command: UNKNOWN,
        health_path: UNKNOWN,
        start_timeout_ms: { value: 30_000, source: 'set' },
        build_network: { value: 'registries', source: 'default' },
      },
    });
  });

  it('returns what the build of the production deploy used, with where it comes from', async () => {
    builds.used = {
      build_command: { value: 'make', source: 'file' },
      framework: { value: 'vite', source: 'detected' },
      node_version: { value: '22', source: 'set' },
    };
    const production = await deployed({ type: 'production' });
    builds.commit = 'b'.repeat(40);
    builds.used = { framework: { value: 'astro', source: 'detected' } };
    await deployed({ branch: 'next' });

    const { data } = (await read()).body;
    expect(data.deploy_id).toBe(production.id);
    expect(data.settings).toMatchObject({
      framework: { value: 'vite', source: 'detected' },
      build_command: { value: 'make', source: 'file' },
      output_directory: { value: null, source: 'detected' },
      node_version: { value: '22', source: 'set' },
    });
    await change({ node_version: null, build_command: 'make all', build_network: 'open' });
    expect(await new Service({ apiKey: key, baseUrl: app.url }).projects.settings(project)).toMatchObject({
      settings: {
        node_version: UNKNOWN,
        build_command: { value: 'make all', source: 'set' },
        build_network: { value: 'open', source: 'set' },
      },
    });
  });

  it('uses the latest ready deploy without one in production', async () => {
    builds.used = { framework: { value: 'astro', source: 'detected' } };
    const { id } = await deployed();
    builds.failure = new Error('broken');
    await deployed({ force: true });
    expect((await read()).body.data).toMatchObject({ deploy_id: id, settings: { framework: { value: 'astro' } } });
  });

  it('passes all settings on to the build, and an open network only while the plan includes it', async () => {
    await change({ start_command: 'npm start', health_path: '/up', build_network: 'open' });
    await deployed();
    expect(builds.built.at(-1)!.settings).toEqual({
      nodeVersion: '22',
      startCommand: 'npm start',
      healthPath: '/up',
      startTimeoutMs: 30_000,
      network: 'open',
    });
    await make.plan(ada.organization.id, 'free');
    const { id } = await deployed({ force: true });
    await make.plan(ada.organization.id, 'builder');
    expect(builds.built.at(-1)!.settings).not.toHaveProperty('network');
    expect((await app.fetch(`/api/v1/deploys/${id}/logs`, as(key))).text).toContain(
      'which the Free plan does not include',
    );
  });

  it('returns 401, 403 and 404, also to another tenant', async () => {
    expect((await app.fetch(`/api/v1/projects/${project}/settings`)).status).toBe(401);
    expect(codeOf(await read(await make.key(ada, { scopes: ['deploys:read'] })))).toEqual([403, 'insufficient_scopes']);
    expect(codeOf(await read(await make.key(await make.person())))).toEqual([404, 'project_not_found']);
    expect(codeOf(await read(key, 'nowhere'))).toEqual([404, 'project_not_found']);
  });
});
