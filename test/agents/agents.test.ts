import { as, expectStatus, Make, type Org, type Person, send, uniqueName } from '../support/make.js';
import { type Answer, type CallOptions, eventually, useApp } from '../support/test-app.js';

const PATH = '/api/v1/agents';
const ABSENT = 'agt_00000000000000000000000000';
const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const DEFINITION = { instructions: 'Answer briefly.', models: ['openai/gpt-mini'] };

const app = useApp({}, 'all');
const make = new Make(app);
let ada: Person;
let key: string;

beforeAll(async () => {
  ada = await make.person({ plan: 'enterprise' });
  key = await make.key(ada);
});

const create = (body: object, options?: CallOptions, by = key): Promise<Answer> =>
  app.post(PATH, body, as(by, options));
const read = (named: string, options?: CallOptions, by = key): Promise<Answer> =>
  app.fetch(`${PATH}/${named}`, as(by, options));
const change = (named: string, body: object, options?: CallOptions, by = key): Promise<Answer> =>
  send(app, ['PATCH', `${PATH}/${named}`], body, as(by, options));
const remove = (named: string, options?: CallOptions, by = key): Promise<Answer> =>
  app.call('DELETE', `${PATH}/${named}`, as(by, options));
const made = async (body: object = {}): Promise<Record<string, any>> =>
  expectStatus(201, await create({ name: uniqueName('agent'), ...DEFINITION, ...body })).body.data;
const codeOf = (answer: Answer): [number, string] => [answer.status, answer.body.error?.code];
const inOrg = (org: Pick<Org, 'id'>): CallOptions => ({ headers: { 'x-service-org': org.id } });
const faultsOf = (answer: Answer): string[] =>
  answer.body.error.details.map(({ path, code }: { path: string; code: string }) => `${path} ${code}`);

