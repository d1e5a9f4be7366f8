import { Service } from '../../client/src/index.js';
import { Clock } from '../../src/platform/time/clock.js';
import { FakeBuilds } from '../support/fake-builds.js';
import { visit } from '../support/hosting.js';
import { as, expectStatus, Make, type Person, uniqueName } from '../support/make.js';
import { type Answer, eventually, useApp } from '../support/test-app.js';

const LONG = 30_000;
const SERVER = `
require('node:http').createServer((request, response) => {
  if (request.url === '/crash') process.exit(1);
  response.statusCode = request.url === '/error' ? 500 : 200;
  response.end('x'.repeat(1000));
}).listen(process.env.PORT);`;

describe('GET /api/v1/projects/:id/metrics', () => {
  const app = useApp();
  const make = new Make(app);
  const builds = new FakeBuilds(app);
  let ada: Person;
  let key: string;
  let project: string;
  let deploy: string;
  let label: string;

  beforeAll(async () => {
    ada = await make.person({ plan: 'enterprise' });
    key = await make.key(ada);
    project = await newProject();
  });

  const newProject = async (by = key): Promise<string> =>
    expectStatus(
      201,
      await app.post(
        '/api/v1/projects',
        { name: uniqueName('shop'), repo_url: 'https://github.com/acme/shop' },
        as(by),
      ),
    ).body.data.id as string;
  const read = (query = '', by = key, id = project): Promise<Answer> =>
    app.fetch(`/api/v1/projects/${id}/metrics${query}`, as(by));
  const total = async (name: string, query = ''): Promise<number> => {
    await app.runSchedule('app-activity');
    return (await read(query)).body.data.points.reduce((sum: number, point: any) => sum + point[name], 0) as number;
  };
  const codeOf = (answer: Answer): [number, string] => [answer.status, answer.body.error?.code];

  it('counts requests, errors, bytes, durations, memory and restarts', async () => {
    builds.kind = 'server';
    builds.files = { 'server.js': SERVER, 'hello.txt': 'hello' };
    const { id } = expectStatus(202, await app.post(`/api/v1/projects/${project}/deploys`, {}, as(key))).body.data;
    const get = async (): Promise<any> => (await app.fetch(`/api/v1/deploys/${id}`, as(key))).body.data;
    await eventually(async () => (await get()).finished_at !== undefined, 'the deploy is over', LONG);
    deploy = id as string;
    label = new URL((await get()).url as string).hostname.split('.')[0]!;
    await app.runSchedule('app-activity');

    for (const path of ['/', '/', '/hello.txt', '/error']) await visit(app, label, path);
    await eventually(async () => (await total('requests')) === 4, 'the requests are counted', LONG);
    const { data } = (await read()).body;
    expect(data).toMatchObject({ step: 60, from: expect.stringMatching(/Z$/), to: expect.stringMatching(/Z$/) });
    const points = data.points as any[];
    const last = points.at(-1);
    expect(last).toEqual({
      time: expect.stringMatching(/:00\.000Z$/),
      requests: expect.any(Number),
      errors: expect.any(Number),
      p50_ms: expect.any(Number),
      p95_ms: expect.any(Number),
      bytes: expect.any(Number),
      restarts: 0,
      memory_peak_bytes: expect.any(Number),
    });
    expect(await total('errors')).toBe(1);
    expect(await total('bytes')).toBeGreaterThan(3_000);
    expect(await total('memory_peak_bytes')).toBeGreaterThan(1_000_000);
    expect(last.p95_ms).toBeGreaterThanOrEqual(last.p50_ms);

    await visit(app, label, '/crash');
    await eventually(async () => (await total('restarts')) === 1, 'the crash is counted', LONG);
  });

  it('adds up steps, and filters by deploy and period', async () => {
    await make.sql(
      `INSERT INTO app_metrics SELECT project_id, minute - interval '3 hours', deploy_id, 7, 1, 70, 0, 5,
         0, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
       FROM app_metrics WHERE project_id = $1 ORDER BY minute LIMIT 1`,
      [project],
    );
    const from = new Date(app.get(Clock).now().getTime() - 86_400_000).toISOString();
    const before = await total('requests');
    expect(await total('requests', `?from=${from}&step=3600`)).toBe(before + 7);
    expect(await total('requests', `?from=${from}&step=86400&deploy=${deploy}`)).toBe(before + 7);
    const ofDay = await new Service({ apiKey: key, baseUrl: app.url }).projects.metrics(project, { from, step: 3600 });
    expect(ofDay.points[0]).toMatchObject({ requests: 7, errors: 1, bytes: 70, p50_ms: 1.5, memory_peak_bytes: 5 });
  });

  it('forgets what is older than seven days', async () => {
    await make.sql("UPDATE app_metrics SET minute = minute - interval '8 days' WHERE project_id = $1", [project]);
    await app.runSchedule('app-records');
    expect(await make.sql('SELECT count(*)::int AS count FROM app_metrics WHERE project_id = $1', [project])).toEqual([
      { count: 0 },
    ]);
  });

  it.each(['step=61', 'step=x', 'from=yesterday', 'from=2030-01-01T00:00:00Z', 'from=2020-01-01T00:00:00Z', 'x=1'])(
    'returns 400 for %s',
    async (query) => {
      expect(codeOf(await read(`?${query}`))).toEqual([400, 'invalid_request']);
    },
  );

  it('returns 401, 403 and 404, also to another tenant and for the deploys of another project', async () => {
    expect((await app.fetch(`/api/v1/projects/${project}/metrics`)).status).toBe(401);
    expect(codeOf(await read('', await make.key(ada, { scopes: ['projects:read'] })))).toEqual([
      403,
      'insufficient_scopes',
    ]);
    const other = await make.key(await make.person());
    expect(codeOf(await read('', other))).toEqual([404, 'project_not_found']);
    expect(codeOf(await read(`?deploy=${deploy}`, other, await newProject(other)))).toEqual([404, 'deploy_not_found']);
    expect(codeOf(await read(`?deploy=${deploy}`, key, await newProject()))).toEqual([404, 'deploy_not_found']);
  });
});
