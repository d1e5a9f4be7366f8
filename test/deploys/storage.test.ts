import { StorageSampler } from '../../src/modules/metering/storage/storage-sampler.js';
import { DeployRequests } from '../../src/modules/deploys/requests/deploy-requests.js';
import { ProjectsService } from '../../src/modules/projects/projects.service.js';
import { Database } from '../../src/platform/database/database.js';
import { Clock } from '../../src/platform/time/clock.js';
import { FakeBuilds } from '../support/fake-builds.js';
import { visit } from '../support/hosting.js';
import { as, expectStatus, Make, type Person, uniqueName } from '../support/make.js';
import { type Answer, eventually, useApp } from '../support/test-app.js';

jest.setTimeout(60_000);

const FREE_BYTES = 1_073_741_824;
const HOUR_MS = 3_600_000;

/** What deploys store is limited by the plan, can be freed, and is metered. */
const app = useApp({ DEPLOY_CONCURRENCY: '4' });
const make = new Make(app);
const builds = new FakeBuilds(app);

let ada: Person;
let key: string;
let project: string;

beforeEach(async () => {
  ada = await make.person();
  key = await make.key(ada);
  project = await newProject();
});
afterEach(() => {
  jest.restoreAllMocks();
});

const newProject = async (): Promise<string> =>
  expectStatus(
    201,
    await app.post('/api/v1/projects', { name: uniqueName('shop'), repo_url: 'https://github.com/acme/shop' }, as(key)),
  ).body.data.id as string;
const request = (body: object = {}): Promise<Answer> =>
  app.post(`/api/v1/projects/${project}/deploys`, { force: true, ...body }, as(key));
const get = async (id: string): Promise<any> => (await app.fetch(`/api/v1/deploys/${id}`, as(key))).body.data;
async function over(id: string): Promise<any> {
  await eventually(async () => (await get(id)).finished_at !== undefined, `${id} is over`, 30_000);
  return get(id);
}
const deploy = async (body: object = {}): Promise<any> =>
  over(expectStatus(202, await request(body)).body.data.id as string);
const erase = (id: string): Promise<Answer> => app.call('DELETE', `/api/v1/deploys/${id}`, as(key));
/** Sets the size of the deploy in the database. */
const resize = (id: string, bytes: number): Promise<unknown> =>
  make.sql('UPDATE hosted_deploys SET bytes = $2 WHERE deploy_id = $1', [id, bytes]);
const storage = async (): Promise<any> =>
  expectStatus(200, await app.fetch('/api/v1/billing/subscription', as(ada))).body.data.storage;

