import { PriceSyncService } from '../../src/modules/ai/catalog/price-sync.service.js';
import { FakeModelRouter, Gate } from '../support/fake-model-router.js';
import { as, expectStatus, Make, type Person, uniqueName } from '../support/make.js';
import { onThisMachine } from '../support/patience.js';
import { type Answer, eventually, TestApp } from '../support/test-app.js';

const MODEL = 'fake/small';
const ABSENT = 'run_00000000000000000000000000';

const settings: NodeJS.ProcessEnv = { SANDBOX_ENABLED: 'false' };
const router = FakeModelRouter.use(settings, { speaks: 'openrouter' });
const app = new TestApp(settings, 'all');
const make = new Make(app);
let ada: Person;
let key: string;

beforeAll(async () => {
  await app.start();
  await app.get(PriceSyncService).run(new AbortController().signal);
  ada = await make.person({ plan: 'pro' });
  key = await make.key(ada, { scopes: ['*'] });
});

afterAll(() => app.stop());

const agentWith = async (body: object = {}, by = key): Promise<string> =>
  expectStatus(
    201,
    await app.post(
      '/api/v1/agents',
      { name: uniqueName('agent'), instructions: 'Be brief.', models: [MODEL], ...body },
      as(by),
    ),
  ).body.data.id as string;
const start = (agent: string, body: object = { input: 'Hello.' }, by = key): Promise<Answer> =>
  app.post(`/api/v1/agents/${agent}/runs`, body, as(by));
const started = async (agent: string, body: object = { input: 'Hello.' }): Promise<string> =>
  expectStatus(202, await start(agent, body)).body.data.id as string;
const run = async (id: string): Promise<any> =>
  expectStatus(200, await app.fetch(`/api/v1/runs/${id}`, as(key))).body.data;
const until = async (id: string, isSo: (found: any) => boolean, what: string): Promise<any> => {
  let found: any;
  await eventually(async () => isSo((found = await run(id))), `the run is ${what}`);
  return found;
};
const over = (id: string): Promise<any> => until(id, ({ ended_at }) => ended_at !== undefined, 'over');
const waiting = (id: string, what: string): Promise<any> =>
  until(id, ({ waiting_for }) => waiting_for === what, `waiting for ${what}`);
const stepsOf = async (id: string): Promise<any[]> =>
  expectStatus(200, await app.fetch(`/api/v1/runs/${id}/steps?limit=100`, as(key))).body.data;
const post = (path: string, body: object | undefined, by = key): Promise<Answer> =>
  app.post(`/api/v1/${path}`, body ?? {}, as(by));
const eventsOf = async (id: string, query = 'follow=false'): Promise<any[]> => {
  const { text } = await app.fetch(
    `/api/v1/runs/${id}/events?${query}`,
    as(key, { headers: { accept: 'application/x-ndjson' } }),
  );
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
};

