import { DeployAdmissionService } from '../../src/modules/deploys/admission/deploy-admission.service.js';
import { DeployTransitions } from '../../src/modules/deploys/domain/deploy-transitions.js';
import { LostDeploys } from '../../src/modules/deploys/admission/lost-deploys.js';
import { AdmissionStore } from '../../src/modules/deploys/persistence/admission.store.js';
import { DeploysStore } from '../../src/modules/deploys/persistence/deploys.store.js';
import { Database } from '../../src/platform/database/database.js';
import { Log } from '../../src/platform/logging/log.js';
import type { PlanId } from '../../src/modules/plans/plan.js';
import { as, expectStatus, Make, uniqueName } from '../support/make.js';
import { useApp } from '../support/test-app.js';

/** No worker runs here: what a worker does is done by the tests. */
const app = useApp({}, 'api');
const make = new Make(app);

interface Owner {
  readonly key: string;
  readonly projects: string[];
}

async function owner(plan: PlanId, projects = 1): Promise<Owner> {
  const key = await make.key(await make.person({ plan }));
  const ids: string[] = [];
  for (let index = 0; index < projects; index++) {
    ids.push(
      expectStatus(
        201,
        await app.post(
          '/api/v1/projects',
          { name: uniqueName('shop'), repo_url: 'https://github.com/acme/shop' },
          as(key),
        ),
      ).body.data.id as string,
    );
  }
  return { key, projects: ids };
}

const deploy = async ({ key, projects }: Owner, body: object = {}, project = projects[0]!): Promise<string> =>
  expectStatus(202, await app.post(`/api/v1/projects/${project}/deploys`, body, as(key))).body.data.id as string;
const slots = (count: number): Promise<unknown> =>
  make.sql(
    `INSERT INTO deploy_workers (id, slots, seen_at) VALUES ('wrk_test', $1, now())
      ON CONFLICT (id) DO UPDATE SET slots = excluded.slots, seen_at = now()`,
    [count],
  );
const admit = (): Promise<number> => app.get(DeployAdmissionService).run();
const admitted = async (): Promise<string[]> =>
  (await make.sql('SELECT id FROM deploys WHERE admitted_at IS NOT NULL ORDER BY admitted_at, id')).map(
    ({ id }) => id as string,
  );
const jobs = async (): Promise<string[]> =>
  (await make.sql("SELECT job_id FROM outbox_messages WHERE queue = 'deploys' ORDER BY id")).map(
    ({ job_id: id }) => id as string,
  );
const row = async (id: string): Promise<any> => (await make.sql('SELECT * FROM deploys WHERE id = $1', [id]))[0];
const transitions = (): DeployTransitions => app.get(DeployTransitions);
const attemptOf = async (id: string): Promise<any> => app.get(DeploysStore).get(id);
const begin = async (id: string): Promise<boolean> =>
  transitions().begin(await attemptOf(id), {
    workerId: 'wrk_test',
    leaseMs: 30_000,
    repoUrl: 'https://github.com/acme/shop',
    settings: {},
  });
const lost = (): LostDeploys =>
  new LostDeploys(app.get(Database), app.get(AdmissionStore), app.get(DeploysStore), transitions(), app.get(Log));

beforeEach(async () => {
  await make.sql('TRUNCATE deploys, deploy_workers, outbox_messages CASCADE');
});

