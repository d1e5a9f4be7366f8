import { SandboxSettings } from '../../src/modules/sandbox/sandbox.settings.js';
import { loadSettings } from '../../src/roles/settings.js';
import { client } from '../support/built-client.js';
import { as, Make } from '../support/make.js';
import { type Answer, randomAddress, useApp, WITH_SANDBOX } from '../support/test-app.js';

const TRY = '/api/v1/sandbox/try';
const OPS_TOKEN = 'an-ops-token-for-the-tests';
const AS_OPERATOR = { headers: { authorization: `Bearer ${OPS_TOKEN}` } };
const HELLO = {
  typescript: 'const answer: number = 6 * 7; console.log(answer);',
  javascript: 'console.log(6 * 7);',
  python: 'print(6 * 7)',
} as const;

describe('§2, §4, §8 the anonymous sandbox', () => {
  const app = useApp({ ...WITH_SANDBOX, ANONYMOUS_CALLS_PER_SECOND: '1000' });
  const run = (body: object, from = randomAddress()): Promise<Answer> => app.post(TRY, body, { from });
  const fault = async (body: object): Promise<object[]> => {
    const { status, body: answer } = await run(body);
    expect([status, answer.error.code]).toEqual([400, 'invalid_request']);
    return answer.error.details as object[];
  };

  describe('§2 Sandbox execution request', () => {
    it('code (string)', async () => {
      expect(await fault({ code: 7, language: 'python' })).toEqual([
        expect.objectContaining({ path: 'code', code: 'is_string' }),
      ]);
    });

    it.each(['typescript', 'javascript', 'python'] as const)(
      'language (string, allowed values: typescript, javascript, python): %s',
      async (language) => {
        const { status, body } = await run({ language, code: HELLO[language] });
        expect(status).toBe(200);
        expect(body.data).toMatchObject({ language, status: 'succeeded', stdout: '42\n', exit_code: 0 });
      },
    );

    it('language: no other value is allowed', async () => {
      expect(await fault({ code: 'puts 1', language: 'ruby' })).toEqual([
        expect.objectContaining({
          path: 'language',
          expected: ['typescript', 'javascript', 'python'],
          received: 'ruby',
        }),
      ]);
    });
  });

  describe('§2 Sandbox execution response', () => {
    it('data (the execution result)', async () => {
      const { body } = await run({
        language: 'python',
        code: 'import sys\nprint("out")\nprint("err", file=sys.stderr)\nsys.exit(3)',
      });
      expect(body.data).toMatchObject({ stdout: 'out\n', stderr: 'err\n', exit_code: 3 });
    });

    it("meta.remaining_executions (integer, runs left today for the caller's IP)", async () => {
      const [one, two] = [randomAddress(), randomAddress()];
      const left = [];
      for (const from of [one, one, two])
        left.push((await run({ language: 'python', code: '1' }, from)).body.meta.remaining_executions);
      expect(left).toEqual([9, 8, 9]);
    });
  });

  describe('§4 Endpoints', () => {
    it('POST /api/v1/sandbox/try: no sign-up or key required', async () => {
      expect((await run({ language: 'python', code: HELLO.python })).status).toBe(200);
    });

    it('a JSON object with data and meta', async () => {
      const { headers, body } = await run({ language: 'python', code: '1' });
      expect(headers.get('content-type')).toContain('application/json');
      expect(Object.keys(body as object).sort()).toEqual(['data', 'meta']);
    });

    it('rule 2: the same sandbox is used by a client created in anonymous mode', async () => {
      const anonymous = new client.Service({ anonymous: true, baseUrl: app.url });
      const { data, meta } = await anonymous.sandbox.try({ language: 'javascript', code: HELLO.javascript });
      expect(data).toMatchObject({ status: 'succeeded', stdout: '42\n' });
      expect(meta.remaining_executions).toBe(9);
    });

    it('rule 5: X-Request-Id and X-Trace-Id correlate client-side issues with the request logs', async () => {
      const answer = await run({ language: 'python', code: '1' });
      expect(app.log()).toContainEqual(
        expect.objectContaining({
          requestId: answer.headers.get('x-request-id'),
          traceId: answer.headers.get('x-trace-id'),
          method: 'POST',
          path: TRY,
          status: 200,
          durationMs: expect.any(Number),
        }),
      );
    });
  });

  describe('§8 Anonymous sandbox limits (per IP address)', () => {
    it('10 executions per day, and the response reports meta.remaining_executions', async () => {
      const from = randomAddress();
      const left = [];
      for (let execution = 0; execution < 10; execution++)
        left.push((await run({ language: 'python', code: '1' }, from)).body.meta.remaining_executions);
      expect(left).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
      const refused = await run({ language: 'python', code: '1' }, from);
      expect([refused.status, refused.body.error.code]).toEqual([429, 'sandbox_daily_limit_exceeded']);
      expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
      expect((await run({ language: 'python', code: '1' }, randomAddress())).status).toBe(200);
    });

    it('30-second execution timeout, which no setting lengthens', () => {
      expect(app.settings.of(SandboxSettings).timeoutMs).toBe(30_000);
      expect(loadSettings({ SANDBOX_TIMEOUT_MS: '30000' }).of(SandboxSettings).timeoutMs).toBe(30_000);
      expect(() => loadSettings({ SANDBOX_TIMEOUT_MS: '30001' })).toThrow(/SANDBOX_TIMEOUT_MS/);
    });

    it('no persistent storage', async () => {
      const from = randomAddress();
      const code = (statement: string): object => ({
        language: 'python',
        code: `import os, pathlib\nfile = pathlib.Path(os.getcwd()) / "kept"\n${statement}`,
      });
      expect((await run(code('file.write_text("x"); print(file.exists())'), from)).body.data.stdout).toBe('True\n');
      expect((await run(code('print(file.exists())'), from)).body.data.stdout).toBe('False\n');
    });
  });

  describe('with a short timeout', () => {
    const hurried = useApp({ ...WITH_SANDBOX, ANONYMOUS_CALLS_PER_SECOND: '1000', SANDBOX_TIMEOUT_MS: '500' });

    it('the execution timeout ends a run, and the answer says so', async () => {
      const { status, body } = await hurried.post(TRY, { language: 'python', code: 'while True: pass' });
      expect([status, body.data.status]).toEqual([200, 'timed_out']);
    });
  });
});

