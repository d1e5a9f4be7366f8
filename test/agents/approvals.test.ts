import { PriceSyncService } from '../../src/modules/ai/catalog/price-sync.service.js';
import { RunPrincipalsService } from '../../src/modules/auth/run-principals.service.js';
import { ApprovalDecisions } from '../../src/modules/runs/approvals/approval-decisions.js';
import { FakeModelRouter, type ScriptedAnswer } from '../support/fake-model-router.js';
import { HttpPeer } from '../support/http-peer.js';
import { mailTo } from '../support/mailbox.js';
import { as, expectStatus, Make, type Person, uniqueName } from '../support/make.js';
import { type Answer, eventually, TestApp } from '../support/test-app.js';

const MODEL = 'fake/small';
const ABSENT = 'apr_00000000000000000000000000';

const settings: NodeJS.ProcessEnv = { SANDBOX_ENABLED: 'false' };
const router = FakeModelRouter.use(settings, { speaks: 'openrouter' });
const peer = new HttpPeer();
const app = new TestApp(settings, 'all');
const make = new Make(app);
let ada: Person;
let key: string;

beforeAll(async () => {
  await peer.listen();
  settings['AGENT_TRUSTED_HOSTS'] = peer.host;
  await app.start();
  await app.get(PriceSyncService).run(new AbortController().signal);
  ada = await make.person({ plan: 'pro' });
  key = await make.key(ada, { scopes: ['*'] });
});

beforeEach(() => {
  peer.seen.length = 0;
});

afterAll(async () => {
  await app.stop();
  peer.close();
});

const request = (body: string): ScriptedAnswer => ({
  tools: [{ name: 'http_request', arguments: JSON.stringify({ method: 'POST', url: peer.at('/order'), body }) }],
});
const agentWith = async (approval: string, others: object = {}): Promise<string> =>
  expectStatus(
    201,
    await app.post(
      '/api/v1/agents',
      {
        name: uniqueName('agent'),
        instructions: 'Order.',
        models: [MODEL],
        tools: [{ name: 'http_request', approval, settings: { hosts: [peer.host] } }, { name: 'http_get' }],
        ...others,
      },
      as(key),
    ),
  ).body.data.id as string;
const started = async (agent: string, by = key): Promise<string> =>
  expectStatus(202, await app.post(`/api/v1/agents/${agent}/runs`, { input: 'Go.' }, as(by))).body.data.id as string;
const runOf = async (id: string): Promise<any> =>
  expectStatus(200, await app.fetch(`/api/v1/runs/${id}`, as(key))).body.data;
const over = async (id: string): Promise<any> => {
  await eventually(async () => (await runOf(id)).ended_at !== undefined, 'the run is over');
  return runOf(id);
};
const decide = (id: string, body: object, by = key): Promise<Answer> =>
  app.post(`/api/v1/approvals/${id}`, body, as(by));
/** A run that waits for the approval of an order. */
async function waiting(approval = 'always', by = key): Promise<{ run: string; approval: any }> {
  router.next(request('one'), { text: 'Done.' });
  const run = await started(await agentWith(approval), by);
  await eventually(async () => (await runOf(run)).waiting_for === 'approval', 'the run waits for approval');
  const [found] = expectStatus(200, await app.fetch(`/api/v1/approvals?run_id=${run}&state=waiting`, as(key))).body
    .data as any[];
  return { run, approval: found };
}
const codeOf = ({ status, body }: Answer): [number, string] => [status, body.error?.code];
const orders = (): string[] => peer.seen.map(({ body }) => body);

