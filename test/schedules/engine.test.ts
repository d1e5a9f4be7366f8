import { PriceSyncService } from '../../src/modules/ai/catalog/price-sync.service.js';
import { FakeModelRouter } from '../support/fake-model-router.js';
import { as, expectStatus, send } from '../support/make.js';
import { Scheduling } from '../support/schedules.js';
import { eventually, TestApp } from '../support/test-app.js';

const settings: NodeJS.ProcessEnv = { SANDBOX_ENABLED: 'false' };
const router = FakeModelRouter.use(settings, { speaks: 'openrouter' });
const app = new TestApp(settings, 'all');
const schedules = new Scheduling(app);
const LONG = 20_000;

beforeAll(async () => {
  await app.start();
  await app.get(PriceSyncService).run(new AbortController().signal);
  await schedules.begin('pro');
});
afterAll(() => app.stop());

const runOf = async (id: string): Promise<any> => {
  const [fire] = await schedules.fires(id);
  return expectStatus(200, await app.fetch(`/api/v1/runs/${fire.run_id as string}`, as(schedules.key))).body.data;
};
const over = async (id: string): Promise<any> => {
  await eventually(async () => !['queued', 'running'].includes((await runOf(id)).state), 'the run is over', LONG);
  return runOf(id);
};

it('has its runs driven by workers, and begins again after a success', async () => {
  router.alwaysFor('fake/small', { text: 'Done.' });
  const { id } = await schedules.created({ budget: { cost: '0.5' } });
  await schedules.due(id, 2_000);
  expect(await over(id)).toMatchObject({
    state: 'succeeded',
    trigger: 'schedule',
    schedule_id: id,
    output: 'Done.',
    started_by: { user_id: schedules.owner.user.id, key_id: expect.stringMatching(/^key_/) },
  });
  await schedules.due(id, 1_000);
  expect(await schedules.outcomes(id)).toEqual(['started', 'started']);
  await over(id);
  expect(await schedules.get(id)).toMatchObject({ failures_in_a_row: 0, state: 'active' });
});

it('counts runs that fail, and pauses after five', async () => {
  const agent = await schedules.agent(schedules.key);
  const path = `/api/v1/agents/${agent}`;
  expectStatus(200, await send(app, ['PATCH', path], { models: ['fake/unknown'] }, as(schedules.key)));
  const { id } = await schedules.created({ agent_id: agent });
  for (let count = 1; count <= 5; count++) {
    await schedules.due(id, 10_000 - 1_000 * count);
    expect(await over(id)).toMatchObject({ state: 'failed' });
    expect(await schedules.get(id)).toMatchObject({ failures_in_a_row: count });
  }
  expect(await schedules.get(id)).toMatchObject({ state: 'paused', paused_because: 'failures' });
});

it('starts the time that waited when a worker ends the run', async () => {
  router.alwaysFor('fake/small', { text: 'Done.' });
  const { id } = await schedules.created({ overlap: 'buffer_one' });
  expectStatus(202, await schedules.act(id, 'trigger'));
  expectStatus(202, await schedules.act(id, 'trigger'));
  await eventually(
    async () => (await schedules.outcomes(id)).join() === 'started,started',
    'both have a run in the end',
    LONG,
  );
});

it('does nothing with the permissions of a key that was revoked', async () => {
  router.alwaysFor('fake/small', { text: 'Done.' });
  const issued = expectStatus(201, await app.post('/api/v1/keys', { name: 'maker' }, as(schedules.owner))).body.data;
  const answer = expectStatus(201, await schedules.create({}, issued.secret as string));
  const id = answer.body.data.id as string;
  expectStatus(204, await app.call('DELETE', `/api/v1/keys/${issued.id as string}`, as(schedules.owner)));
  await schedules.due(id);
  expect(await over(id)).toMatchObject({ state: 'failed', error: { code: 'access_revoked' }, used: { steps: 0 } });
});