describe('A run', () => {
  it('answers, costs what its model cost, and tells its events in order', async () => {
    const agent = await agentWith();
    router.next({ text: 'It works.' });
    const answer = expectStatus(202, await start(agent, { input: 'Does it work?' }));
    expect(answer.body.data).toMatchObject({ agent_id: agent, agent_version: 1, trigger: 'api', cost: '0' });
    const found = await over(answer.body.data.id as string);
    expect(found).toMatchObject({
      state: 'succeeded',
      output: 'It works.',
      tainted: false,
      used: { steps: 1, tool_calls: 0 },
      started_by: { user_id: ada.user.id },
    });
    const [step] = await stepsOf(found.id);
    expect(step).toMatchObject({ seq: 1, kind: 'answer', model: MODEL, text: 'It works.', tool_calls: [] });
    expect(found.cost).toBe(step.cost);
    expect(Number(found.cost)).toBeGreaterThan(0);
    const events = await eventsOf(found.id);
    expect(events.map(({ type }) => type)).toEqual([
      'run.queued',
      'run.started',
      'step.started',
      'step.ended',
      'run.succeeded',
      undefined,
    ]);
    expect(events.slice(0, -1).map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
    expect(events.at(-1)).toEqual({ end: { state: 'succeeded' } });
  });

  it('calls tools and gives their results to the model', async () => {
    const agent = await agentWith({ tools: [{ name: 'remember' }, { name: 'recall' }], memory: { archive: true } });
    router.next(
      {
        text: 'I note it.',
        tools: [
          { name: 'remember', arguments: '{"text":"The shop is blue."}' },
          { name: 'nothing', arguments: '{}' },
          { name: 'remember', arguments: '{"wrong":1}' },
          { name: 'remember', arguments: 'no json' },
        ],
      },
      { text: 'Done.' },
    );
    const found = await over(await started(agent));
    expect(found).toMatchObject({ state: 'succeeded', output: 'Done.', used: { steps: 2, tool_calls: 1 } });
    const [first] = await stepsOf(found.id);
    expect(first.tool_calls.map(({ tool, state, error }: any) => [tool, state, error?.code])).toEqual([
      ['remember', 'succeeded', undefined],
      ['nothing', 'failed', 'tool_not_found'],
      ['remember', 'failed', 'invalid_arguments'],
      ['remember', 'failed', 'invalid_arguments'],
    ]);
    const { messages } = router.calls.at(-1)!.body;
    expect(messages.map(({ role }: any) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
      'tool',
      'tool',
      'tool',
    ]);
    expect(messages[3].content).toContain('mem_');
    expect(messages[4].content).toContain('There is no tool nothing');
  });

  it('waits for the answer of a person', async () => {
    const agent = await agentWith({ tools: [{ name: 'ask_person' }] });
    const schema = { type: 'object', properties: { color: { enum: ['red', 'blue'] } }, required: ['color'] };
    router.next(
      { tools: [{ name: 'ask_person', arguments: JSON.stringify({ question: 'Which color?', schema }) }] },
      { text: 'Blue it is.' },
    );
    const id = await started(agent);
    await waiting(id, 'answer');
    const call = (await stepsOf(id))[0].tool_calls[0];
    expect(call).toMatchObject({ state: 'executing', waiting_for: 'answer' });
    const bad = await post(`runs/${id}/messages`, { call_id: call.id, content: { color: 'green' } });
    expect([bad.status, bad.body.error.details[0].path]).toEqual([400, 'content.color']);
    expectStatus(200, await post(`runs/${id}/messages`, { call_id: call.id, content: { color: 'blue' } }));
    expect(await over(id)).toMatchObject({ output: 'Blue it is.' });
    expect(router.calls.at(-1)!.body.messages.at(-1)).toMatchObject({ role: 'tool', content: '{"color":"blue"}' });
    const late = await post(`runs/${id}/messages`, { content: 'Too late.' });
    expect([late.status, late.body.error.code]).toEqual([409, 'run_already_over']);
  });

  it('waits at a full budget, and goes on when it is raised', async () => {
    const agent = await agentWith({ budget: { steps: 1 }, tools: [{ name: 'remember' }] });
    router.next({ tools: [{ name: 'remember', arguments: '{"text":"x"}' }] }, { text: 'Done.' });
    const id = await started(agent);
    expect((await waiting(id, 'budget')).wait_detail).toMatchObject({ budget: 'steps', limit: 1 });
    expectStatus(200, await post(`runs/${id}/resume`, { budget: { steps: 5 } }));
    expect(await over(id)).toMatchObject({ state: 'succeeded', budget: { steps: 5 } });
  });

  it('makes no more calls than its budget allows, however many a model asks for at once', async () => {
    const agent = await agentWith({ tools: [{ name: 'list_projects' }] });
    const reads = Array.from({ length: 5 }, () => ({ name: 'list_projects', arguments: '{}' }));
    router.next({ tools: reads }, { text: 'Done.' });
    const id = await started(agent, { input: 'Hello.', budget: { tool_calls: 2 } });
    expect(await waiting(id, 'budget')).toMatchObject({
      wait_detail: { budget: 'tool_calls', limit: 2 },
      used: { tool_calls: 2 },
    });
    expectStatus(200, await post(`runs/${id}/resume`, { budget: { tool_calls: 5 } }));
    expect(await over(id)).toMatchObject({ state: 'succeeded', used: { tool_calls: 5 } });
  });

  it('waits for money, and goes on when its budget is raised', async () => {
    const agent = await agentWith();
    router.next({ text: 'Paid.' });
    const id = await started(agent, { input: 'Hello.', budget: { cost: '0.000001' } });
    expect((await waiting(id, 'budget')).wait_detail).toMatchObject({ budget: 'cost', subject: `run:${id}` });
    expect(router.calls).toEqual([]);
    expectStatus(200, await post(`runs/${id}/resume`, { budget: { cost: '0.5' } }));
    const found = await over(id);
    expect(found).toMatchObject({ state: 'succeeded', budget: { cost: '0.5' }, output: 'Paid.' });
  });

  it('is cancelled in the middle of an answer', async () => {
    const agent = await agentWith();
    const gate = new Gate();
    router.next({ text: 'Never seen.', before: gate });
    const id = await started(agent);
    await gate.reached;
    expect(expectStatus(200, await post(`runs/${id}/cancel`, {})).body.data.state).toBe('cancelled');
    gate.letGo();
    const again = await app.call('POST', `/api/v1/runs/${id}/cancel`, as(key));
    expect([again.status, again.body.error.code]).toEqual([409, 'run_already_over']);
    expect((await eventsOf(id)).at(-1)).toEqual({ end: { state: 'cancelled' } });
  });

  it('continues an earlier one', async () => {
    const agent = await agentWith();
    router.next({ text: 'One.' }, { text: 'Two.' });
    const first = await over(await started(agent, { input: 'Count.' }));
    await over(await started(agent, { input: 'Go on.', continues: first.id }));
    expect(
      router.calls
        .at(-1)!
        .body.messages.slice(1)
        .map(({ content }: any) => content),
    ).toEqual(['Count.', 'One.', 'Go on.']);
    const other = await start(await agentWith(), { input: 'Go on.', continues: first.id });
    expect([other.status, other.body.error.details[0].path]).toEqual([400, 'continues']);
  });

  it('gives output that fits the schema of its version, after asking again', async () => {
    const agent = await agentWith({
      output_schema: { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'] },
    });
    router.next({ text: 'Three.' }, { text: '```json\n{"count":3}\n```' });
    expect(await over(await started(agent))).toMatchObject({ state: 'succeeded', output: { count: 3 } });
    router.next({ text: 'No.' }, { text: '{}' }, { text: '{"count":"x"}' });
    expect(await over(await started(agent))).toMatchObject({ state: 'failed', error: { code: 'output_invalid' } });
  });

  it('fails when its model does not exist', async () => {
    const found = await over(await started(await agentWith({ models: ['fake/absent'] })));
    expect(found).toMatchObject({ state: 'failed', error: { code: 'model_not_found' } });
  });

  it('streams its events and its text while they happen', async () => {
    const agent = await agentWith();
    const gate = new Gate();
    router.next({ text: 'one two three four', after: { frames: 2, gate } });
    const id = await started(agent);
    await gate.reached;
    const following = eventsOf(id, 'follow=true');
    setTimeout(() => {
      gate.letGo();
    }, onThisMachine(500));
    const events = await following;
    expect(events.at(-1)).toEqual({ end: { state: 'succeeded' } });
    const deltas = events.filter(({ type }) => type === 'delta').map(({ data }) => data.text);
    expect(deltas).not.toEqual([]);
    expect('one two three four').toContain(deltas.join('').trim());
    const numbered = events.filter(({ seq }) => seq !== undefined).map(({ seq }) => seq);
    for (const after of [0, 2, 4])
      expect((await eventsOf(id, `follow=false&after=${after}`)).slice(0, -1).map(({ seq }) => seq)).toEqual(
        numbered.slice(after),
      );
  });
});

describe('Access to runs', () => {
  let id: string;
  beforeAll(async () => {
    router.next({ text: 'Mine.' });
    id = (await over(await started(await agentWith()))).id;
  });

  const paths = (run: string): [string, string, object | undefined][] => [
    ['GET', `runs/${run}`, undefined],
    ['GET', `runs/${run}/steps`, undefined],
    ['GET', `runs/${run}/events`, undefined],
    ['GET', `runs/${run}/transcript`, undefined],
    ['POST', `runs/${run}/messages`, { content: 'x' }],
    ['POST', `runs/${run}/cancel`, undefined],
    ['POST', `runs/${run}/resume`, {}],
  ];
  const ask = ([method, path, body]: [string, string, object | undefined], by: string): Promise<Answer> =>
    body === undefined ? app.call(method, `/api/v1/${path}`, as(by)) : app.post(`/api/v1/${path}`, body, as(by));

  it('is refused to other organizations as if the run did not exist', async () => {
    const eve = await make.key(await make.person({ plan: 'pro' }), { scopes: ['*'] });
    for (const path of paths(id)) {
      const answer = await ask(path, eve);
      const absent = await ask(paths(ABSENT)[paths(id).findIndex(([, each]) => each === path[1])]!, eve);
      expect([path[1], answer.status, answer.body.error.code]).toEqual([path[1], 404, 'run_not_found']);
      expect(absent.body.error).toEqual(answer.body.error);
    }
  });

  it('needs a key with the scope', async () => {
    const narrow = await make.key(ada, { scopes: ['projects:read'] });
    for (const path of paths(id)) {
      expect((await ask(path, narrow)).status).toBe(403);
      expect((await app.call(path[0], `/api/v1/${path[1]}`, {})).status).toBe(401);
    }
  });

  it('says in a dry run what it may cost and which scopes are missing, and starts nothing', async () => {
    const agent = await agentWith({ tools: [{ name: 'deploy_project' }], budget: { cost: '0.75' } });
    const runner = await make.key(ada, { scopes: ['agents:run', 'agents:read'] });
    const options = as(runner, { headers: { 'dry-run': 'true' } });
    const answer = await app.post(`/api/v1/agents/${agent}/runs`, { input: 'Go.' }, options);
    expect(expectStatus(202, answer).body.data).toMatchObject({
      budget: { cost: '0.75' },
      missing_scopes: expect.arrayContaining(['ai:invoke', 'deploys:write']),
    });
    expect((await app.fetch(`/api/v1/agents/${agent}/runs`, as(key))).body.data).toEqual([]);
  });

  it('refuses input that is no run', async () => {
    const agent = await agentWith();
    for (const body of [
      {},
      { input: 3 },
      { input: null },
      { input: 'x', budget: { cost: '-1' } },
      { input: 'x', continues: 'y' },
    ])
      expect((await start(agent, body)).status).toBe(400);
    expect((await start('agt_00000000000000000000000000')).status).toBe(404);
  });

  it('gives a transcript as JSON and as Markdown', async () => {
    const json = expectStatus(200, await app.fetch(`/api/v1/runs/${id}/transcript`, as(key))).body.data;
    expect(json).toMatchObject({ run: { id }, steps: [{ text: 'Mine.' }] });
    const { text } = await app.fetch(
      `/api/v1/runs/${id}/transcript`,
      as(key, { headers: { accept: 'text/markdown' } }),
    );
    expect(text).toContain('## Output\n\n```\nMine.\n```');
  });
});
