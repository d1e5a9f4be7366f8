import { ArtifactsService } from '../../src/modules/hosting/artifacts.service.js';
import { as, expectStatus, Make, type Person, uniqueName } from '../support/make.js';
import { FakeBuilds } from '../support/fake-builds.js';
import { eventually, useApp } from '../support/test-app.js';

jest.setTimeout(60_000);

/** What is kept of deploys, and for how long. */
const app = useApp({ DEPLOY_CONCURRENCY: '4' });
const make = new Make(app);
const builds = new FakeBuilds(app);

let ada: Person;
let key: string;
let project: string;

beforeAll(async () => {
  ada = await make.person({ plan: 'pro' });
  key = await make.key(ada);
});

beforeEach(async () => {
  project = expectStatus(
    201,
    await app.post('/api/v1/projects', { name: uniqueName('shop'), repo_url: 'https://github.com/acme/shop' }, as(key)),
  ).body.data.id as string;
});

async function deploy(body: object): Promise<string> {
  const { id } = expectStatus(
    202,
    await app.post(`/api/v1/projects/${project}/deploys`, { force: true, ...body }, as(key)),
  ).body.data;
  await eventually(
    async () => (await app.fetch(`/api/v1/deploys/${id}`, as(key))).body.data.finished_at !== undefined,
    `${id} is over`,
    30_000,
  );
  return id as string;
}
const aged = (days: number): Promise<unknown> =>
  make.sql(
    `UPDATE deploys SET finished_at = finished_at - $1 * interval '1 day',
      ready_at = ready_at - $1 * interval '1 day' WHERE project_id = $2`,
    [days, project],
  );
const sweep = (): Promise<unknown> => app.runSchedule('deploy-retention');
const has = (id: string): Promise<boolean> => app.get(ArtifactsService).has(id);
const kept = async (ids: readonly string[]): Promise<string[]> => {
  const left: string[] = [];
  for (const id of ids) if (await has(id)) left.push(id);
  return left;
};

describe('deploy retention', () => {
  it('keeps the last ten production deploys and the live one, however old', async () => {
    const ids: string[] = [];
    for (let index = 0; index < 12; index++) ids.push(await deploy({ type: 'production' }));
    expectStatus(200, await app.post(`/api/v1/projects/${project}/rollback`, { deploy_id: ids[0] }, as(key)));
    await sweep();
    expect(await kept(ids)).toEqual(ids);
    await aged(2);
    expect(await sweep()).toBe(true);
    expect(await kept(ids)).toEqual([ids[0], ...ids.slice(2)]);
    const gone = (await app.fetch(`/api/v1/deploys/${ids[1]!}`, as(key))).body.data;
    expect(gone).toMatchObject({ state: 'ready', files_removed: true, live: false });
    const refused = await app.call('POST', `/api/v1/deploys/${ids[1]!}/promote`, as(key));
    expect([refused.body.error.code, refused.body.error.details.files_removed]).toEqual(['deploy_not_ready', true]);
    expect(await make.sql('SELECT label FROM host_aliases WHERE deploy_id = $1', [ids[1]])).toEqual([]);
    expect(await make.sql('SELECT deploy_id FROM deploy_environments WHERE deploy_id = $1', [ids[1]])).toEqual([]);
  });

  it('keeps previews for 30 days, and the latest of each branch', async () => {
    const [older, newer, other] = [
      await deploy({ branch: 'a' }),
      await deploy({ branch: 'a' }),
      await deploy({ branch: 'b' }),
    ];
    await aged(29);
    await sweep();
    expect(await kept([older, newer, other])).toEqual([older, newer, other]);
    await aged(2);
    await sweep();
    expect(await kept([older, newer, other])).toEqual([newer, other]);
  });

  it('removes the deploys and hosts of a deleted organization', async () => {
    const org = await make.org(ada, { plan: 'pro' });
    const headers = { 'x-service-org': org.id };
    project = expectStatus(
      201,
      await app.post(
        '/api/v1/projects',
        { name: 'gone', repo_url: 'https://github.com/acme/shop' },
        as(key, { headers }),
      ),
    ).body.data.id as string;
    const id = await deploy({});
    await make.sql('UPDATE organizations SET deleted_at = now() WHERE id = $1', [org.id]);
    await sweep();
    expect([await has(id), await make.sql('SELECT label FROM host_aliases WHERE project_id = $1', [project])]).toEqual([
      false,
      [],
    ]);
  });

  it('continues past live deploys, however many there are', async () => {
    const [old, last] = [await deploy({ branch: 'a' }), await deploy({ branch: 'a' })];
    await aged(31);
    // Before and between them by id, so that more than one look is needed.
    await make.sql(
      `INSERT INTO deploys SELECT (jsonb_populate_record(d, jsonb_build_object('id', left(d.id,
        20) || '~' || lpad(n::text, 4, '0')))).* FROM deploys d, generate_series(1, 150) n
        WHERE d.id = $1`,
      [last],
    );
    await make.sql(
      `INSERT INTO host_aliases (label, deploy_id, project_id, org_id, kind, updated_at)
        SELECT 'l' || md5(id), id, project_id, org_id, 'branch', now() FROM deploys
        WHERE project_id = $1 AND id LIKE '%~%'`,
      [project],
    );
    await deploy({ branch: 'b' });
    const other = await deploy({ branch: 'b' });
    await aged(31);
    await sweep();
    const files = await make.sql(
      "SELECT id FROM deploys WHERE project_id = $1 AND files_removed_at IS NULL AND id NOT LIKE '%~%' ORDER BY id",
      [project],
    );
    expect(files.map(({ id }) => id as string)).toEqual([last, other].sort());
    expect(await kept([old, last, other])).toEqual([last, other]);
  });

  it('is not what takes a deleted organization offline: its hosts stop within seconds', async () => {
    const org = await make.org(ada, { plan: 'pro' });
    const headers = { 'x-service-org': org.id };
    project = expectStatus(
      201,
      await app.post(
        '/api/v1/projects',
        { name: 'gone', repo_url: 'https://github.com/acme/shop' },
        as(key, { headers }),
      ),
    ).body.data.id as string;
    const id = await deploy({ type: 'production' });
    expect(await make.sql('SELECT label FROM host_aliases WHERE project_id = $1', [project])).toHaveLength(3);
    expectStatus(204, await app.call('DELETE', `/api/v1/orgs/${org.id}`, as(ada)));
    await eventually(
      async () =>
        (await make.sql('SELECT label FROM host_aliases WHERE project_id = $1', [project])).length === 0 &&
        !(await has(id)),
      'hosts and files are gone',
      30_000,
    );
  });

  it('deletes logs after 90 days and keeps younger ones', async () => {
    const old = await deploy({});
    await make.sql("UPDATE deploys SET finished_at = finished_at - interval '91 days' WHERE id = $1", [old]);
    const young = await deploy({ branch: 'young' });
    await sweep();
    const linesOf = async (id: string): Promise<number> =>
      (await make.sql('SELECT seq FROM deploy_log_lines WHERE deploy_id = $1', [id])).length;
    expect([await linesOf(old), (await linesOf(young)) > 0]).toEqual([0, true]);
    expect(builds.built.length).toBeGreaterThan(0);
  });
});