describe('deploy admission', () => {
  it('admits nothing while no worker has reported recently', async () => {
    const id = await deploy(await owner('pro'));
    expect(await admit()).toBe(0);
    await slots(4);
    await make.sql("UPDATE deploy_workers SET seen_at = now() - interval '31 seconds'");
    expect(await admit()).toBe(0);
    await slots(4);
    expect(await admit()).toBe(1);
    expect([await admitted(), await jobs()]).toEqual([[id], [`${id}-1`]]);
  });

  it('runs as soon as a deploy is queued', async () => {
    await slots(4);
    const id = await deploy(await owner('free'));
    expect([await admitted(), await jobs()]).toEqual([[id], [`${id}-1`]]);
  });

  it('admits one deploy at a time per project, target and branch', async () => {
    const ada = await owner('pro');
    await slots(20);
    const first = await deploy(ada, { branch: 'a' });
    expect(await begin(first)).toBe(true);
    await deploy(ada, { branch: 'a' });
    const production = await deploy(ada, { branch: 'a', type: 'production' });
    const other = await deploy(ada, { branch: 'b' });
    expect((await admitted()).sort()).toEqual([first, production, other].sort());
  });

  it.each([
    ['free', 1],
    ['builder', 3],
    ['pro', 12],
  ] as const)('limits an organization on plan %s to %d deploys at once', async (plan, count) => {
    const ada = await owner(plan);
    await slots(40);
    for (let index = 0; index < count + 2; index++) await deploy(ada, { branch: `b${index}` });
    expect(await admitted()).toHaveLength(count);
    // Another organization has its own.
    await deploy(await owner('free'));
    expect(await admitted()).toHaveLength(count + 1);
  });

  it('uses the current plan of the organization, and the smallest plan for a deleted one', async () => {
    const ada = await owner('builder');
    for (let index = 0; index < 8; index++) await deploy(ada, { branch: `b${index}` });
    await make.sql("UPDATE organizations SET plan = 'free' WHERE id IN (SELECT org_id FROM deploys)");
    await slots(40);
    expect(await admit()).toBe(1);
    await make.sql("UPDATE organizations SET plan = 'pro' WHERE id IN (SELECT org_id FROM deploys)");
    expect(await admit()).toBe(7);
    await make.sql('UPDATE deploys SET admitted_at = NULL');
    await make.sql('UPDATE organizations SET deleted_at = now() WHERE id IN (SELECT org_id FROM deploys)');
    expect(await admit()).toBe(1);
  });

  it('admits no more than the capacity of all workers: production first, then the oldest', async () => {
    const [ada, grace] = [await owner('pro'), await owner('pro')];
    const previews = [
      await deploy(ada, { branch: 'a' }),
      await deploy(grace, { branch: 'a' }),
      await deploy(ada, { branch: 'b' }),
    ];
    const production = [
      await deploy(grace, { branch: 'z', type: 'production' }),
      await deploy(ada, { branch: 'z', type: 'production' }),
    ];
    await slots(3);
    expect(await admit()).toBe(3);
    expect((await admitted()).sort()).toEqual([...production, previews[0]!].sort());
    expect(await admit()).toBe(0);
    await slots(4);
    expect(await admit()).toBe(1);
    expect(await admitted()).toContain(previews[1]);
  });

  it('keeps the limits under concurrent admissions', async () => {
    const ada = await owner('builder');
    for (let index = 0; index < 10; index++) await deploy(ada, { branch: `b${index}` });
    await slots(40);
    const counts = await Promise.all(Array.from({ length: 6 }, admit));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(3);
    expect(await jobs()).toHaveLength(3);
  });

  it('skips a deploy whose row is locked', async () => {
    const ada = await owner('pro');
    const [held, free] = [await deploy(ada, { branch: 'a' }), await deploy(ada, { branch: 'b' })];
    await slots(10);
    await app.get(Database).transaction(async () => {
      await app.get(DeploysStore).lock(held);
      await app.get(Database).apart(admit);
      expect(await app.get(Database).apart(admitted)).toEqual([free]);
    });
  });
});