describe('the storage of deploys', () => {
  it('is returned with the limit of the plan', async () => {
    expect(await storage()).toEqual({ used_bytes: 0, limit_bytes: FREE_BYTES });
    const { output } = await deploy();
    expect((await storage()).used_bytes).toBeGreaterThan(output.bytes);
    const limits = (await app.fetch('/api/v1/billing/plans')).body.data.map(
      (plan: any) => plan.limits.deploys_stored_mib,
    );
    expect(limits).toEqual([1_024, 20_480, 204_800, 2_097_152]);
  });

  it('fails a deploy that exceeds it, before any file is served', async () => {
    const first = await deploy();
    await resize(first.id, FREE_BYTES - 10);
    const second = await deploy({ branch: 'second' });
    expect(second).toMatchObject({
      state: 'error',
      error: { code: 'storage_limit_reached', message: expect.stringContaining('1024 MiB') },
    });
    expect(await storage()).toEqual({ used_bytes: FREE_BYTES - 10, limit_bytes: FREE_BYTES });
    expect((await visit(app, new URL(second.url as string).hostname.split('.')[0]!)).status).toBe(404);
  });

  it('returns 409 when it is full, names the largest projects, and accepts the deploy after a deletion', async () => {
    const first = await deploy();
    await resize(first.id, FREE_BYTES);
    const refused = await request();
    expect([refused.status, refused.body.error]).toEqual([
      409,
      expect.objectContaining({
        type: 'conflict_error',
        code: 'storage_limit_reached',
        hint: expect.stringContaining('DELETE /api/v1/deploys'),
        details: {
          plan: 'free',
          limit_bytes: FREE_BYTES,
          used_bytes: FREE_BYTES,
          upload_bytes: 0,
          largest_projects: [{ project_id: project, bytes: FREE_BYTES }],
        },
      }),
    ]);
    expect((await app.fetch(`/api/v1/projects/${project}/deploys`, as(key))).body.data).toHaveLength(1);
    expect((await erase(first.id)).status).toBe(204);
    expect((await deploy()).state).toBe('ready');
  });

  it('is shared with uploads, which the refusal names', async () => {
    const first = await deploy();
    await resize(first.id, FREE_BYTES - 1_000_000);
    const file = { path: 'index.html', sha256: 'a'.repeat(64), bytes: 10, executable: false };
    expectStatus(201, await app.post(`/api/v1/projects/${project}/uploads`, { files: [file] }, as(key)));
    expect((await deploy()).state).toBe('ready');
    await make.sql('UPDATE hosted_deploys SET bytes = 0 WHERE project_id = $1 AND deploy_id <> $2', [
      project,
      first.id,
    ]);
    await make.sql('UPDATE upload_stores SET list_bytes = 1000000 WHERE project_id = $1', [project]);
    const { error } = expectStatus(409, await request()).body;
    expect(error).toMatchObject({
      code: 'storage_limit_reached',
      message: expect.stringMatching(/, 1000266 of them by uploads\.$/),
      hint: expect.stringContaining('uploads are deleted after 7 days'),
      details: { used_bytes: FREE_BYTES + 266, upload_bytes: 1_000_266 },
    });
    await make.sql('DELETE FROM upload_stores WHERE project_id = $1', [project]);
    expect((await deploy()).state).toBe('ready');
  });

  it('is released when the project is deleted', async () => {
    await resize((await deploy()).id, FREE_BYTES);
    const full = project;
    project = await newProject();
    expect((await request()).status).toBe(409);
    expectStatus(204, await app.call('DELETE', `/api/v1/projects/${full}`, as(key)));
    await eventually(async () => (await storage()).used_bytes === 0, 'the files are gone', 30_000);
    expect((await deploy()).state).toBe('ready');
  });

  it('fails a pushed deploy before it is built', async () => {
    await resize((await deploy()).id, FREE_BYTES);
    const before = builds.built.length;
    const { id } = await app
      .get(Database)
      .transaction(async () =>
        app
          .get(DeployRequests)
          .requestByPush(
            (await app.get(ProjectsService).findAndLock(project))!,
            { branch: 'pushed', commitSha: 'a'.repeat(40), pusherId: null },
            'preview',
          ),
      );
    expect(await over(id)).toMatchObject({ state: 'error', error: { code: 'storage_limit_reached' } });
    expect(builds.built).toHaveLength(before);
  });

  it('is metered hourly as object storage of the project', async () => {
    const { id } = await deploy();
    await resize(id, 500_000_000);
    const later = new Date(Date.now() + HOUR_MS);
    jest.spyOn(app.get(Clock), 'now').mockImplementation(() => later);
    await app.get(StorageSampler).sample();
    const [from, to] = [
      new Date(Math.floor(later.getTime() / HOUR_MS) * HOUR_MS),
      new Date(Math.floor(later.getTime() / HOUR_MS + 1) * HOUR_MS),
    ];
    const usage = expectStatus(
      200,
      await app.fetch(
        `/api/v1/billing/usage?from=${from.toISOString()}&to=${to.toISOString()}&group_by=project`,
        as(ada),
      ),
    ).body.data;
    expect(usage).toEqual([
      {
        meter: 'object_storage',
        display_quantity: '0.5 GB·h',
        project_id: project,
        quantity: '500000000',
        unit: 'byte_hours',
        cost: expect.stringMatching(/^0\.0*[1-9]/),
      },
    ]);
  });
});

describe('DELETE /api/v1/deploys/:deploy_id', () => {
  it('deletes files and hosts, keeps the deploy in the list, and can be repeated', async () => {
    const { id, url } = await deploy();
    const label = new URL(url as string).hostname.split('.')[0]!;
    expect((await visit(app, label)).status).toBe(200);
    expect([(await erase(id)).status, (await erase(id)).status]).toEqual([204, 204]);
    expect(await get(id)).toMatchObject({ state: 'ready', files_removed: true, live: false, aliases: [] });
    expect((await storage()).used_bytes).toBe(0);
    await eventually(async () => (await visit(app, label)).status === 404, 'its host shows nothing');
    expect(
      await make.sql("SELECT action FROM audit_log WHERE action = 'deploy.deleted' AND target_id = $1", [id]),
    ).toHaveLength(1);
  });

  it('refuses the production deploy and a running one', async () => {
    await make.sql("UPDATE organizations SET plan = 'pro' WHERE id = $1", [ada.organization.id]);
    const live = await deploy({ type: 'production' });
    const refused = await erase(live.id);
    expect([refused.status, refused.body.error.code, refused.body.error.details]).toEqual([
      409,
      'deploy_in_use',
      { state: 'ready', in_production: true },
    ]);
    await deploy({ type: 'production' });
    expect((await erase(live.id)).status).toBe(204);

    const { reached, letGo } = builds.holdAt('build');
    const { id } = expectStatus(202, await request({ branch: 'slow' })).body.data;
    await reached;
    const atWork = await erase(id as string);
    expect([atWork.status, atWork.body.error.code, atWork.body.error.details]).toEqual([
      409,
      'deploy_in_use',
      { state: 'building', in_production: false },
    ]);
    letGo();
    expect((await over(id as string)).state).toBe('ready');
  });

  it('requires deploys:write, and returns 404 for another organization', async () => {
    const { id } = await deploy();
    const reader = await make.key(ada, { scopes: ['deploys:read'] });
    expect((await app.call('DELETE', `/api/v1/deploys/${id}`, as(reader))).body.error.code).toBe('insufficient_scopes');
    const outsider = await make.key(await make.person());
    expect((await app.call('DELETE', `/api/v1/deploys/${id}`, as(outsider))).body.error.code).toBe('deploy_not_found');
    expect((await get(id)).files_removed).toBeUndefined();
  });
});