describe('§2 other resources', () => {
  const app = useApp({}, 'api');
  const make = new Make(app);
  let key: string;

  beforeAll(async () => {
    key = await make.key(await make.person({ plan: 'pro' }));
  });

  it(
    'the service: id (string), name (string), repo_url (string, URL of a linked repository; ' +
      'without it, it cannot be deployed)',
    async () => {
      const {
        body: { data },
      } = await app.post('/api/v1/projects', { name: 'Shop', repo_url: 'https://github.com/acme/shop' }, as(key));
      expect(data).toMatchObject({
        id: expect.stringMatching(/^prj_/),
        name: 'Shop',
        repo_url: 'https://github.com/acme/shop',
      });
    },
  );

  it.each(['nextjs', 'expo'])(
    'Repository created from a template: repo_url (string); request fields template (%s) and name (string)',
    async (template) => {
      const {
        status,
        body: { data },
      } = await app.post('/api/v1/repositories', { template, name: `from-${template}` }, as(key));
      expect([status, typeof data.repo_url]).toEqual([201, 'string']);
      expect(data).toMatchObject({ name: `from-${template}`, template });
    },
  );

  it('Repository created from a template: other templates are refused', async () => {
    const { status, body } = await app.post('/api/v1/repositories', { template: 'rails', name: 'x' }, as(key));
    expect([status, body.error.details[0]]).toEqual([
      400,
      expect.objectContaining({ path: 'template', expected: expect.arrayContaining(['nextjs', 'expo']) }),
    ]);
  });

  it(
    'Deploy request: branch (string), type (string; the value production is used for ' + 'production deploys)',
    async () => {
      const {
        body: { data },
      } = await app.post('/api/v1/projects', { name: 'Deployed', repo_url: 'https://github.com/acme/shop' }, as(key));
      const { status, body } = await app.post(
        `/api/v1/projects/${data.id as string}/deploys`,
        { branch: 'main', type: 'production' },
        as(key),
      );
      expect(status).toBeLessThan(300);
      expect(body.data).toMatchObject({ branch: 'main', type: 'production', project_id: data.id });
      const refused = await app.post(
        `/api/v1/projects/${data.id as string}/deploys`,
        { branch: 7, type: 'else' },
        as(key),
      );
      expect(refused.body.error.details.map(({ path }: any) => path).sort()).toEqual(['branch', 'type']);
    },
  );

  const operated = useApp({ FEATURE_FLAG_ALLOWLIST: 'sign_ups', OPS_TOKEN }, 'api');

  it('Ops task: can be auto-tagged through the runbookTag field of a generic alert payload', async () => {
    const { body } = await operated.post(
      '/ops/alert',
      { title: 'Something is wrong', runbookTag: 'queues' },
      AS_OPERATOR,
    );
    expect((await operated.fetch(`/ops/tasks/${body.tasks[0].id as string}`, AS_OPERATOR)).body).toMatchObject({
      title: 'Something is wrong',
      runbookTag: 'queues',
      status: 'open',
    });
  });

  it('Feature flag: a flag has a name; an allowlist limits which flags can be toggled', async () => {
    const { body } = await operated.fetch('/ops/features', AS_OPERATOR);
    expect(body.allowlist).toEqual(['sign_ups']);
    expect(body.flags.filter(({ allowlisted }: any) => allowlisted).map(({ name }: any) => name)).toEqual(['sign_ups']);
  });
});

