import { pino } from 'pino';
import { eventually, useApp, WITHOUT_PROXY } from '../support/test-app.js';

const TOKEN = 'an-ops-token-for-the-tests';
const AS_OPERATOR = { headers: { authorization: `Bearer ${TOKEN}` } };

describe('GET /ops', () => {
  const app = useApp({ OPS_TOKEN: TOKEN }, 'all');
  const manifest = async () => (await app.fetch('/ops', AS_OPERATOR)).body;

  it('is closed without the token', async () => {
    expect((await app.fetch('/ops')).body.error).toMatchObject({ status: 401, code: 'invalid_token' });
    expect((await app.fetch('/ops', { headers: { authorization: 'Bearer wrong' } })).status).toBe(401);
  });

  it('says what runs, how it is, and where everything else is', async () => {
    expect(await manifest()).toMatchObject({
      schemaVersion: '1',
      service: {
        name: 'service-platform',
        version: expect.stringMatching(/^\d+\.\d+\.\d+/),
        role: 'all',
        startedAt: expect.stringMatching(/Z$/),
        instance: expect.any(String),
      },
      // The sandbox is off here.
      status: 'degraded',
      parts: { database: { status: 'up' }, redis: { status: 'up' }, sandbox: { status: 'degraded' } },
      tasks: { open: 0, claimed: 0, resolved24h: 0, oldestOpenSeconds: 0, byTag: {} },
      features: { href: '/ops/features' },
      links: { openapi: '/api/v1/openapi.json', metrics: '/metrics' },
    });
  });

  it('lists the queues', async () => {
    expect((await manifest()).queues).toContainEqual({
      name: 'auth-mail',
      waiting: 0,
      active: 0,
      delayed: 0,
      failed: 0,
      oldestWaitingSeconds: 0,
      paused: false,
    });
  });

  it('lists every endpoint, with the credential that it wants', async () => {
    const { endpoints } = await manifest();
    expect(endpoints).toContainEqual({
      method: 'POST',
      path: '/ops/alert',
      auth: 'ops',
      summary: expect.any(String),
      requestSchema: expect.anything(),
    });
    expect(endpoints).toContainEqual({ method: 'GET', path: '/metrics', auth: 'metrics', summary: expect.any(String) });
    expect(endpoints).toContainEqual({ method: 'GET', path: '/health', auth: 'none', summary: expect.any(String) });
    expect(endpoints).toContainEqual({
      method: 'GET',
      path: '/api/v1/projects',
      auth: 'apiKey',
      summary: expect.any(String),
    });
    expect(endpoints).toContainEqual({
      method: 'POST',
      path: '/api/v1/sandbox/try',
      auth: 'none',
      summary: expect.any(String),
      requestSchema: expect.anything(),
    });
  });

  it('says of each endpoint that takes JSON where its schema is', async () => {
    const { endpoints } = await manifest();
    expect(endpoints).toContainEqual(
      expect.objectContaining({
        method: 'POST',
        path: '/ops/tasks/:task_id/claim',
        requestSchema: { $ref: expect.any(String) },
      }),
    );
    const { body: document } = await app.fetch('/api/v1/openapi.json');
    const find = (pointer: string): any =>
      pointer
        .split('/')
        .slice(1)
        .reduce((at, part) => at?.[part.replaceAll('~1', '/')], document);
    const described = endpoints.filter(
      ({ method, path }: any) =>
        find(`#/paths/${path.replace(/:(\w+)/g, '{$1}').replaceAll('/', '~1')}/${method.toLowerCase()}/requestBody`)
          ?.content['application/json'] !== undefined,
    );
    expect(endpoints.filter(({ requestSchema }: any) => requestSchema !== undefined)).toEqual(described);
    expect(described.length).toBeGreaterThan(20);
    for (const {
      requestSchema: { $ref: reference },
    } of described)
      expect({ reference, schema: find(reference.slice(reference.indexOf('#'))) }).toEqual({
        reference,
        schema: expect.any(Object),
      });
  });

  it('counts tasks by tag', async () => {
    const {
      tasks: [{ id }],
    } = (await app.post('/ops/alert', { title: 'x', runbookTag: 'queues' }, AS_OPERATOR)).body;
    expect((await manifest()).tasks).toMatchObject({ open: 1, byTag: { queues: 1 } });
    await app.post(`/ops/tasks/${id as string}/resolve`, { agent: 'a', resolution: 'x' }, AS_OPERATOR);
    expect((await manifest()).tasks).toMatchObject({ open: 0, resolved24h: 1, byTag: {} });
  });

  it('answers 304 when the ETag matches', async () => {
    // Its content, such as the state of a part, may change between two calls, but not every time.
    await eventually(async () => {
      const etag = (await app.fetch('/ops', AS_OPERATOR)).headers.get('etag')!;
      expect(etag).toMatch(/^"[\w-]{27}"$/);
      const again = await app.fetch('/ops', {
        headers: { ...AS_OPERATOR.headers, 'if-none-match': `"other", W/${etag}` },
      });
      return again.status === 304 && again.text === '';
    }, 'a 304');
  });

  it('has no secret and nothing of a tenant in it', async () => {
    const text = JSON.stringify(await manifest());
    expect(text).not.toContain(TOKEN);
    expect(text).not.toContain(app.config.databaseUrl);
    expect(text).not.toMatch(/(?:org|usr|key|prj)_[0-9a-z]{26}/);
  });

  describe('its runbooks', () => {
    it('have steps in order, each with its risk, and an escalation', async () => {
      const { runbooks } = await manifest();
      expect(runbooks.length).toBeGreaterThan(6);
      for (const { id, tag, steps, escalation, appliesTo, docsUrl } of runbooks) {
        expect({ id, tag, escalation, docsUrl, names: appliesTo.alertnames }).toEqual({
          id: expect.stringMatching(/^[a-z-]+$/),
          tag: expect.stringMatching(/^[a-z_]+$/),
          escalation: expect.any(String),
          docsUrl: `http://api.test/docs/runbooks/${id as string}`,
          names: id === 'plan-request' ? [] : expect.arrayContaining([expect.any(String)]),
        });
        expect(steps.map(({ n }: { n: number }) => n)).toEqual(steps.map((_: unknown, index: number) => index + 1));
      }
    });

    it('have tags and alert names of their own', async () => {
      const { runbooks } = await manifest();
      const tags = runbooks.map(({ tag }: { tag: string }) => tag);
      const names = runbooks.flatMap(({ appliesTo }: any) => appliesTo.alertnames);
      expect(new Set(tags).size).toBe(tags.length);
      expect(new Set(names).size).toBe(names.length);
    });

    it('ask only for requests that exist, and those that only read are answered', async () => {
      const { runbooks, endpoints } = await manifest();
      const commands = runbooks.flatMap(({ steps }: any) => steps).filter(({ command }: any) => command !== undefined);
      for (const { command, risk } of commands) {
        const path = (command.path as string).split('?')[0];
        expect(endpoints).toContainEqual(expect.objectContaining({ method: command.method, path }));
        if (risk !== 'read') continue;
        expect(command.method).toBe('GET');
        expect({ path: command.path, status: (await app.fetch(command.path, AS_OPERATOR)).status }).toEqual({
          path: command.path,
          status: 200,
        });
      }
    });

    it('are pages for people, too', async () => {
      for (const { docsUrl, title } of (await manifest()).runbooks) {
        const page = await app.fetch(new URL(docsUrl).pathname);
        expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
        expect(page.text).toContain(`<h1>${title as string}`);
        expect(page.text).not.toContain('alertnames:');
      }
      expect((await app.fetch('/docs/runbooks/no-such')).status).toBe(404);
      expect((await app.fetch('/docs/runbooks/..%2f..%2farchitecture')).status).toBe(404);
    });
  });
});