describe('POST /api/v1/approvals/{approval_id}', () => {
  it('lets exactly what was approved run, once', async () => {
    const { run, approval } = await waiting();
    expect(approval).toMatchObject({ run_id: run, tool: 'http_request', reason: 'rule', state: 'waiting' });
    expect(approval.arguments).toMatchObject({ body: 'one' });
    expect(orders()).toEqual([]);
    expect((await mailTo(app, ada.user.email, 'waits for your approval')).text).toContain(run);
    expect(expectStatus(200, await decide(approval.id, { decision: 'approve' })).body.data).toMatchObject({
      state: 'approved',
      decided_by: ada.user.id,
    });
    expect(await over(run)).toMatchObject({ state: 'succeeded', tainted: true });
    expect(orders()).toEqual(['one']);
    expect(expectStatus(200, await app.fetch(`/api/v1/approvals/${approval.id}`, as(key))).body.data.state).toBe(
      'used',
    );
    expect(codeOf(await decide(approval.id, { decision: 'deny' }))).toEqual([409, 'approval_already_decided']);
  });

  it('runs changed arguments, and lets the model know', async () => {
    const { run, approval } = await waiting();
    const bad = await decide(approval.id, { decision: 'approve', arguments: { method: 'POST' } });
    expect([bad.status, bad.body.error.details[0].path]).toEqual([400, 'arguments']);
    const changed = { ...approval.arguments, body: 'two' };
    const decided = expectStatus(200, await decide(approval.id, { decision: 'approve', arguments: changed })).body.data;
    expect(decided.digest).not.toBe(approval.digest);
    await over(run);
    expect(orders()).toEqual(['two']);
    expect(JSON.stringify(router.calls.at(-1)!.body.messages)).toContain('were changed before they were approved');
  });

  it('does not run what was denied, and gives the model the reason', async () => {
    const { run, approval } = await waiting();
    expectStatus(200, await decide(approval.id, { decision: 'deny', note: 'Not on a Friday.' }));
    expect(await over(run)).toMatchObject({ state: 'succeeded' });
    expect(orders()).toEqual([]);
    expect(router.calls.at(-1)!.body.messages.at(-1).content).toContain('Not on a Friday.');
  });

  it('refuses a decision after its time, when the run goes on without the call', async () => {
    const { run, approval } = await waiting();
    await make.sql("UPDATE approvals SET expires_at = now() - interval '1 second' WHERE id = $1", [approval.id]);
    expect(codeOf(await decide(approval.id, { decision: 'approve' }))).toEqual([409, 'approval_expired']);
    await app.runSchedule('expired-approvals');
    await over(run);
    expect(codeOf(await decide(approval.id, { decision: 'approve' }))).toEqual([409, 'approval_expired']);
    expect(orders()).toEqual([]);
  });

  it('is void when the run ends', async () => {
    const { run, approval } = await waiting();
    expectStatus(200, await app.call('POST', `/api/v1/runs/${run}/cancel`, as(key)));
    expect(codeOf(await decide(approval.id, { decision: 'approve' }))).toEqual([409, 'approval_already_decided']);
    expect(orders()).toEqual([]);
  });

  it('never runs what differs from what was approved', async () => {
    const { run, approval } = await waiting();
    // No route changes the arguments of a call, so the database is changed by hand.
    const forged = JSON.stringify({ ...approval.arguments, body: 'forged' });
    await make.sql('UPDATE run_tool_calls SET arguments = $2 WHERE id = $1', [approval.call_id, forged]);
    expectStatus(200, await decide(approval.id, { decision: 'approve' }));
    await over(run);
    expect(orders()).toEqual([]);
    expect(router.calls.at(-1)!.body.messages.at(-1).content).toContain('approval_void');
  });

  it('needs none before untrusted text is read, and asks after it', async () => {
    router.next(
      request('first'),
      { tools: [{ name: 'http_get', arguments: JSON.stringify({ url: peer.at('/page') }) }] },
      request('second'),
      { text: 'Done.' },
    );
    const run = await started(await agentWith('auto'));
    await eventually(async () => (await runOf(run)).waiting_for === 'approval', 'the run waits for approval');
    expect(orders().filter((body) => body !== '')).toEqual(['first']);
    const [approval] = expectStatus(200, await app.fetch(`/api/v1/approvals?run_id=${run}`, as(key))).body
      .data as any[];
    expect(approval).toMatchObject({ reason: 'tainted', arguments: { body: 'second' } });
  });

  it('is refused to runs, to other organizations, and without the scope', async () => {
    const { run, approval } = await waiting();
    const principal = await app.get(RunPrincipalsService).find({
      id: run,
      orgId: ada.organization.id,
      userId: ada.user.id,
      keyId: null,
      scopes: ['agents:write', 'agents:run'],
    });
    const call = {
      principal: principal!,
      org: principal!.membershipIn(ada.organization.id)!,
      ip: '127.0.0.1',
      requestId: run,
    };
    await expect(app.get(ApprovalDecisions).decide(call, approval.id, { decision: 'approve' })).rejects.toMatchObject({
      code: 'approval_not_allowed',
    });
    const eve = await make.key(await make.person({ plan: 'pro' }), { scopes: ['*'] });
    expect(codeOf(await decide(approval.id, { decision: 'approve' }, eve))).toEqual([404, 'approval_not_found']);
    expect(codeOf(await decide(ABSENT, { decision: 'approve' }))).toEqual([404, 'approval_not_found']);
    expect(codeOf(await app.fetch(`/api/v1/approvals/${approval.id}`, as(eve)))).toEqual([404, 'approval_not_found']);
    const runner = await make.key(ada, { scopes: ['agents:run', 'agents:read'] });
    expect(codeOf(await decide(approval.id, { decision: 'approve' }, runner))).toEqual([403, 'insufficient_scopes']);
    expect((await app.post(`/api/v1/approvals/${approval.id}`, { decision: 'approve' }, {})).status).toBe(401);
    expect((await decide(approval.id, { decision: 'perhaps' })).status).toBe(400);
    expect(orders()).toEqual([]);
  });
});

it('has no further effect once the key that started it is revoked', async () => {
  const { key_id: keyId, secret } = await (async () => {
    const data = expectStatus(
      201,
      await app.post('/api/v1/keys', { kind: 'personal', name: 'starter', scopes: ['*'] }, as(ada)),
    ).body.data;
    return { key_id: data.id as string, secret: data.secret as string };
  })();
  const { run, approval } = await waiting('always', secret);
  expect((await app.call('DELETE', `/api/v1/keys/${keyId}`, as(ada))).status).toBe(204);
  expectStatus(200, await decide(approval.id, { decision: 'approve' }));
  expect(await over(run)).toMatchObject({ state: 'failed', error: { code: 'access_revoked' } });
  expect(orders()).toEqual([]);
});