describe('POST /agents', () => {
  it('creates an agent with its first version, found by id and by slug', async () => {
    const answer = await create({ name: 'Café Helper', description: 'Helps.', ...DEFINITION });
    expect(answer.status).toBe(201);
    expect(answer.body.data).toEqual({
      id: expect.stringMatching(/^agt_[0-9a-z]{26}$/),
      org_id: ada.organization.id,
      name: 'Café Helper',
      slug: 'cafe-helper',
      description: 'Helps.',
      state: 'active',
      live_version: 1,
      created_at: expect.stringMatching(RFC_3339),
      updated_at: answer.body.data.created_at,
      created_by: ada.user.id,
    });
    for (const named of [answer.body.data.id, 'cafe-helper'])
      expect((await read(named)).body.data).toEqual(answer.body.data);
  });

  it('fills in the defaults of a definition, with the scopes that its tools need', async () => {
    const { id } = await made({ tools: [{ name: 'remember' }] });
    expect((await read(`${id}/versions/1`)).body.data).toEqual({
      agent_id: id,
      number: 1,
      live: true,
      ...DEFINITION,
      tools: [{ name: 'remember', approval: 'auto', unknown_outcome: 'ask', settings: {} }],
      scopes: [],
      budget: { cost: '1', steps: 50, active_seconds: 3_600, tool_calls: 200 },
      monthly_cost: null,
      approval_expires_seconds: 86_400,
      memory: { blocks: [], archive: true },
      output_schema: null,
      created_at: expect.stringMatching(RFC_3339),
      created_by: ada.user.id,
    });
  });

  it('names all faults of a definition at once, with their paths', async () => {
    const answer = await create({
      name: 'x',
      models: ['a', 'a', 'with space', 4],
      tools: [
        { name: 'no_such' },
        { name: 'recall', approval: 'maybe', settings: { hosts: [] } },
        { name: 'recall' },
        5,
      ],
      scopes: ['agents:fly'],
      budget: { cost: '0', steps: 0, active_seconds: 9, tool_calls: 10_001, more: 1 },
      monthly_cost: 20,
      approval_expires_seconds: 1,
      memory: { blocks: [{ label: 'A' }, { label: 'b', value: 'x'.repeat(16_385) }, { label: 'c' }, { label: 'c' }] },
      output_schema: { type: 'object', $ref: 'https://example.org/schema', properties: { a: { pattern: '(?=a)' } } },
      max_output_tokens: 0,
      temperature: 3,
    });
    expect(codeOf(answer)).toEqual([400, 'invalid_request']);
    expect(faultsOf(answer).sort()).toEqual(
      [
        'approval_expires_seconds is_int',
        'budget.active_seconds is_int',
        'budget.cost is_usd',
        'budget.more unknown_field',
        'budget.steps is_int',
        'budget.tool_calls is_int',
        'instructions min_length',
        'max_output_tokens is_int',
        'memory.blocks[0].label is_label',
        'memory.blocks[1].value max_bytes',
        'memory.blocks[3].label is_unique',
        'models[1] is_unique',
        'models[2] is_model',
        'models[3] is_model',
        'monthly_cost is_usd',
        'output_schema.$ref is_json_schema',
        'output_schema.properties.a.pattern is_json_schema',
        'scopes[0] is_in',
        'temperature is_number',
        'tools[0].name is_in',
        'tools[1].approval is_in',
        'tools[1].settings.hosts unknown_field',
        'tools[2].name is_unique',
        'tools[3] is_object',
      ].sort(),
    );
    const [tool] = answer.body.error.details.filter(({ path }: { path: string }) => path === 'tools[0].name');
    expect(tool.expected).toEqual(expect.arrayContaining(['recall', 'remember', 'set_memory_block']));
  });

  it.each([
    [{ instructions: 'x\0y' }, 'instructions is_text'],
    [{ instructions: 'ü'.repeat(32_769) }, 'instructions max_bytes'],
    [{ models: [] }, 'models array_size'],
    [{ models: ['1', '2', '3', '4', '5', '6'] }, 'models array_size'],
    [{ budget: { cost: '1000.000000001' } }, 'budget.cost is_usd'],
    [{ budget: [] }, 'budget is_object'],
    [{ output_schema: { uniqueItems: true } }, 'output_schema.uniqueItems is_json_schema'],
    [{ output_schema: { description: 'x'.repeat(33_000) } }, 'output_schema max_bytes'],
    [{ output_schema: { type: 'nothing' } }, 'output_schema is_json_schema'],
    [{ tools: [{ name: 'recall' }], memory: { archive: false } }, 'memory.archive needed_archive'],
    [{ slug: 'Not A Slug' }, 'slug is_slug'],
    [{ description: 'x'.repeat(501) }, 'description max_length'],
    [{ unknown: 1 }, 'unknown unknown_field'],
    [{ name: '' }, 'name min_length'],
  ])('returns 400 for a body with a fault, case %#', async (body, fault) => {
    const answer = await create({ name: 'x', ...DEFINITION, ...body });
    expect([answer.status, ...faultsOf(answer)]).toEqual([400, fault]);
  });

  it('returns 409 for a slug that the organization already uses, and takes it in another one', async () => {
    const { slug } = await made();
    expect(codeOf(await create({ name: 'x', slug, ...DEFINITION }))).toEqual([409, 'already_exists']);
    const other = await make.org(ada, { plan: 'builder' });
    expect((await create({ name: 'x', slug, ...DEFINITION }, inOrg(other))).body.data.slug).toBe(slug);
    expect((await read(slug as string, inOrg(other))).body.data.org_id).toBe(other.id);
  });

  it('creates one agent for an idempotency key, and none for a dry run', async () => {
    const body = { name: uniqueName('agent'), ...DEFINITION };
    const once = { headers: { 'idempotency-key': uniqueName('key') } };
    const [one, two] = [await create(body, once), await create(body, once)];
    expect(two.body.data.id).toBe(one.body.data.id);
    const dry = await create({ ...body, slug: uniqueName('dry') }, { headers: { 'dry-run': 'true' } });
    expect(dry.status).toBe(201);
    expect(codeOf(await read(dry.body.data.id))).toEqual([404, 'agent_not_found']);
  });
});

