import type { AgentVersion } from '../../src/modules/agents/agent-definition.js';
import type { ToolCall } from '../../src/modules/agents/agent-tool.js';
import { AgentTools } from '../../src/modules/agents/agent-tools.js';
import { RunEnding, type RunEnd } from '../../src/modules/runs/ending/run-ending.js';
import type { Run } from '../../src/modules/runs/domain/run.js';
import { RunsStore } from '../../src/modules/runs/persistence/runs.store.js';
import { SwarmTurns } from '../../src/modules/swarms/teams/swarm-turns.js';
import { Database } from '../../src/platform/database/database.js';
import { DomainError } from '../../src/platform/errors/domain-error.js';
import { as, expectStatus, Make, type Person, uniqueName } from '../support/make.js';
import { type Answer, useApp } from '../support/test-app.js';
import { RUN_START } from '../support/tool-caller.js';

const codeOf = (answer: Answer): string => `${answer.status} ${answer.body?.error?.code ?? ''}`.trim();
const faultsOf = (answer: Answer): string[] =>
  answer.body.error.details.map(({ path, code }: { path: string; code: string }) => `${path} ${code}`);

describe('swarms', () => {
  // Without workers of the service, the tests say what runs do and when.
  const app = useApp({}, 'api');
  const make = new Make(app);
  let owner: Person;
  let key: string;
  let lead: string;
  let helper: string;

  beforeAll(async () => {
    owner = await make.person({ plan: 'pro' });
    key = await make.key(owner, { scopes: ['agents:*', 'ai:invoke', 'audit:read'] });
    lead = await agentOf('lead');
    helper = await agentOf('helper');
  });

  async function agentOf(prefix: string, more: object = {}): Promise<string> {
    const { data } = expectStatus(
      201,
      await app.post(
        '/api/v1/agents',
        {
          name: prefix,
          slug: uniqueName(prefix),
          instructions: 'Do it.',
          models: ['fake/small'],
          tools: [{ name: 'board', settings: {} }],
          ...more,
        },
        as(key),
      ),
    ).body;
    return data.id as string;
  }
  const swarmBody = (more: object = {}): object => ({
    name: 'Prices',
    goal: 'Compare prices.',
    coordinator: { agent_id: lead },
    workers: [{ agent_id: helper, count: 2 }],
    budget: { cost: '5', coordinator_reserve: '1.5' },
    ...more,
  });
  const post = (body: object, caller: Person | string = key): Promise<Answer> =>
    app.post('/api/v1/swarms', body, as(caller));
  const create = async (more: object = {}): Promise<any> => expectStatus(201, await post(swarmBody(more))).body.data;
  const shown = async (id: string): Promise<any> =>
    expectStatus(200, await app.fetch(`/api/v1/swarms/${id}`, as(key))).body.data;
  const tasksOf = async (id: string): Promise<any[]> =>
    expectStatus(200, await app.fetch(`/api/v1/swarms/${id}/tasks?limit=100`, as(key))).body.data as any[];
  const turn = (id: string, mayStart = true): Promise<void> =>
    app.get(SwarmTurns).take({ id, orgId: owner.organization.id }, mayStart);
  type RunRow = { id: string; agentId: string; state: string; input: unknown; subjects: string[]; wakes: number };
  const runsOf = (swarmId: string): Promise<RunRow[]> =>
    make.sql(
      `SELECT id, agent_id AS "agentId", state, input, budget_subjects AS subjects, wakes FROM runs
       WHERE swarm_id = $1 ORDER BY id`,
      [swarmId],
    );
  const workersOf = async (swarmId: string): Promise<RunRow[]> =>
    (await runsOf(swarmId)).filter(({ agentId }) => agentId === helper);

  /** Ends a run as a worker of the service does. */
  const end = (runId: string, how: RunEnd): Promise<void> =>
    app.get(Database).transaction(async () => {
      const [run] = await app.get(RunsStore).findAll([runId]);
      await make.sql(`UPDATE runs SET state = $2, ended_at = now(), ready_at = NULL, failure_code = $3 WHERE id = $1`, [
        runId,
        how.state,
        how.failure?.code ?? null,
      ]);
      await app.get(RunEnding).ended(run as Run, how);
    });

  let calls = 0;
  /** Calls a tool as a run does. */
  async function callTool(runId: string, name: string, input: object = {}, more: Partial<ToolCall> = {}): Promise<any> {
    const [run] = await app.get(RunsStore).findAll([runId]);
    const kind = app.get(AgentTools).find(name === 'start_agent' ? name : 'board')!;
    const settings = name === 'start_agent' ? { agents: ['any'] } : {};
    const use = { name: kind.name, approval: 'auto', unknownOutcome: 'ask', settings } as const;
    const tool = (await kind.toolsOf(use, {} as AgentVersion, RUN_START)).find((each) => each.name === name)!;
    const call = {
      id: `tcl_${++calls}`,
      input,
      effectKey: '',
      caller: { principal: { user: { id: owner.user.id }, credential: { type: 'session' } } },
      run: run as unknown as ToolCall['run'],
      signal: new AbortController().signal,
      secret: () => Promise.resolve(undefined),
      ...more,
    } as unknown as ToolCall;
    try {
      return await app.get(Database).transaction(() => tool.call(call));
    } catch (error) {
      if (error instanceof DomainError) return { kind: 'failed', code: error.code };
      throw error;
    }
  }
  const tasks = (...titles: string[]): object => ({ tasks: titles.map((title) => ({ title })) });

  it('begin with the run of their coordinator, which draws from the budget of the swarm', async () => {
    const swarm = await create();
    expect(swarm).toMatchObject({
      ...{ name: 'Prices', goal: 'Compare prices.', state: 'running', cost: '0', created_by: owner.user.id },
      workers: [{ agent_id: helper, count: 2 }],
      budget: { cost: '5', coordinator_reserve: '1.5' },
      tasks: { blocked: 0, open: 0, claimed: 0, done: 0, failed: 0, cancelled: 0 },
    });
    const runs = await runsOf(swarm.id as string);
    expect(runs).toMatchObject([{ id: swarm.coordinator.run_id, agentId: lead, state: 'queued' }]);
    expect(runs[0]!.subjects).toContain(`swarm:${swarm.id}`);
    expect(runs[0]!.input).toContain('Compare prices.');
    expect(
      await make.sql(
        `SELECT subject, limit_nano::text AS "limit", "window" FROM budgets
         WHERE subject LIKE '%' || $1 ORDER BY subject`,
        [swarm.id],
      ),
    ).toEqual([
      { subject: `swarm-workers:${swarm.id}`, limit: '3500000000', window: 'total' },
      { subject: `swarm:${swarm.id}`, limit: '5000000000', window: 'total' },
    ]);
    const log = await app.fetch(`/api/v1/orgs/${owner.organization.id}/audit-log`, as(key));
    expect(log.body.data).toContainEqual(expect.objectContaining({ action: 'swarm.created' }));
    const page = await app.fetch('/api/v1/swarms?state=running&limit=1', as(key));
    expect(page.body).toMatchObject({ data: [{ id: swarm.id }] });
  });

  it('start a worker for each open task, up to their number', async () => {
    const { id, coordinator } = await create();
    await turn(id);
    expect(await workersOf(id)).toEqual([]);
    await callTool(coordinator.run_id as string, 'board_add', tasks('one'));
    await turn(id);
    await turn(id);
    const [first, ...others] = await workersOf(id);
    expect(others).toEqual([]);
    expect(first!.subjects).toEqual(expect.arrayContaining([`swarm:${id}`, `swarm-workers:${id}`]));
    await callTool(coordinator.run_id as string, 'board_add', tasks('two', 'three', 'four'));
    await turn(id);
    expect(await workersOf(id)).toHaveLength(2);
    // Not while the plan has no swarms, or is too small for it.
    await end(first!.id, { state: 'succeeded' });
    await turn(id, false);
    expect(await workersOf(id)).toHaveLength(2);
  });

  it('work through tasks that need each other, until the coordinator answers', async () => {
    const { id, coordinator } = await create();
    const boss = coordinator.run_id as string;
    const added = await callTool(boss, 'board_add', {
      tasks: [
        { key: 'b', title: 'second', needs: ['a'] },
        { key: 'a', title: 'first', description: 'Begin here.' },
      ],
    });
    expect(added.output.map(({ key: name, state }: any) => [name, state])).toEqual([
      ['b', 'blocked'],
      ['a', 'open'],
    ]);
    const waiting = await callTool(boss, 'board_wait');
    expect(waiting).toEqual({ kind: 'waiting', for: 'children' });
    await turn(id);
    const [worker] = await workersOf(id);
    const claimed = await callTool(worker!.id, 'board_claim');
    expect(claimed.output).toMatchObject({ task: { title: 'first', description: 'Begin here.' }, needs: [] });
    expect((await tasksOf(id))[1]).toMatchObject({ state: 'claimed', claimed_by: { run_id: worker!.id } });
    expect((await callTool(worker!.id, 'board_claim')).code).toBe('task_already_held');
    expect((await callTool(boss, 'board_complete', { task_id: added.output[1].id, result: 1 })).code).toBe(
      'task_not_claimed',
    );
    await callTool(worker!.id, 'board_note', { task_id: added.output[1].id, text: 'Half of it is done.' });
    const [before] = await runsOf(id);
    await callTool(worker!.id, 'board_complete', { task_id: added.output[1].id, result: { price: 4 } });
    await turn(id);
    const [after] = await runsOf(id);
    expect(after!.wakes).toBe(before!.wakes + 1);
    expect((await callTool(boss, 'board_wait')).output.tasks).toMatchObject({ done: 1, open: 1 });
    const second = await callTool(worker!.id, 'board_claim');
    expect(second.output.needs).toEqual([{ id: added.output[1].id, title: 'first', result: { price: 4 } }]);
    await callTool(boss, 'board_add', tasks('never done'));
    const listed = await callTool(boss, 'board_list', { state: 'claimed' });
    expect(listed.output.tasks).toMatchObject([{ title: 'second' }]);
    await end(boss, { state: 'succeeded', output: 'All is compared.' });
    expect(await shown(id)).toMatchObject({
      ...{ state: 'succeeded', output: 'All is compared.', ended_at: expect.any(String) },
      tasks: { done: 1, cancelled: 2 },
    });
    await turn(id);
    expect((await workersOf(id)).map(({ state }) => state)).toEqual(['cancelled']);
    expect((await callTool(worker!.id, 'board_complete', { task_id: second.output.task.id, result: 1 })).code).toBe(
      'task_not_claimed',
    );
  });

  it('give the task of a run that ends to another one', async () => {
    const { id, coordinator } = await create();
    await callTool(coordinator.run_id as string, 'board_add', tasks('one'));
    await turn(id);
    const [first] = await workersOf(id);
    await callTool(first!.id, 'board_claim');
    await end(first!.id, { state: 'failed', failure: { code: 'model_failed', message: 'x' } });
    expect(await tasksOf(id)).toMatchObject([{ state: 'open', attempts: 1, error: { code: 'run_ended' } }]);
    await turn(id);
    const [, second] = await workersOf(id);
    expect((await callTool(second!.id, 'board_claim')).output.task).toMatchObject({ title: 'one' });
  });

  it('stall when nothing can move, and run again when something does', async () => {
    const { id, coordinator } = await create();
    const boss = coordinator.run_id as string;
    const nudge = await callTool(boss, 'board_wait');
    expect(nudge).toMatchObject({ kind: 'succeeded', output: { note: expect.any(String) } });
    expect((await shown(id)).state).toBe('running');
    expect((await callTool(boss, 'board_wait')).kind).toBe('waiting');
    expect(await shown(id)).toMatchObject({ state: 'stalled', error: { code: 'swarm_stalled' } });
    const events = await make.sql(
      `SELECT DISTINCT substring(envelope::text FROM 'evt_[0-9a-z]+') FROM outbox_messages
       WHERE envelope::text LIKE '%swarm.stalled%' AND envelope::text LIKE '%' || $1 || '%'`,
      [id],
    );
    expect(events).toHaveLength(1);
    const before = (await runsOf(id))[0]!.wakes;
    expectStatus(201, await app.post(`/api/v1/swarms/${id}/tasks`, { title: 'from outside' }, as(key)));
    expect(await shown(id)).toMatchObject({ state: 'running' });
    expect(await shown(id)).not.toHaveProperty('error');
    await turn(id);
    expect((await runsOf(id))[0]!.wakes).toBe(before + 1);
    expect((await callTool(boss, 'board_wait')).output.tasks).toMatchObject({ open: 1 });
  });

  it('stall when runs of workers complete nothing again and again', async () => {
    const { id, coordinator } = await create({ workers: [{ agent_id: helper }] });
    await callTool(coordinator.run_id as string, 'board_add', tasks('one'));
    for (let round = 1; round <= 5; round++) {
      expect((await shown(id)).state).toBe('running');
      await turn(id);
      const active = (await workersOf(id)).filter(({ state }) => state === 'queued');
      expect([round, active.length]).toEqual([round, 1]);
      await end(active[0]!.id, { state: 'succeeded', output: 'I did nothing.' });
    }
    expect((await shown(id)).state).toBe('stalled');
    await turn(id);
    expect(await workersOf(id)).toHaveLength(5);
  });

  it.each([
    [{ state: 'failed', failure: { code: 'step_limit_reached', message: 'x' } }, 'failed', 'step_limit_reached'],
    [{ state: 'timed_out' }, 'failed', 'run_timed_out'],
    [{ state: 'cancelled' }, 'cancelled', undefined],
  ] as const)('end with their coordinator: %j', async (how, state, code) => {
    const { id, coordinator } = await create();
    await end(coordinator.run_id as string, how);
    const swarm = await shown(id);
    expect([swarm.state, swarm.error?.code]).toEqual([state, code]);
  });

  it('are cancelled with their tasks and runs', async () => {
    const { id, coordinator } = await create();
    await callTool(coordinator.run_id as string, 'board_add', tasks('one', 'two'));
    await turn(id);
    const cancel = (): Promise<Answer> => app.call('POST', `/api/v1/swarms/${id}/cancel`, as(key));
    expect(expectStatus(200, await cancel()).body.data).toMatchObject({ state: 'cancelled', tasks: { cancelled: 2 } });
    expect(codeOf(await cancel())).toBe('409 swarm_already_over');
    await turn(id);
    expect((await runsOf(id)).map(({ state }) => state)).toEqual(['cancelled', 'cancelled', 'cancelled']);
    expect((await shown(id)).state).toBe('cancelled');
  });

  it('end soundly when runs end, workers complete and a person cancels at the same time', async () => {
    for (let round = 0; round < 5; round++) {
      const { id, coordinator } = await create({ workers: [{ agent_id: helper, count: 6 }] });
      const titles = Array.from({ length: 6 }, (_, index) => `task ${index}`);
      await callTool(coordinator.run_id as string, 'board_add', tasks(...titles));
      await turn(id);
      const workers = await workersOf(id);
      expect(workers).toHaveLength(6);
      for (const worker of workers) await callTool(worker.id, 'board_claim');
      // A deadlock would be an error of the database, which is no refusal.
      await Promise.all([
        ...workers.slice(0, 2).map((worker) => callTool(worker.id, 'board_complete', { result: 1 })),
        ...workers.slice(2, 4).map((worker) => end(worker.id, { state: 'succeeded' })),
        turn(id),
        app.call('POST', `/api/v1/swarms/${id}/cancel`, as(key)),
        turn(id),
      ]);
      await turn(id);
      expect((await runsOf(id)).filter(({ state }) => state === 'queued')).toEqual([]);
      const { state, tasks: counts } = await shown(id);
      expect([state, counts.open, counts.claimed, counts.blocked]).toEqual(['cancelled', 0, 0, 0]);
    }
  });

  it('carry the mark of untrusted text from one run to the next', async () => {
    const { id, coordinator } = await create();
    const boss = coordinator.run_id as string;
    await callTool(boss, 'board_add', tasks('one'));
    await turn(id);
    const [worker] = await workersOf(id);
    const { output, taints } = await callTool(worker!.id, 'board_claim');
    expect(taints).toBeUndefined();
    await make.sql('UPDATE runs SET tainted = true WHERE id = $1', [worker!.id]);
    await callTool(worker!.id, 'board_complete', { task_id: output.task.id, result: 'from a page' });
    expect((await callTool(boss, 'board_list', { ids: [output.task.id] })).taints).toBe(true);
  });

  it('have tools for their own runs alone', async () => {
    const { id, coordinator } = await create();
    const boss = coordinator.run_id as string;
    await callTool(boss, 'board_add', tasks('one'));
    await turn(id);
    const [worker] = await workersOf(id);
    expect((await callTool(worker!.id, 'board_add', tasks('two'))).code).toBe('not_coordinator');
    expect((await callTool(worker!.id, 'board_wait')).code).toBe('not_coordinator');
    const elsewhere = await create();
    const foreign = await callTool(elsewhere.coordinator.run_id as string, 'board_add', tasks('x'));
    expect((await callTool(worker!.id, 'board_note', { task_id: foreign.output[0].id, text: 'x' })).code).toBe(
      'task_not_found',
    );
    expect((await callTool(worker!.id, 'board_list', { ids: [foreign.output[0].id] })).output).toEqual([]);
    await make.sql('UPDATE runs SET swarm_id = NULL WHERE id = $1', [worker!.id]);
    for (const name of ['board_list', 'board_claim'])
      expect((await callTool(worker!.id, name)).code).toBe('not_in_swarm');
  });

  it('refuse agents that do not exist or are paused, and bodies that break a rule', async () => {
    const paused = await agentOf('paused');
    expectStatus(
      200,
      await app.call('PATCH', `/api/v1/agents/${paused}`, {
        ...as(key, { headers: { 'content-type': 'application/json' } }),
        body: JSON.stringify({ state: 'paused' }),
      }),
    );
    const missing = await post(swarmBody({ coordinator: { agent_id: 'nobody' }, workers: [{ agent_id: 'no-one' }] }));
    expect(codeOf(missing)).toBe('404 agent_not_found');
    expect(missing.body.error.details).toEqual({ paths: ['coordinator.agent_id', 'workers[0].agent_id'] });
    expect(codeOf(await post(swarmBody({ workers: [{ agent_id: paused }] })))).toBe('409 agent_paused');
    const fault = async (more: object): Promise<string[]> => faultsOf(await post(swarmBody(more)));
    expect(await fault({ budget: { cost: '1', coordinator_reserve: '2' } })).toEqual([
      'budget.coordinator_reserve is_at_most_budget',
    ]);
    expect(await fault({ budget: { cost: '10001' } })).toEqual(['budget.cost is_at_most_cost']);
    expect(await fault({ budget: { cost: '0' } })).toHaveLength(1);
    expect(await fault({ goal: 'a\0b' })).toEqual(['goal is_storable_text']);
    expect(await fault({ coordinator: null })).toHaveLength(1);
    const many = Array.from({ length: 3 }, () => ({ agent_id: helper, count: 7 }));
    expect(await fault({ workers: many })).toEqual(['workers max_workers']);
    expect(await make.sql("SELECT id FROM swarms WHERE goal LIKE 'a%'")).toEqual([]);
  });

  it('need a plan, the scopes and the organization', async () => {
    const free = await make.person();
    expect(codeOf(await post(swarmBody(), await make.key(free)))).toBe('403 feature_not_in_plan');
    const noModels = await make.key(owner, { scopes: ['agents:*'] });
    expect(codeOf(await post(swarmBody(), noModels))).toBe('403 insufficient_scopes');
    const reader = await make.key(owner, { scopes: ['agents:read'] });
    expect(codeOf(await post(swarmBody(), reader))).toBe('403 insufficient_scopes');
    const other = await make.key(await make.person({ plan: 'builder' }));
    expect(codeOf(await post(swarmBody(), other))).toBe('404 agent_not_found');
    const { id } = await create();
    const cancel = (caller: string): Promise<Answer> => app.call('POST', `/api/v1/swarms/${id}/cancel`, as(caller));
    expect(codeOf(await cancel(other))).toBe('404 swarm_not_found');
    expect(codeOf(await cancel(reader))).toBe('403 insufficient_scopes');
    expect(codeOf(await app.fetch(`/api/v1/swarms/${id}`, as(other)))).toBe('404 swarm_not_found');
    expect((await app.fetch('/api/v1/swarms', as(other))).body.data).toEqual([]);
    const unrelated = await make.key(owner, { scopes: ['projects:read'] });
    for (const path of ['/api/v1/swarms', `/api/v1/swarms/${id}`]) {
      expect(codeOf(await app.fetch(path, as(unrelated)))).toBe('403 insufficient_scopes');
      expect(codeOf(await app.fetch(path))).toBe('401 missing_api_key');
    }
    expect(codeOf(await app.post('/api/v1/swarms', swarmBody()))).toBe('401 missing_api_key');
    expect(codeOf(await app.call('POST', `/api/v1/swarms/${id}/cancel`))).toBe('401 missing_api_key');
    expect(codeOf(await app.fetch('/api/v1/swarms?state=x', as(key)))).toBe('400 invalid_request');
    expect(codeOf(await app.fetch('/api/v1/swarms/swm_x', as(key)))).toBe('404 swarm_not_found');
  });

  it('begin nothing new after a downgrade', async () => {
    const { id, coordinator } = await create();
    const boss = coordinator.run_id as string;
    await callTool(boss, 'board_add', tasks('one'));
    await turn(id);
    const [worker] = await workersOf(id);
    const { output } = await callTool(worker!.id, 'board_claim');
    await make.plan(owner.organization.id, 'free');
    try {
      expect((await callTool(boss, 'board_add', tasks('two'))).code).toBe('feature_not_in_plan');
      expect((await callTool(boss, 'board_wait')).code).toBe('feature_not_in_plan');
      expect((await callTool(boss, 'start_agent', { agent: helper, input: 'x' })).code).toBe('feature_not_in_plan');
      const done = await callTool(worker!.id, 'board_complete', { task_id: output.task.id, result: 1 });
      expect(done.kind).toBe('succeeded');
      expect((await shown(id)).state).toBe('running');
    } finally {
      await make.plan(owner.organization.id, 'pro');
    }
  });

  describe('start_agent', () => {
    const runAbove = async (): Promise<string> => (await create()).coordinator.run_id as string;

    it('starts a run below, waits for it and returns its output', async () => {
      const above = await runAbove();
      const call = { id: `tcl_start_${above}` };
      const input = { agent: helper, input: 'Look it up.', max_cost: '0.25' };
      expect(await callTool(above, 'start_agent', input, call)).toEqual({ kind: 'waiting', for: 'children' });
      expect(await callTool(above, 'start_agent', input, call)).toEqual({ kind: 'waiting', for: 'children' });
      const children = await make.sql(
        `SELECT id, input, trigger, depth, cost_limit_nano::text AS cost, budget_subjects AS subjects FROM runs
         WHERE parent_run_id = $1`,
        [above],
      );
      expect(children).toMatchObject([{ input: 'Look it up.', trigger: 'agent', depth: 1, cost: '250000000' }]);
      expect(children[0]!['subjects']).toContain(`run:${above}`);
      await end(children[0]!['id'] as string, { state: 'succeeded', output: { price: 4 } });
      expect(await callTool(above, 'start_agent', input, call)).toEqual({
        kind: 'succeeded',
        output: { run_id: children[0]!['id'], output: { price: 4 } },
      });
    });

    it('reports how a run below failed', async () => {
      const above = await runAbove();
      const call = { id: `tcl_start_${above}` };
      await callTool(above, 'start_agent', { agent: helper, input: 'x' }, call);
      const [child] = await make.sql('SELECT id FROM runs WHERE parent_run_id = $1', [above]);
      await end(child!['id'] as string, { state: 'failed', failure: { code: 'model_failed', message: 'x' } });
      expect((await callTool(above, 'start_agent', {}, call)).code).toBe('model_failed');
    });

    it('limits the depth, and the number below one run', async () => {
      let above = await runAbove();
      const top = above;
      for (let depth = 1; depth <= 5; depth++) {
        const { output } = await callTool(above, 'start_agent', { agent: helper, input: 'x', wait: false });
        above = output.run_id as string;
      }
      expect((await callTool(above, 'start_agent', { agent: helper, input: 'x' })).code).toBe('too_deep');
      await make.sql(
        `INSERT INTO child_runs (run_id, call_id, org_id, parent_run_id, root_run_id, depth, created_at)
         SELECT $1 || n, $1 || n, $2, $1, $1, 1, now() FROM generate_series(1, 94) n`,
        [top, owner.organization.id],
      );
      const racing = await Promise.all(
        [1, 2, 3].map(() => callTool(top, 'start_agent', { agent: helper, input: 'x', wait: false })),
      );
      expect(racing.map(({ kind, code }) => code ?? kind).sort()).toEqual([
        'succeeded',
        'too_many_runs',
        'too_many_runs',
      ]);
    });

    it('takes only agents and amounts that exist', async () => {
      const above = await runAbove();
      const code = async (input: object): Promise<string> => (await callTool(above, 'start_agent', input)).code;
      expect(await code({ agent: 'nobody', input: 'x' })).toBe('agent_not_found');
      expect(await code({ agent: helper, input: 'x', max_cost: '1e3' })).toBe('invalid_arguments');
      expect(await code({ agent: helper, input: 'x', max_cost: '-1' })).toBe('invalid_arguments');
      const kind = app.get(AgentTools).find('start_agent')!;
      expect(kind.faultsOf({}, 'tools[0]').map(({ path }) => path)).toEqual(['tools[0].settings.agents']);
      expect(kind.faultsOf({ agents: ['ok', 'Not A Slug'], x: 1 }, 'tools[0]').map(({ path }) => path)).toEqual([
        'tools[0].settings.x',
        'tools[0].settings.agents[1]',
      ]);
      expect(app.get(AgentTools).find('board')!.faultsOf({ role: 'x', y: 1 }, 'tools[0]')).toHaveLength(2);
    });
  });
});
