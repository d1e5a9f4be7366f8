import { setTimeout as sleep } from 'node:timers/promises';
import { EventStream } from '../support/event-stream.js';
import { as, expectStatus, Make, type Person } from '../support/make.js';
import { onThisMachine } from '../support/patience.js';
import { type Answer, type CallOptions, eventually, useApp, WITH_SANDBOX } from '../support/test-app.js';

jest.setTimeout(onThisMachine(60_000));

const PATH = '/api/v1/sandbox/sessions';
const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const app = useApp({ ...WITH_SANDBOX, SANDBOX_CONCURRENCY: '2', SANDBOX_SESSIONS: '12' });
const make = new Make(app);
let person: Person;
let key: string;

beforeAll(async () => {
  // Waiting for states takes more calls a second than the smallest plan has.
  person = await make.person({ plan: 'pro' });
  key = await make.key(person, { scopes: ['sandbox:execute'] });
});

const create = (body: object = {}, options?: CallOptions, by = key): Promise<Answer> =>
  app.post(PATH, { language: 'python', ...body }, as(by, options));
const started = async (body?: object, by = key): Promise<string> =>
  expectStatus(201, await create(body, {}, by)).body.data.id as string;
const read = (id: string, by = key): Promise<Answer> => app.fetch(`${PATH}/${id}`, as(by));
const run = (id: string, code: string, more: object = {}, by = key): Promise<Answer> =>
  app.post(`${PATH}/${id}/runs`, { code, ...more }, as(by));
const shell = (id: string, command: string, more: object = {}): Promise<Answer> =>
  app.post(`${PATH}/${id}/shell`, { command, ...more }, as(key));
const end = (id: string, options?: CallOptions, by = key): Promise<Answer> =>
  app.call('DELETE', `${PATH}/${id}`, as(by, options));
const freeze = (id: string): Promise<Answer> => app.call('POST', `${PATH}/${id}/freeze`, as(key));
const printed = async (id: string, code: string): Promise<string> =>
  expectStatus(200, await run(id, code)).body.data.stdout as string;

afterEach(async () => {
  const { data } = (await app.fetch(`${PATH}?limit=100`, as(key))).body;
  for (const { id, ended_at } of data as { id: string; ended_at?: string }[])
    if (ended_at === undefined) expectStatus(200, await end(id));
});

describe('a session', () => {
  it('keeps variables and files between runs', async () => {
    const answer = await create({ name: 'March' });
    expectStatus(201, answer);
    expect(answer.body.data).toEqual({
      id: expect.stringMatching(/^sbx_[0-9a-z]{26}$/),
      name: 'March',
      language: 'python',
      status: 'awake',
      limits: { memory_bytes: 268_435_456, processes: 64, files_bytes: 134_217_728 },
      idle_timeout_seconds: 300,
      created_at: expect.stringMatching(RFC_3339),
      last_used_at: expect.stringMatching(RFC_3339),
      expires_at: expect.stringMatching(RFC_3339),
    });
    const { id, created_at, expires_at } = answer.body.data;
    expect(Date.parse(expires_at as string) - Date.parse(created_at as string)).toBe(12 * 3_600_000);

    expectStatus(200, await run(id, 'x = 40\nopen("note", "w").write("kept")'));
    expect(await printed(id, 'print(x + 2, open("note").read())')).toBe('42 kept\n');
    expect(expectStatus(200, await shell(id, 'cat note; exit 3')).body.data).toMatchObject({
      status: 'failed',
      stdout: 'kept',
      exit_code: 3,
      session_id: id,
    });
  });
});