describe('PATCH /agents/:id', () => {
  it('changes what it names, and makes a version only of a definition that differs', async () => {
    const { id } = await made({ budget: { cost: '2', steps: 7 } });
    const renamed = await change(id as string, { name: 'Renamed', description: 'New.', ...DEFINITION });
    expect(renamed.body.data).toMatchObject({ name: 'Renamed', description: 'New.', live_version: 1 });
    const bounded = await change(id as string, { budget: { steps: 8 }, description: null });
    expect(bounded.body.data).toMatchObject({ live_version: 2 });
    expect(bounded.body.data).not.toHaveProperty('description');
    expect((await read(`${id}/versions/2`)).body.data.budget).toMatchObject({ cost: '2', steps: 8 });
    expect((await read(`${id}/versions/1`)).body.data.budget).toMatchObject({ cost: '2', steps: 7 });
  });

  it('pauses and resumes', async () => {
    const { id } = await made();
    expect((await change(id as string, { state: 'paused' })).body.data).toMatchObject({
      state: 'paused',
      paused_because: 'person',
    });
    const resumed = (await change(id as string, { state: 'active' })).body.data;
    expect(resumed).toMatchObject({ state: 'active' });
    expect(resumed).not.toHaveProperty('paused_because');
  });

  it('returns 400 with all faults, and changes nothing', async () => {
    const { id } = await made();
    const answer = await change(id as string, { name: 'y', models: [], temperature: -1 });
    expect(faultsOf(answer)).toEqual(['models array_size', 'temperature is_number']);
    expect(faultsOf(await change(id as string, { state: 'gone' }))).toEqual(['state is_in']);
    expect((await read(id as string)).body.data).toMatchObject({ live_version: 1 });
    expect((await read(id as string)).body.data.name).not.toBe('y');
  });

  it('keeps the budget of the month of the live version', async () => {
    const budgetOf = async (id: string): Promise<string | undefined> =>
      (await make.sql('SELECT limit_nano FROM budgets WHERE subject = $1', [`agent:${id}`]))[0]?.['limit_nano'];
    const { id } = await made({ monthly_cost: '20' });
    expect(await budgetOf(id as string)).toBe('20000000000');
    await change(id as string, { monthly_cost: '5', promote: false });
    expect(await budgetOf(id as string)).toBe('20000000000');
    await change(id as string, { monthly_cost: null });
    expect(await budgetOf(id as string)).toBeUndefined();
  });
});

describe('DELETE /agents/:id', () => {
  it('removes the agent with its secrets and memory, and frees its slug', async () => {
    const { id, slug } = await made();
    await send(app, ['PUT', `${PATH}/${id}/secrets/TOKEN`], { value: 'x' }, as(key));
    await app.post(`${PATH}/${id}/memories`, { text: 'A fact.' }, as(key));
    expect((await remove(slug as string)).status).toBe(204);
    for (const call of [() => read(id as string), () => change(id as string, {}), () => remove(id as string)])
      expect(codeOf(await call())).toEqual([404, 'agent_not_found']);
    for (const table of ['agent_secrets', 'agent_memories'])
      expect(await make.sql(`SELECT 1 FROM ${table} WHERE agent_id = $1`, [id])).toEqual([]);
    expect((await made({ slug }))['slug']).toBe(slug);
  });

  it('happens to all agents of an organization that is deleted', async () => {
    const org = await make.org(ada, { plan: 'builder' });
    const { id } = (await create({ name: 'x', ...DEFINITION }, inOrg(org))).body.data;
    expect((await app.call('DELETE', `/api/v1/orgs/${org.id}`, as(ada))).status).toBeLessThan(300);
    await eventually(
      async () => (await make.sql('SELECT 1 FROM agents WHERE id = $1 AND deleted_at IS NOT NULL', [id])).length === 1,
      'the agent is deleted',
      20_000,
    );
  });
});

