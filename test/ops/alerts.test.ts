import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { useApp } from '../support/test-app.js';

const TOKEN = 'an-ops-token-for-the-tests';
const AS_OPERATOR = { headers: { authorization: `Bearer ${TOKEN}` } };
const fixture = (name: string) => JSON.parse(readFileSync(join(__dirname, 'fixtures', `${name}.json`), 'utf8'));

/** The format that Alertmanager sends. */
function group(alerts: readonly unknown[], commonLabels: object = {}): object {
  return {
    version: '4',
    status: 'firing',
    receiver: 'ops',
    groupLabels: {},
    commonLabels,
    commonAnnotations: {},
    externalURL: 'http://am',
    groupKey: '{}',
    truncatedAlerts: 0,
    alerts,
  };
}

let last = 0;
const fingerprint = (): string => (++last).toString(16).padStart(16, '0');

function firing(overrides: object = {}): { fingerprint: string; startsAt: string; [name: string]: unknown } {
  return {
    status: 'firing',
    labels: { alertname: 'Demo' },
    annotations: {},
    startsAt: '2026-11-21T10:00:00Z',
    endsAt: '0001-01-01T00:00:00Z',
    fingerprint: fingerprint(),
    ...overrides,
  };
}

const ended = (alert: object, endsAt = '2026-11-21T10:10:00Z'): object => ({ ...alert, status: 'resolved', endsAt });