describe('§4 rules', () => {
  const operated = useApp({ FEATURE_FLAG_ALLOWLIST: 'sandbox_executions', OPS_TOKEN }, 'api');
  const make = new Make(operated);

  it('rule 1: a flag that is not on the allowlist cannot be toggled through POST /ops/features', async () => {
    const refused = await operated.post('/ops/features', { name: 'anonymous_sandbox', enabled: false }, AS_OPERATOR);
    expect([refused.status, refused.body.error.code]).toEqual([403, 'flag_not_allowlisted']);
    expect((await operated.fetch('/ops/features', AS_OPERATOR)).body.flags).toContainEqual(
      expect.objectContaining({ name: 'anonymous_sandbox', enabled: true }),
    );
    expect(
      (await operated.post('/ops/features', { name: 'sandbox_executions', enabled: false }, AS_OPERATOR)).status,
    ).toBe(200);
  });

  it(
    'rule 3: when there is no repo_url, the deploy fails with the message "Project has no ' + 'linked repository"',
    async () => {
      const key = await make.key(await make.person());
      const {
        body: { data },
      } = await operated.post('/api/v1/projects', { name: 'Empty' }, as(key));
      const { status, body } = await operated.post(
        `/api/v1/projects/${data.id as string}/deploys`,
        { branch: 'main' },
        as(key),
      );
      expect([status, body.error.message]).toEqual([409, 'Project has no linked repository']);
    },
  );

  it(
    'rule 4: repo_url of a repository created from a template can be passed when creating, ' +
      'or attached later by updating',
    async () => {
      const key = await make.key(await make.person());
      const { repo_url } = (await operated.post('/api/v1/repositories', { template: 'nextjs', name: 'shop' }, as(key)))
        .body.data;
      expect((await operated.post('/api/v1/projects', { name: 'At once', repo_url }, as(key))).body.data.repo_url).toBe(
        repo_url,
      );
      const { id } = (await operated.post('/api/v1/projects', { name: 'Later' }, as(key))).body.data;
      const changed = await operated.call('PATCH', `/api/v1/projects/${id as string}`, {
        ...as(key, { headers: { 'content-type': 'application/json' } }),
        body: JSON.stringify({ repo_url }),
      });
      expect([changed.status, changed.body.data.repo_url]).toEqual([200, repo_url]);
    },
  );
});