describe('GET /agents', () => {
  it('lists the agents of the organization newest first, in pages', async () => {
    const org = await make.org(ada, { plan: 'builder' });
    const ids = [];
    for (const name of ['a', 'b', 'c']) ids.unshift((await create({ name, ...DEFINITION }, inOrg(org))).body.data.id);
    const list = (query: string): Promise<Answer> => app.fetch(`${PATH}?${query}`, as(key, inOrg(org)));
    const first = (await list('limit=2')).body;
    const second = (await list(`limit=2&cursor=${first.meta.next_cursor}`)).body;
    expect([...first.data, ...second.data].map(({ id }: { id: string }) => id)).toEqual(ids);
    expect([first.meta.has_more, second.meta.has_more]).toEqual([true, false]);
    expect((await list('limit=0')).status).toBe(400);
  });

  it('lists the kinds of tools', async () => {
    const tools = (await app.fetch(`${PATH}/tools`, as(key))).body.data;
    expect(tools).toContainEqual({ name: 'recall', summary: expect.stringMatching(/\.$/), scopes: [] });
  });
});

describe('access to agents', () => {
  it('is refused without a key, without the scope, and to other tenants as if there were none', async () => {
    const { id } = await made();
    const calls: [string, string, object | undefined][] = [
      ['GET', '', undefined],
      ['POST', '', { name: 'x', ...DEFINITION }],
      ['GET', '/tools', undefined],
      ['GET', `/${id}`, undefined],
      ['PATCH', `/${id}`, { name: 'x' }],
      ['DELETE', `/${id}`, undefined],
      ['GET', `/${id}/versions`, undefined],
      ['GET', `/${id}/versions/1`, undefined],
      ['POST', `/${id}/versions/1/promote`, undefined],
      ['GET', `/${id}/secrets`, undefined],
      ['PUT', `/${id}/secrets/TOKEN`, { value: 'x' }],
      ['DELETE', `/${id}/secrets/TOKEN`, undefined],
      ['GET', `/${id}/blocks`, undefined],
      ['PUT', `/${id}/blocks/persona`, { value: 'x', version: 1 }],
      ['GET', `/${id}/memories`, undefined],
      ['POST', `/${id}/memories`, { text: 'x' }],
      ['GET', `/${id}/memories/mem_00000000000000000000000000`, undefined],
      ['PATCH', `/${id}/memories/mem_00000000000000000000000000`, { text: 'x' }],
      ['DELETE', `/${id}/memories/mem_00000000000000000000000000`, undefined],
    ];
    const other = await make.key(await make.person({ plan: 'pro' }));
    const weak = await make.key(ada, { scopes: ['projects:read'] });
    const reader = await make.key(ada, { scopes: ['agents:read'] });
    const call = ([method, path, body]: (typeof calls)[number], options: CallOptions = {}): Promise<Answer> =>
      body === undefined ? app.call(method, PATH + path, options) : send(app, [method, PATH + path], body, options);
    for (const each of calls) {
      const label = `${each[0]} ${each[1]}`;
      expect([label, (await call(each)).status]).toEqual([label, 401]);
      expect([label, ...codeOf(await call(each, as(weak)))]).toEqual([label, 403, 'insufficient_scopes']);
      if (each[0] !== 'GET')
        expect([label, ...codeOf(await call(each, as(reader)))]).toEqual([label, 403, 'insufficient_scopes']);
      if (each[1].startsWith('/agt_'))
        expect([label, ...codeOf(await call(each, as(other)))]).toEqual([label, 404, 'agent_not_found']);
    }
    expect(codeOf(await read(ABSENT))).toEqual([404, 'agent_not_found']);
  });

  it('is recorded in the audit log, without values', async () => {
    const { id } = await made();
    await change(id as string, { temperature: 1 });
    await change(id as string, { state: 'paused' });
    await send(app, ['PUT', `${PATH}/${id}/secrets/TOKEN`], { value: 'hidden-value' }, as(key));
    await remove(id as string);
    const log = (await app.fetch(`/api/v1/orgs/${ada.organization.id}/audit-log?limit=100`, as(ada))).body.data;
    const entries = log.filter((entry: any) => entry.target?.id === id);
    expect(entries.map(({ action }: { action: string }) => action)).toEqual([
      'agent.deleted',
      'agent.secret_set',
      'agent.paused',
      'agent.changed',
      'agent.created',
    ]);
    expect(JSON.stringify(entries)).not.toContain('hidden-value');
  });
});