describe('without OPS_TOKEN', () => {
  const app = useApp({ ...WITHOUT_PROXY });
  const proxied = useApp();

  it('the operations are open to programs on this machine, and the log and the metrics say so', async () => {
    expect((await app.fetch('/ops', { direct: true })).status).toBe(200);
    expect((await app.post('/ops/alert', { title: 'x' }, { direct: true })).status).toBe(200);
    expect((await app.fetch('/metrics')).text).toMatch(/^operator_surface_unprotected\{surface="ops"\} 1$/m);
    expect(
      app
        .log()
        .filter(({ level }) => level === 'warn' || level === pino.levels.values['warn'])
        .map(({ msg }) => msg),
    ).toContainEqual(expect.stringContaining('OPS_TOKEN'));
  });

  it('a page whose name leads to this machine does not reach them (DNS rebinding)', async () => {
    for (const host of [
      'rebound.example.com',
      `rebound.example.com:${app.port}`,
      'localhost.example.com',
      'api.test',
    ]) {
      const answer = await app.raw(`GET /ops HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
      expect([host, answer.slice(0, 12)]).toEqual([host, 'HTTP/1.1 401']);
      expect(answer).toContain('invalid_token');
    }
    expect(await app.raw(`GET /ops HTTP/1.1\r\nHost: localhost:${app.port}\r\nConnection: close\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 200/,
    );
  });

  it('a call that a proxy has passed on does not reach them, nor does any where a proxy is configured', async () => {
    expect((await app.fetch('/ops', { from: '127.0.0.1' })).body.error).toMatchObject({
      status: 401,
      code: 'invalid_token',
    });
    expect((await app.fetch('/ops', { direct: true, headers: { 'x-real-ip': '127.0.0.1' } })).status).toBe(401);
    expect((await proxied.fetch('/ops', { direct: true })).status).toBe(401);
    expect((await proxied.fetch('/ops', { from: '127.0.0.1' })).status).toBe(401);
  });
});

describe('wrong operator tokens', () => {
  const METRICS_TOKEN = 'a-metrics-token-of-the-tests';
  const app = useApp({ OPS_TOKEN: TOKEN, METRICS_TOKEN }, 'api');
  const bearer = (token: string, from: string) => ({ from, headers: { authorization: `Bearer ${token}` } });

  it('return 429 after twenty in a minute from one address only', async () => {
    const [from, other] = ['198.18.30.1', '198.18.30.2'];
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, index) => app.fetch('/ops', bearer(`a-wrong-token-${index}`, from))),
    );
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(20);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(40);
    const refused = await app.fetch('/ops', bearer(TOKEN, from));
    expect([refused.status, refused.body.error.code, refused.body.error.details.policy]).toEqual([
      429,
      'burst_limit_exceeded',
      'operator_token',
    ]);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await app.fetch('/ops', bearer(TOKEN, other))).status).toBe(200);
    expect((await app.fetch('/metrics', bearer(METRICS_TOKEN, from))).status).toBe(200);
    // A program without a token does not guess one.
    for (let index = 0; index < 30; index++) expect((await app.fetch('/ops', { from: other })).status).toBe(401);
    expect((await app.fetch('/ops', bearer(TOKEN, other))).status).toBe(200);
  });
});