describe('a deploy attempt', () => {
  it('starts once for repeated jobs and discards results that arrive after it ended', async () => {
    await slots(4);
    const id = await deploy(await owner('pro'));
    const attempt = await attemptOf(id);
    const begun = await Promise.all([begin(id), begin(id), begin(id)]);
    expect(begun.filter(Boolean)).toHaveLength(1);
    expect(await transitions().canceled(attempt, { reason: 'asked' })).toBe(true);
    expect(await transitions().building(attempt)).toBe(false);
    expect(await transitions().failed(attempt, { code: 'x', message: 'x' })).toBe(false);
    expect((await row(id)).state).toBe('canceled');
  });

  it('restarts once when its lease expires, and fails with worker_lost the second time', async () => {
    await slots(4);
    const id = await deploy(await owner('pro'));
    const first = await attemptOf(id);
    await begin(id);
    await transitions().building(first);
    await lost().reap();
    expect((await row(id)).state).toBe('building');
    await make.sql("UPDATE deploys SET lease_until = now() - interval '1 second' WHERE id = $1", [id]);
    await lost().reap();
    expect(await row(id)).toMatchObject({ state: 'queued', losses: 1, admitted_at: null, lease_until: null });
    expect(await admit()).toBe(1);
    expect(await jobs()).toEqual([`${id}-1`, `${id}-2`]);
    // What the lost worker still says is not heard.
    expect(await transitions().deploying(first)).toBe(false);
    expect(await app.get(AdmissionStore).renew(id, 1, 30_000)).toBe(false);
    await begin(id);
    expect(await app.get(AdmissionStore).renew(id, 2, 30_000)).toBe(true);
    await make.sql("UPDATE deploys SET lease_until = now() - interval '1 second' WHERE id = $1", [id]);
    await Promise.all([lost().reap(), lost().reap()]);
    expect(await row(id)).toMatchObject({ state: 'error', error_code: 'worker_lost', losses: 1 });
    const events = await make.sql(
      'SELECT kind, from_state, to_state, attempt FROM deploy_events WHERE deploy_id = $1 ORDER BY id',
      [id],
    );
    expect(events.map(({ kind, from_state, to_state, attempt }) => [kind, from_state, to_state, attempt])).toEqual([
      ['state', null, 'queued', 0],
      ['state', 'queued', 'initializing', 1],
      ['state', 'initializing', 'building', 1],
      ['handed_back', 'building', 'queued', 1],
      ['state', 'queued', 'initializing', 2],
      ['state', 'initializing', 'error', 2],
    ]);
  });

  it('is skipped after a lost worker when a newer deploy of the branch waits', async () => {
    const ada = await owner('pro');
    await slots(4);
    const older = await deploy(ada);
    await begin(older);
    const newer = await deploy(ada);
    expect((await row(newer)).admitted_at).toBeNull();
    await make.sql("UPDATE deploys SET lease_until = now() - interval '1 second' WHERE id = $1", [older]);
    await lost().reap();
    await admit();
    expect([(await row(older)).state, (await row(newer)).admitted_at]).toEqual(['skipped', expect.any(Date)]);
  });

  it('is queued again when Redis lost the job before a worker started it', async () => {
    await slots(4);
    const id = await deploy(await owner('pro'));
    await make.sql('DELETE FROM outbox_messages');
    await lost().reap();
    expect(await admit()).toBe(0);
    await make.sql("UPDATE deploys SET admitted_at = now() - interval '31 seconds' WHERE id = $1", [id]);
    await lost().reap();
    expect(await admit()).toBe(1);
    expect(await jobs()).toEqual([`${id}-2`]);
    expect((await row(id)).losses).toBe(0);
  });

  it('does not count a handover by its worker as a loss', async () => {
    await slots(4);
    const id = await deploy(await owner('pro'));
    const attempt = await attemptOf(id);
    await begin(id);
    expect(await transitions().handedBack(attempt, 'worker_stopped')).toBe(true);
    expect(await row(id)).toMatchObject({ state: 'queued', losses: 0, admitted_at: null });
  });
});

describe('database constraints on deploys', () => {
  it('reject contradictory states', async () => {
    await slots(4);
    const id = await deploy(await owner('pro'));
    for (const change of [
      "state = 'ready'",
      "state = 'building'",
      "state = 'error', finished_at = now()",
      "state = 'other'",
      'lease_until = now()',
      "error_code = 'x'",
    ]) {
      await expect(make.sql(`UPDATE deploys SET ${change} WHERE id = $1`, [id])).rejects.toThrow(
        /violates check constraint/,
      );
    }
  });
});