describe('POST /ops/alert', () => {
  const app = useApp({ OPS_TOKEN: TOKEN });
  const send = (body: object) => app.post('/ops/alert', body, AS_OPERATOR);
  const taskOf = async (id: string) => (await app.fetch(`/ops/tasks/${id}`, AS_OPERATOR)).body;

  it.each([
    ['without a token', undefined],
    ['with a wrong one', 'Bearer nothing-that-is-set'],
    ['with another scheme', `Basic ${TOKEN}`],
  ])('takes nothing %s', async (_, authorization) => {
    const answer = await app.post(
      '/ops/alert',
      { title: 'x' },
      { headers: authorization === undefined ? {} : { authorization } },
    );
    expect(answer.body.error).toMatchObject({ status: 401, code: 'invalid_token' });
  });

  describe('from Alertmanager', () => {
    it('makes exactly the expected tasks of what a real one has sent', async () => {
      const fired = await send(fixture('alertmanager-firing'));
      expect(fired.status).toBe(200);
      expect(fired.body).toEqual({
        received: 2,
        created: 2,
        updated: 0,
        resolved: 0,
        ignored: 0,
        rejected: [],
        tasks: ['e6ece81e443931a1', 'e6f6e81e44418626'].map((print) => ({
          id: expect.stringMatching(/^tsk_/),
          status: 'open',
          runbookTag: 'demo-down',
          dedupKey: `am:${print}`,
          created: true,
        })),
      });
      expect(await taskOf(fired.body.tasks[0].id)).toMatchObject({
        title: 'Shard a is down',
        severity: 'critical',
        status: 'open',
        source: 'alertmanager',
        occurrences: 1,
        startsAt: '2026-11-21T05:27:51.568Z',
        labels: { alertname: 'DemoDown', shard: 'a' },
        url: expect.stringContaining('http://vm:9982/graph'),
        events: [{ kind: 'opened', actor: 'alert' }],
      });

      const again = await send(fixture('alertmanager-firing'));
      expect(again.body).toMatchObject({ created: 0, updated: 2 });
      expect(await taskOf(fired.body.tasks[0].id)).toMatchObject({ occurrences: 2 });

      const over = await send(fixture('alertmanager-resolved'));
      expect(over.body).toMatchObject({ received: 2, resolved: 2, created: 0, updated: 0, ignored: 0 });
      expect(await taskOf(fired.body.tasks[1].id)).toMatchObject({
        status: 'resolved',
        resolvedBy: 'alert',
        endsAt: '2026-11-21T05:28:04.568Z',
        events: [{ kind: 'opened' }, { kind: 'resolved' }],
      });

      expect((await send(fixture('alertmanager-resolved'))).body).toMatchObject({ resolved: 0, ignored: 2 });
    });

    it('goes by the status of each alert and not by that of the group', async () => {
      const [one, other] = [firing(), firing()];
      await send(group([one, other]));
      expect((await send(group([one, ended(other)]))).body).toMatchObject({ updated: 1, resolved: 1, created: 0 });
    });

    it('opens a new task for a fault that comes back', async () => {
      const alert = firing();
      const first = (await send(group([alert]))).body.tasks[0].id;
      await send(group([ended(alert)]));
      const back = await send(group([{ ...alert, startsAt: '2026-11-21T11:00:00Z' }]));
      expect(back.body).toMatchObject({ created: 1 });
      expect(back.body.tasks[0].id).not.toBe(first);
    });

    it('does not open a task again for a report that comes after the end', async () => {
      const alert = firing();
      await send(group([alert]));
      await send(group([ended(alert)]));
      expect((await send(group([alert]))).body).toMatchObject({ created: 0, updated: 0, ignored: 1 });
    });

    it('does not take the end of an earlier fault for that of the present one', async () => {
      const alert = firing({ startsAt: '2026-11-21T12:00:00Z' });
      await send(group([alert]));
      expect((await send(group([ended(alert, '2026-11-21T11:59:00Z')]))).body).toMatchObject({
        resolved: 0,
        ignored: 1,
      });
    });

    it('opens a new task for a fault that goes on after an agent has resolved its task', async () => {
      const alert = firing();
      const { id } = (await send(group([alert]))).body.tasks[0];
      await app.post(`/ops/tasks/${id}/resolve`, { agent: 'a', resolution: 'It looked fine.' }, AS_OPERATOR);
      expect((await send(group([alert]))).body).toMatchObject({ created: 1 });
    });

    it('takes in what it can of a group, and says what it cannot', async () => {
      const answer = await send(
        group([
          firing(),
          null,
          'text',
          firing({ status: 'unknown' }),
          firing({ labels: undefined }),
          firing({ startsAt: 'yesterday' }),
          firing({ fingerprint: undefined, labels: { alertname: 'NoPrint' } }),
        ]),
      );
      expect(answer.status).toBe(200);
      expect(answer.body).toMatchObject({
        received: 7,
        created: 2,
        rejected: [
          { index: 1, code: 'not_an_object' },
          { index: 2, code: 'not_an_object' },
          { index: 3, code: 'invalid_status' },
          { index: 4, code: 'no_labels' },
          { index: 5, code: 'invalid_time' },
        ],
      });
    });

    it('welcomes fields that it does not know', async () => {
      const body = {
        ...group([firing({ surprise: { deep: [1] } })]),
        notification_reason: 'new',
        routeLabels: {},
        extra: null,
      };
      expect((await send(body)).body).toMatchObject({ created: 1, rejected: [] });
    });

    it.each([
      [
        'its own label',
        firing({ labels: { alertname: 'SandboxDown', runbookTag: 'own' } }),
        { runbookTag: 'common' },
        'own',
      ],
      ['the label of the group', firing({ labels: { alertname: 'SandboxDown' } }), { runbookTag: 'common' }, 'common'],
      ['the runbook that names the alert', firing({ labels: { alertname: 'SandboxDown' } }), {}, 'sandbox'],
      ['nothing', firing({ labels: { alertname: 'NoRunbookNamesIt' } }), {}, 'untagged'],
      ['a tag that is none', firing({ labels: { alertname: 'SandboxDown', runbookTag: '<b>\n' } }), {}, 'sandbox'],
    ])('finds the tag by %s', async (_, alert, commonLabels, tag) => {
      expect((await send(group([alert], commonLabels))).body.tasks[0].runbookTag).toBe(tag);
    });

    it('keeps one task when the same fault is reported by many at once', async () => {
      const alerts = [firing(), firing(), firing()];
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) => send(group(index % 2 === 0 ? alerts : [...alerts].reverse()))),
      );
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
      expect(answers.reduce((sum, { body }) => sum + body.created, 0)).toBe(3);
      expect((await taskOf(answers[0]!.body.tasks[0].id)).occurrences).toBe(20);
    });

    it('stores a body of a megabyte, with a fault and its end in it', async () => {
      const alerts = Array.from({ length: 3_500 }, () => firing({ annotations: { summary: 'x'.repeat(100) } }));
      const body = group([...alerts, ended(alerts[0]!)]);
      expect(JSON.stringify(body).length).toBeGreaterThan(900_000);
      expect((await send(body)).body).toMatchObject({ received: 3_501, created: 3_500, resolved: 1 });
    });
  });

  describe('in the generic form', () => {
    it('makes a task with the tag of its runbook', async () => {
      const answer = await send({
        title: 'The disk is nearly full',
        runbookTag: 'process',
        severity: 'critical',
        source: 'cron',
        description: 'At 97 %',
        url: 'https://example.org/disk',
        labels: { host: 'db-1' },
        unknown: 1,
      });
      expect(answer.body).toMatchObject({
        received: 1,
        created: 1,
        tasks: [{ runbookTag: 'process', status: 'open' }],
      });
      expect(await taskOf(answer.body.tasks[0].id)).toMatchObject({
        title: 'The disk is nearly full',
        severity: 'critical',
        source: 'cron',
        description: 'At 97 %',
        url: 'https://example.org/disk',
        labels: { host: 'db-1' },
      });
    });

    it('takes the same title, source and labels for the same fault, and a dedupKey before them', async () => {
      expect((await send({ title: 'Same' })).body.created).toBe(1);
      expect((await send({ title: 'Same' })).body).toMatchObject({ created: 0, updated: 1 });
      expect((await send({ title: 'Same', labels: { host: 'a' } })).body.created).toBe(1);
      expect((await send({ title: 'Same', dedupKey: 'one' })).body.created).toBe(1);
      expect((await send({ title: 'Otherwise', dedupKey: 'one' })).body).toMatchObject({ created: 0, updated: 1 });
      expect((await send({ title: 'Otherwise', dedupKey: 'one', status: 'resolved' })).body).toMatchObject({
        resolved: 1,
      });
    });

    it.each([
      [{}, 'title'],
      [{ title: '' }, 'title'],
      [{ title: 7 }, 'title'],
      [{ title: 'x', status: 'maybe' }, 'status'],
      [{ title: 'x', startsAt: 'soon' }, 'startsAt'],
      [{ version: '4', alerts: 'none' }, 'title'],
    ])('refuses %j for its %s', async (body, path) => {
      expect((await send(body)).body.error).toMatchObject({
        status: 400,
        code: 'invalid_request',
        details: [{ path, in: 'body' }],
      });
    });

    it('takes any text that JSON can hold', async () => {
      const odd = 'a\u0000b\ud800c\u{1f600}';
      const answer = await send({
        title: odd,
        description: odd.repeat(3_000),
        labels: { [odd]: odd, number: 3, list: [1] },
      });
      expect(answer.status).toBe(200);
      expect(await taskOf(answer.body.tasks[0].id)).toMatchObject({
        title: expect.stringContaining('ab'),
        labels: { number: '3' },
      });
    });
  });

  it.each([
    ['no JSON', 'application/json', '{', 400, 'malformed_json'],
    ['another type', 'text/plain', '{}', 415, 'unsupported_media_type'],
    ['a list', 'application/json', '[]', 400, 'invalid_request'],
    [
      'more than a megabyte',
      'application/json',
      JSON.stringify({ title: 'x'.repeat(1_100_000) }),
      413,
      'payload_too_large',
    ],
  ])('refuses %s', async (_, type, body, status, code) => {
    const answer = await app.call('POST', '/ops/alert', {
      headers: { ...AS_OPERATOR.headers, 'content-type': type },
      body,
    });
    expect(answer.body.error).toMatchObject({ status, code });
  });

  it('is never rate limited', async () => {
    const answers = await Promise.all(
      Array.from({ length: 200 }, () =>
        app.post('/ops/alert', { title: 'Often' }, { ...AS_OPERATOR, from: '198.18.7.7' }),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  });

  it('counts what it took in', async () => {
    const { text } = await app.fetch('/metrics');
    expect(text).toMatch(/^ops_alerts_total\{result="created"\} \d+$/m);
    expect(text).toMatch(/^ops_tasks\{status="open"\} [1-9]\d*$/m);
    expect(Number(/^ops_task_oldest_unclaimed_seconds\{severity="critical"\} (\S+)$/m.exec(text)?.[1])).toBeGreaterThan(
      0,
    );
  });
});
