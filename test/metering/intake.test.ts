import { randomUUID } from 'node:crypto';
import { as, Make, type Person } from '../support/make.js';
import { type Answer, useApp } from '../support/test-app.js';

const TOKEN = 'a-token-of-the-usage-sources';

describe('POST /api/v1/billing/events', () => {
  const app = useApp({ USAGE_TOKEN: TOKEN });
  const make = new Make(app);
  let person: Person;
  let orgId: string;

  beforeEach(async () => {
    person = await make.person();
    orgId = person.organization.id;
  });

  const event = (request: object = {}): Record<string, unknown> => ({
    source: 'a-source',
    id: randomUUID(),
    org_id: orgId,
    meter: 'sandbox_compute',
    quantity: '1000',
    occurred_at: new Date().toISOString(),
    ...request,
  });
  const report = (events: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
    app.post('/api/v1/billing/events', { events }, { headers: { authorization: `Bearer ${TOKEN}`, ...headers } });
  const usage = async (query = ''): Promise<Record<string, unknown>[]> =>
    (await app.fetch(`/api/v1/billing/usage${query}`, as(person))).body.data;

  it('records each event once, and says which were duplicates', async () => {
    const events = [event(), event({ meter: 'ai_tokens', model: 'openai/gpt-mini:input', quantity: 1_000_000 })];
    const first = await report(events);
    expect([first.status, first.body.data]).toEqual([200, { accepted: 2, duplicates: 0, rejected: [] }]);
    expect((await report([...events].reverse())).body.data).toEqual({ accepted: 0, duplicates: 2, rejected: [] });
    expect(await usage()).toEqual([
      { meter: 'ai_tokens', quantity: '1000000', unit: 'tokens', display_quantity: '1,000,000 tokens', cost: '0.25' },
      { meter: 'sandbox_compute', quantity: '1000', unit: 'ms', display_quantity: '0.000278 h', cost: '0.000027777' },
    ]);
  });

  it('records valid events and reports the errors of the others', async () => {
    const outsider = await make.person();
    const project = (await app.post('/api/v1/projects', { name: 'theirs' }, as(await make.key(outsider)))).body.data
      .id as string;
    const ahead = new Date(Date.now() + 3_600_000).toISOString();
    const { body } = await report([
      event(),
      7,
      event({ source: 'No' }),
      event({ id: '' }),
      event({ org_id: 'org_x' }),
      event({ org_id: 'org_00000000000000000000000000' }),
      event({ project_id: 'x' }),
      event({ project_id: project }),
      event({ meter: 'time' }),
      event({ model: 'x:input' }),
      event({ meter: 'ai_tokens' }),
      event({ meter: 'ai_tokens', model: 'nobody/knows:input' }),
      event({ quantity: -1 }),
      event({ quantity: '1.5' }),
      event({ quantity: 2 ** 53 }),
      event({ quantity: '1000000000000001' }),
      event({ occurred_at: 'today' }),
      event({ occurred_at: ahead }),
      event({ occurred_at: '2020-01-01T00:00:00Z' }),
      event({ properties: { a: 1 } }),
      event({ properties: { a: '\0' } }),
      event({ colour: 'red' }),
      event({ id: 'é' }),
      null,
      event({ properties: { run: 'one' } }),
    ]);
    expect([body.data.accepted, body.data.duplicates]).toEqual([2, 0]);
    expect(body.data.rejected.map(({ index, code, field }: Record<string, unknown>) => [index, code, field])).toEqual([
      [1, 'invalid_event', undefined],
      [2, 'invalid_event', 'source'],
      [3, 'invalid_event', 'id'],
      [4, 'invalid_event', 'org_id'],
      [5, 'organization_not_found', 'org_id'],
      [6, 'invalid_event', 'project_id'],
      [7, 'project_not_found', 'project_id'],
      [8, 'invalid_event', 'meter'],
      [9, 'invalid_event', 'model'],
      [10, 'invalid_event', 'model'],
      [11, 'price_not_found', 'model'],
      [12, 'invalid_event', 'quantity'],
      [13, 'invalid_event', 'quantity'],
      [14, 'invalid_event', 'quantity'],
      [15, 'invalid_event', 'quantity'],
      [16, 'invalid_event', 'occurred_at'],
      [17, 'not_yet', 'occurred_at'],
      [18, 'price_not_found', 'meter'],
      [19, 'invalid_event', 'properties'],
      [20, 'invalid_event', 'properties'],
      [21, 'invalid_event', 'colour'],
      [22, 'invalid_event', 'id'],
      [23, 'invalid_event', undefined],
    ]);
    for (const { message } of body.data.rejected) expect(message).toEqual(expect.any(String));
    expect(await usage()).toEqual([
      { meter: 'sandbox_compute', quantity: '2000', unit: 'ms', display_quantity: '0.000556 h', cost: '0.000055555' },
    ]);
  });

  it('accepts between one and a thousand events', async () => {
    expect((await report(Array.from({ length: 1_000 }, () => event({ quantity: 1 })))).body.data.accepted).toBe(1_000);
    for (const events of [Array.from({ length: 1_001 }, () => event()), [], {}, undefined]) {
      const answer = await report(events);
      expect([answer.status, answer.body.error.code]).toEqual([400, 'invalid_request']);
    }
    expect(await usage()).toEqual([expect.objectContaining({ quantity: '1000' })]);
  });

  it('requires the usage token', async () => {
    const key = await make.key(person);
    for (const authorization of [
      'Bearer wrong-token-of-the-sources',
      `Bearer ${key}`,
      `Bearer ${person.sessionToken}`,
      undefined,
    ]) {
      const answer = await app.post(
        '/api/v1/billing/events',
        { events: [event()] },
        { headers: authorization === undefined ? {} : { authorization } },
      );
      expect([answer.status, answer.body.error.code]).toEqual([401, 'invalid_token']);
    }
    expect(await usage()).toEqual([]);
  });

  it('records nothing in a dry run', async () => {
    const events = [event()];
    expect((await report(events, { 'dry-run': 'true' })).body).toMatchObject({
      data: { accepted: 1 },
      meta: { dry_run: true },
    });
    expect(await usage()).toEqual([]);
    expect((await report(events)).body.data.accepted).toBe(1);
  });

  it('is not limited by a call budget', async () => {
    const answers = await Promise.all(
      Array.from({ length: 40 }, () =>
        app.post(
          '/api/v1/billing/events',
          { events: [event()] },
          { from: '198.18.7.7', headers: { authorization: `Bearer ${TOKEN}` } },
        ),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(answers[0]!.headers.get('x-service-tier')).toBe('enterprise');
    expect(await usage()).toEqual([expect.objectContaining({ quantity: '40000' })]);
  });

  it('counts recorded events in the metrics', async () => {
    const read = async (): Promise<number> =>
      Number(/usage_recorded_total\{meter="object_storage"\} (\d+)/.exec((await app.fetch('/metrics')).text)?.[1] ?? 0);
    const before = await read();
    const same = event({ meter: 'object_storage' });
    await report([same, same, event({ meter: 'object_storage' })]);
    await report([same]);
    expect((await read()) - before).toBe(2);
  });

  describe('GET /api/v1/billing/usage', () => {
    it('groups usage by the requested fields, with the total cost', async () => {
      const project = (await app.post('/api/v1/projects', { name: 'mine' }, as(await make.key(person)))).body.data
        .id as string;
      await report([
        event({ occurred_at: '2026-11-02T10:00:00Z', quantity: 3_600_000, project_id: project }),
        event({ occurred_at: '2026-11-03T10:00:00Z', quantity: 7_200_000 }),
        event({
          occurred_at: '2026-11-03T11:00:00Z',
          quantity: 2_000_000,
          meter: 'ai_tokens',
          model: 'openai/gpt-mini:output',
        }),
      ]);
      const time = 'from=2026-11-01&to=2026-11-04';
      expect(await usage(`?${time}`)).toEqual([
        { meter: 'ai_tokens', quantity: '2000000', unit: 'tokens', display_quantity: '2,000,000 tokens', cost: '4' },
        { meter: 'sandbox_compute', quantity: '10800000', unit: 'ms', display_quantity: '3 h', cost: '0.3' },
      ]);
      expect(await usage(`?${time}&group_by=meter,project,day,model`)).toEqual([
        {
          meter: 'sandbox_compute',
          project_id: project,
          day: '2026-11-02',
          quantity: '3600000',
          unit: 'ms',
          display_quantity: '1 h',
          cost: '0.1',
        },
        {
          meter: 'ai_tokens',
          model: 'openai/gpt-mini:output',
          day: '2026-11-03',
          quantity: '2000000',
          unit: 'tokens',
          display_quantity: '2,000,000 tokens',
          cost: '4',
        },
        {
          meter: 'sandbox_compute',
          day: '2026-11-03',
          quantity: '7200000',
          unit: 'ms',
          display_quantity: '2 h',
          cost: '0.2',
        },
      ]);
      expect(await usage('?from=2026-11-03T11:00:00Z&to=2026-11-03T12:00:00Z')).toEqual([
        expect.objectContaining({ meter: 'ai_tokens' }),
      ]);
      expect((await app.fetch(`/api/v1/billing/usage?${time}`, as(person))).body.meta).toEqual({
        from: '2026-11-01T00:00:00.000Z',
        to: '2026-11-04T00:00:00.000Z',
        cost: '4.3',
        request_id: expect.any(String),
      });
    });

    it('defaults to the current month, and returns nothing from the future', async () => {
      await report([event()]);
      expect(await usage()).toHaveLength(1);
      expect(await usage('?from=2100-01-01')).toEqual([]);
    });

    it.each([
      'from=yesterday',
      'from=2026-11-01T10:30:00Z',
      'from=2026-11-02&to=2026-11-02',
      'from=2020-01-01&to=2026-01-01',
      'group_by=colour',
      'group_by=',
      'page=2',
      'to=2026-13-01',
    ])('returns 400 for ?%s', async (query) => {
      const answer = await app.fetch(`/api/v1/billing/usage?${query}`, as(person));
      expect([answer.status, answer.body.error.code]).toEqual([400, 'invalid_request']);
    });

    it('requires billing:read in the organization', async () => {
      const [owner, member] = [await make.person(), await make.person()];
      const org = await make.org(owner, { plan: 'pro' });
      await make.member(org, member, 'member');
      await report([event({ org_id: org.id })]);
      const of = (who: Person) => app.fetch('/api/v1/billing/usage', as(who, { headers: { 'x-service-org': org.id } }));
      expect((await of(owner)).body.data).toHaveLength(1);
      expect((await of(member)).body.error.code).toBe('insufficient_scopes');
      expect((await of(person)).body.error.code).toBe('org_access_denied');
      expect((await app.fetch('/api/v1/billing/usage')).status).toBe(401);
      expect(await usage()).toEqual([]);
    });
  });
});

describe('without USAGE_TOKEN', () => {
  const app = useApp({}, 'api');

  it('returns 404 to every caller', async () => {
    for (const headers of [{}, { authorization: 'Bearer ' }, { authorization: 'Bearer undefined' }] as Record<
      string,
      string
    >[]) {
      const answer = await app.post('/api/v1/billing/events', { events: [] }, { headers });
      expect([answer.status, answer.body.error.code]).toEqual([403, 'feature_disabled']);
    }
  });
});
