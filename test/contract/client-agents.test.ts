import { client } from '../support/built-client.js';

const { Service } = client;

/** A client whose calls are recorded, and which gets one answer. */
function recorded(answer: () => Response): {
  service: InstanceType<typeof Service>;
  sent: string[];
  bodies: unknown[];
} {
  const sent: string[] = [];
  const bodies: unknown[] = [];
  const fetch = (input: unknown, init: RequestInit = {}): Promise<Response> => {
    const { pathname, search } = new URL(input as string);
    sent.push(`${init.method} ${pathname.replace('/api/v1', '')}${search}`);
    bodies.push(typeof init.body === 'string' ? JSON.parse(init.body) : undefined);
    return Promise.resolve(answer());
  };
  return {
    service: new Service({ apiKey: 'svc_pat_x', baseUrl: 'http://api.test', fetch, maxRetries: 0 }),
    sent,
    bodies,
  };
}
const empty = (): Response => Response.json({ data: [], meta: { request_id: 'req_1' } });
const lines = (...all: object[]): Response => new Response(all.map((line) => `${JSON.stringify(line)}\n`).join(''));

describe('agents in the built client', () => {
  it('calls every endpoint with its ids escaped, its query and its body', async () => {
    const { service, sent, bodies } = recorded(empty);
    const { agents, runs, approvals, schedules, swarms } = service;
    await agents.list({ limit: 5 });
    await agents.create({ name: 'Doctor', instructions: 'Look.', models: ['fake/small'] });
    await agents.update('a/b', { state: 'paused' });
    await agents.version('a', 3);
    await agents.promote('a', 2);
    await agents.run('a', { input: 'Go.' });
    await agents.secrets.set('a', 'TOKEN', { value: 'x' });
    await agents.memories.list('a', { query: 'cat' });
    await agents.memories.update('a', 'mem_1', { text: 'dog' });
    await agents.blocks.set('a', 'persona', { value: 'kind', version: 4 });
    await runs.list({ state: 'waiting' });
    await runs.answer('run_1', { content: 'yes' });
    await runs.settle('run_1', { call_id: 'tcl_1', outcome: 'happened' });
    await runs.cancel('run_1', { idempotencyKey: 'k' });
    await runs.resume('run_1');
    await approvals.decide('apr_1', { decision: 'deny', note: 'No.' });
    await schedules.preview({ cron: '0 9 * * *', time_zone: 'UTC' });
    await schedules.trigger('sch_1');
    await swarms.tasks.create('swm_1', { title: 'Read' });
    await swarms.tasks.claimNext('swm_1');
    await swarms.tasks.complete('tsk_1', { fence: 2, result: 1 });
    expect(sent.map((each, at) => [each, bodies[at]])).toEqual([
      ['GET /agents?limit=5', undefined],
      ['POST /agents', { name: 'Doctor', instructions: 'Look.', models: ['fake/small'] }],
      ['PATCH /agents/a%2Fb', { state: 'paused' }],
      ['GET /agents/a/versions/3', undefined],
      ['POST /agents/a/versions/2/promote', undefined],
      ['POST /agents/a/runs', { input: 'Go.' }],
      ['PUT /agents/a/secrets/TOKEN', { value: 'x' }],
      ['GET /agents/a/memories?query=cat', undefined],
      ['PATCH /agents/a/memories/mem_1', { text: 'dog' }],
      ['PUT /agents/a/blocks/persona', { value: 'kind', version: 4 }],
      ['GET /runs?state=waiting', undefined],
      ['POST /runs/run_1/messages', { content: 'yes' }],
      ['POST /runs/run_1/messages', { call_id: 'tcl_1', outcome: 'happened' }],
      ['POST /runs/run_1/cancel', undefined],
      ['POST /runs/run_1/resume', {}],
      ['POST /approvals/apr_1', { decision: 'deny', note: 'No.' }],
      ['POST /schedules/preview', { cron: '0 9 * * *', time_zone: 'UTC' }],
      ['POST /schedules/sch_1/trigger', undefined],
      ['POST /swarms/swm_1/tasks', { title: 'Read' }],
      ['POST /swarms/swm_1/tasks/claim', {}],
      ['POST /tasks/tsk_1/complete', { fence: 2, result: 1 }],
    ]);
  });

  it('yields the events and the live text of a run, and resumes after the last event', async () => {
    const event = (seq: number): object => ({ seq, type: 'step.started', at: '2026-01-01T00:00:00Z', data: {} });
    const delta = { type: 'delta', data: { step: 1, text: 'Hel' } };
    const answers = [lines(event(1), delta, event(2), delta), lines(event(3), { end: { state: 'succeeded' } })];
    const resumedAfter: (string | null)[] = [];
    const fetch = (_input: unknown, init: RequestInit = {}): Promise<Response> => {
      resumedAfter.push(new Headers(init.headers).get('last-event-id'));
      return Promise.resolve(answers.shift()!);
    };
    const service = new Service({ apiKey: 'svc_pat_x', baseUrl: 'http://api.test', fetch });
    const seen: (number | string)[] = [];
    const events = service.runs.events('run_1');
    let last = await events.next();
    for (; last.done !== true; last = await events.next()) seen.push(last.value.seq ?? last.value.type);
    expect(seen).toEqual([1, 'delta', 2, 'delta', 3]);
    expect(last.value).toBe('succeeded');
    expect(resumedAfter).toEqual(['0', '2']);
  });

  it('returns a transcript as Markdown', async () => {
    const { service } = recorded(() => new Response('# Run\n\nHello.\n'));
    expect(await service.runs.markdown('run_1')).toBe('# Run\n\nHello.\n');
  });
});
