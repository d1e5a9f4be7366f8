import { request } from 'node:http';
import { OrgEvents } from '../../src/modules/events/org-events.js';
import type { OrgHappening } from '../../src/modules/events/org-events.js';
import { Database } from '../../src/platform/database/database.js';
import { as, expectStatus, Make, type Org, type Person } from '../support/make.js';
import { type Answer, eventually, useApp, WITH_SANDBOX } from '../support/test-app.js';

const outcomeOf = (answer: Answer): string => `${answer.status} ${answer.body?.error?.code ?? ''}`.trim();

interface SentEvent {
  readonly seq: number;
  readonly id: string;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

describe('GET /api/v1/orgs/:org_id/events', () => {
  const app = useApp(WITH_SANDBOX);
  const make = new Make(app);
  let owner: Person;
  let org: Org;
  let key: string;
  const opened: AbortController[] = [];

  beforeAll(async () => {
    owner = await make.person({ plan: 'builder' });
    org = await make.org(owner, { plan: 'builder' });
    key = await make.key(owner);
  });
  afterEach(() => {
    for (const stream of opened.splice(0)) stream.abort();
  });

  const publish = (...happenings: readonly Omit<OrgHappening, 'orgId'>[]): Promise<void> =>
    app
      .get(Database)
      .transaction(() => app.get(OrgEvents).publish(...happenings.map((each) => ({ orgId: org.id, ...each }))));
  const deployReady = (name: string): Omit<OrgHappening, 'orgId'> => ({ type: 'deploy.ready', data: { name } });

  /** Opens a stream of lines and collects what it sends. */
  const follow = async (
    token: string,
    { headers = {}, query = '' }: { headers?: Record<string, string>; query?: string } = {},
  ): Promise<{ events: SentEvent[]; text: () => string }> => {
    const controller = new AbortController();
    opened.push(controller);
    const response = await fetch(`${app.url}/api/v1/orgs/${org.slug}/events${query}`, {
      headers: { authorization: `Bearer ${token}`, ...headers },
      signal: controller.signal,
    });
    expect(response.status).toBe(200);
    const events: SentEvent[] = [];
    let text = '';
    void (async () => {
      for await (const part of response.body!.pipeThrough(new TextDecoderStream())) {
        text += part;
        events.length = 0;
        for (const line of text.split('\n').slice(0, -1)) {
          const json = line.startsWith('data: ') ? line.slice(6) : line;
          if (json.startsWith('{')) events.push(JSON.parse(json) as SentEvent);
        }
      }
    })().catch(() => undefined);
    await eventually(() => text !== '', 'the stream has begun');
    return { events, text: () => text };
  };

  it('sends events as they happen, as lines and as server-sent events', async () => {
    const lines = await follow(key);
    const sse = await follow(key, { headers: { accept: 'text/event-stream' } });
    await publish(deployReady('one'), deployReady('two'));
    await eventually(
      () => lines.events.length === 2 && sse.events.length === 2,
      'both streams have both events',
      20_000,
    );
    expect(lines.events.map(({ data }) => data)).toEqual([{ name: 'one' }, { name: 'two' }]);
    expect(sse.events).toEqual(lines.events);
    expect(sse.text()).toContain(`id: ${lines.events[0]!.seq}\ndata: {`);
    expect(lines.events[0]).toMatchObject({ type: 'deploy.ready', id: expect.stringMatching(/^evt_/) });
  });

  it('resumes after the last event that the caller has, without loss and without repetition', async () => {
    const first = await follow(key, { query: '?after=0' });
    await publish(deployReady('three'));
    await eventually(() => first.events.some(({ data }) => data['name'] === 'three'), 'the event came', 20_000);
    const seen = first.events.at(-1)!.seq;
    await publish(deployReady('four'), deployReady('five'));
    const second = await follow(key, { headers: { 'last-event-id': `${seen}` } });
    await eventually(() => second.events.length === 2, 'what was missed', 20_000);
    expect(second.events.map(({ data }) => data['name']).sort()).toEqual(['five', 'four']);
  });

  it('sends each caller only what its scopes allow', async () => {
    const narrow = await make.key(owner, { scopes: ['orgs:read', 'deploys:read'] });
    const stream = await follow(narrow);
    await publish(
      { type: 'invoice.paid', data: { name: 'hidden' } },
      { type: 'spend.warning', data: { name: 'hidden' } },
      deployReady('shown'),
    );
    await eventually(() => stream.events.length > 0, 'the event came', 20_000);
    expect(stream.events.map(({ data }) => data['name'])).toEqual(['shown']);
  });

  it('reports executions', async () => {
    const stream = await follow(key);
    const body = { language: 'javascript', code: 'console.log(1)' };
    const run = await app.post('/api/v1/sandbox/executions', body, as(key, { headers: { 'x-service-org': org.id } }));
    const { id } = expectStatus(200, run).body.data;
    await eventually(() => stream.events.some(({ type }) => type === 'execution.finished'), 'the execution', 20_000);
    expect(stream.events.at(-1)!.data).toEqual({ execution_id: id, language: 'javascript', status: 'succeeded' });
  });

  it('stores an event once, however often it is delivered', async () => {
    const before = await count();
    await publish(deployReady('once'));
    await eventually(async () => (await count()) === before + 1, 'the event is stored', 20_000);
  });

  it('opens twenty streams for an organization, and frees the place of one that ended', async () => {
    for (let stream = 0; stream < 20; stream++) await follow(key);
    const refused = await app.fetch(`/api/v1/orgs/${org.id}/events`, as(key));
    expect(outcomeOf(refused)).toBe('429 concurrency_limit_exceeded');
    opened.shift()!.abort();
    await eventually(
      async () => {
        const controller = new AbortController();
        const again = await fetch(`${app.url}/api/v1/orgs/${org.id}/events`, {
          headers: { authorization: `Bearer ${key}` },
          signal: controller.signal,
        });
        controller.abort();
        return again.status === 200;
      },
      'a place is free',
      20_000,
    );
  });

  it('drops nothing on a reader that pauses, and holds nothing for it but one batch', async () => {
    await publish(...Array.from({ length: 150 }, (_, index) => deployReady(`many ${index}`)));
    await eventually(
      async () => (await make.sql("SELECT 1 FROM org_events WHERE data->>'name' LIKE 'many %'")).length === 150,
      'all are stored',
      60_000,
    );
    const names = await new Promise<string[]>((resolve, reject) => {
      const call = request(
        `${app.url}/api/v1/orgs/${org.id}/events?after=0`,
        { headers: { authorization: `Bearer ${key}` } },
        (response) => {
          let text = '';
          response.on('data', (part: Buffer) => {
            text += part.toString();
            response.pause();
            setImmediate(() => response.resume());
            const found = [...text.matchAll(/"many (\d+)"/g)].map(([, index]) => index!);
            if (found.length < 150) return;
            resolve(found);
            call.destroy();
          });
        },
      );
      call.on('error', reject).end();
    });
    // They were published at the same time, so that each order is right.
    expect(names.map(Number).sort((one, other) => one - other)).toEqual(
      Array.from({ length: 150 }, (_, index) => index),
    );
  });

  it('refuses bad input, callers without a credential or scope, and other tenants', async () => {
    const path = `/api/v1/orgs/${org.id}/events`;
    expect(outcomeOf(await app.fetch(`${path}?after=x`, as(key)))).toBe('400 invalid_request');
    const badId = await app.fetch(path, as(key, { headers: { 'last-event-id': 'x' } }));
    expect(outcomeOf(badId)).toBe('400 invalid_request');
    expect(outcomeOf(await app.fetch(path))).toBe('401 missing_api_key');
    const narrow = await make.key(owner, { scopes: ['deploys:read'] });
    expect(outcomeOf(await app.fetch(path, as(narrow)))).toBe('403 insufficient_scopes');
    const outsider = await make.key(await make.person());
    expect(outcomeOf(await app.fetch(path, as(outsider)))).toBe('404 organization_not_found');
    const nowhere = await app.fetch('/api/v1/orgs/org_00000000000000000000000000/events', as(key));
    expect(outcomeOf(nowhere)).toBe('404 organization_not_found');
  });

  it('forgets events after 24 hours', async () => {
    await make.sql("UPDATE org_events SET at = at - interval '25 hours' WHERE org_id = $1", [org.id]);
    await app.runSchedule('old-org-events');
    expect(await count()).toBe(0);
  });

  const count = async (): Promise<number> =>
    (await make.sql<{ n: number }>('SELECT count(*)::int AS n FROM org_events WHERE org_id = $1', [org.id]))[0]!.n;
});
