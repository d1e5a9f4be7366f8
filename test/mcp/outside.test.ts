import { errorIn, answerIn, sendMcp } from '../support/mcp-clients.js';
import { useApp, WITH_SANDBOX } from '../support/test-app.js';

const TOKEN = 'ops-token-of-the-tests-0123456789';
const app = useApp({
  ...WITH_SANDBOX,
  OPS_TOKEN: TOKEN,
  ANONYMOUS_CALLS_PER_DAY: '20',
  ANONYMOUS_CALLS_PER_SECOND: '1000',
});

interface Options {
  readonly key?: string;
  readonly from?: string;
  readonly headers?: Record<string, string>;
}

const send = async (place: string, method: string, params: object, { key, ...options }: Options = {}) => {
  const message = { jsonrpc: '2.0', id: 1, method, params };
  return sendMcp(app, key, message, { ...options, query: `/${place}` });
};
const resultOf = async (answer: ReturnType<typeof send>): Promise<any> => {
  const { status, text } = await answer;
  expect([status, text]).toEqual([200, expect.any(String)]);
  return JSON.parse(/^data: (.*)$/m.exec(text)![1]!).result;
};
const call = (place: string, name: string, given: object = {}, options: Options = {}): Promise<any> =>
  resultOf(send(place, 'tools/call', { name, arguments: given }, options));
const namesAt = async (place: string, options: Options = {}): Promise<string[]> =>
  (await resultOf(send(place, 'tools/list', {}, options))).tools.map(({ name }: { name: string }) => name);

describe('/mcp/anonymous', () => {
  it('has its four tools, and none that needs a key', async () => {
    expect(await namesAt('anonymous')).toEqual(['run_code', 'list_plans', 'search_docs', 'explain_error']);
    const { text } = await send('anonymous', 'tools/call', { name: 'list_projects', arguments: {} });
    expect(text).toContain('There is no tool list_projects here.');
  });

  it('runs code with the limits of the anonymous sandbox, which count by address', async () => {
    const from = '203.0.113.77';
    const code = { code: 'print(1 + 2)', language: 'python' };
    const { content } = await call('anonymous', 'run_code', code, { from });
    expect(content[0].text).toContain('"stdout":"3\\n"');
    expect(content[0].text).toContain('"remaining_executions":9');
    const again = await call('anonymous', 'run_code', code, { from });
    expect(again.content[0].text).toContain('"remaining_executions":8');
  });

  it('finds sections of the documentation, and explains errors', async () => {
    expect(answerIn(await call('anonymous', 'search_docs', { q: 'webhook secret' })).data[0]).toMatchObject({
      address: expect.stringMatching(/^\/docs\//),
    });
    const { content } = await call('anonymous', 'explain_error', { code: 'insufficient_scopes' });
    expect(content[0].text).toMatch(/^# `insufficient_scopes`\n/);
    const missing = await call('anonymous', 'explain_error', { code: 'no_such_code' });
    expect(errorIn(missing)).toMatchObject({ code: 'page_not_found', status: 404 });
  });

  it('counts each message once for its address, and refuses with 429 when the day is used up', async () => {
    const from = '203.0.113.78';
    for (let count = 0; count < 20; count++)
      expect((await send('anonymous', 'tools/call', { name: 'list_plans', arguments: {} }, { from })).status).toBe(200);
    const { status, body } = await send('anonymous', 'tools/list', {}, { from });
    expect([status, body.error.code]).toEqual([429, 'daily_limit_exceeded']);
    expect((await send('anonymous', 'tools/list', {})).status).toBe(200);
  });

  it('refuses pages of other sites', async () => {
    const { status, body } = await send('anonymous', 'tools/list', {}, { headers: { origin: 'https://evil.example' } });
    expect([status, body.error.code]).toEqual([403, 'cross_site_request']);
  });
});

describe('/mcp/ops', () => {
  const operator = { key: TOKEN };

  it.each([undefined, 'svc_pat_wrong', 'ops-token-of-another-service-0123'])('refuses the token %j', async (key) => {
    const { status, body } = await send('ops', 'tools/list', {}, key === undefined ? {} : { key });
    expect([status, body.error.code]).toEqual([401, 'invalid_token']);
  });

  it('takes a task from its alert to its resolution', async () => {
    const alert = { title: 'The disk fills up', runbookTag: 'database' };
    const created = await app.post('/ops/alert', alert, { headers: { authorization: `Bearer ${TOKEN}` } });
    expect(created.status).toBe(200);
    const listed = await call('ops', 'list_tasks', {}, operator);
    const id = /tsk_\w{26}/.exec(listed.content[0].text)![0];
    const agent = 'agent-of-the-test';
    expect((await call('ops', 'claim_task', { task_id: id, agent }, operator)).isError).toBeUndefined();
    expect((await call('ops', 'add_note', { task_id: id, agent, text: 'Looking.' }, operator)).isError).toBeUndefined();
    const given = { task_id: id, agent, resolution: 'Freed space.' };
    expect((await call('ops', 'resolve_task', given, operator)).isError).toBeUndefined();
    const again = await call('ops', 'resolve_task', given, operator);
    expect(errorIn(again)).toMatchObject({ status: 409 });
    expect((await call('ops', 'get_task', { task_id: id }, operator)).content[0].text).toContain('Freed space.');
  });

  it('reads runbooks as they are written', async () => {
    const { content } = await call('ops', 'read_runbook', { runbook_id: 'agent-runs' }, operator);
    expect(content[0].text).toMatch(/^# /);
  });

  it('toggles no flag without its name repeated', async () => {
    const given = { name: 'agent_runs', enabled: false, reason: 'test' };
    const refused = await call('ops', 'toggle_flag', given, operator);
    expect(errorIn(refused)).toMatchObject({ code: 'invalid_request', details: [{ path: 'confirm' }] });
    expect((await call('ops', 'list_flags', {}, operator)).isError).toBeUndefined();
  });

  it('gives an address that guesses tokens no way around the limit of its routes', async () => {
    const from = '203.0.113.79';
    let last = 401;
    for (let count = 0; count < 100 && last !== 429; count++)
      last = (await send('ops', 'tools/list', {}, { key: `guess-${count}-0123456789`, from })).status;
    expect(last).toBe(429);
  });
});
