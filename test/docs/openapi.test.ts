import { Ajv, type ValidateFunction } from 'ajv';
import { RouteDirectory } from '../../src/modules/auth/route-directory.js';
import { type Answer, useApp, WITH_SANDBOX } from '../support/test-app.js';

/** Pages for people, and what git, browsers and webhooks of others ask. */
const NOT_OF_THE_API = new RegExp(
  '^GET /((docs|pricing|status|app|assets|site)\\b.*)?$| /mcp(/\\w+)?$|' +
    ' /(\\.well-known|git|integrations|internal|oauth|scim|sign-in|webhooks)/',
);

const TRY = '/api/v1/sandbox/try';

describe('GET /api/v1/openapi.json', () => {
  const app = useApp({
    ...WITH_SANDBOX,
    ANONYMOUS_CALLS_PER_SECOND: '1000',
    METRICS_TOKEN: 'metrics-token-0123456789',
  });
  let document: any;
  let ajv: Ajv;

  beforeAll(async () => {
    document = (await app.fetch('/api/v1/openapi.json')).body;
    ajv = new Ajv({ strict: false, allErrors: true });
    ajv.addSchema(document as object, 'api');
  });

  function schemaFor(method: string, path: string, status: number): ValidateFunction {
    const response = document.paths[path]?.[method]?.responses?.[status];
    if (response === undefined) throw new Error(`${method} ${path} does not describe the status ${status}.`);
    const pointer = ['paths', path, method, 'responses', String(status), 'content', 'application/json', 'schema'];
    return ajv.compile({
      $ref:
        'api#/' + pointer.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/'),
    });
  }

  function expectDescribed(method: string, path: string, answer: Answer): void {
    const validate = schemaFor(method, path, answer.status);
    const valid = validate(answer.body);
    expect({ status: answer.status, errors: validate.errors }).toEqual({ status: answer.status, errors: null });
    expect(valid).toBe(true);
  }

  it('is OpenAPI 3 and contains every route', () => {
    expect(document.openapi).toMatch(/^3\./);
    const described = Object.entries(document.paths as Record<string, object>).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const declared = app
      .get(RouteDirectory)
      .list()
      .map(({ method, path }) => `${method} ${path.replace(/[:*](\w+)/g, '{$1}')}`);
    expect(described.sort()).toEqual(declared.filter((route) => !NOT_OF_THE_API.test(route)).sort());
    expect(described.length).toBeGreaterThan(30);
  });

  it.each([
    ['a run', { language: 'python', code: 'print(1)' }, 200],
    ['a failed run', { language: 'javascript', code: 'throw new Error("x")' }, 200],
    ['a run that was killed', { language: 'python', code: 'import os; os.kill(os.getpid(), 9)' }, 200],
    ['bad fields', { language: 'cobol', more: 1 }, 400],
  ])('describes the response to %s', async (_what, body, status) => {
    const answer = await app.post(TRY, body);
    expect(answer.status).toBe(status);
    expectDescribed('post', TRY, answer);
  });

  it('describes malformed JSON, the wrong media type and a refused run', async () => {
    const json = { 'content-type': 'application/json' };
    expectDescribed('post', TRY, await app.call('POST', TRY, { headers: json, body: '{' }));
    expectDescribed('post', TRY, await app.call('POST', TRY, { headers: { 'content-type': 'text/plain' }, body: 'x' }));
    expectDescribed(
      'post',
      TRY,
      await app.call('POST', TRY, { headers: json, body: JSON.stringify({ code: 'x'.repeat(1_100_000) }) }),
    );
    const from = '198.19.255.1';
    for (let run = 0; run < 10; run++) await app.post(TRY, { language: 'python', code: '1' }, { from });
    expectDescribed('post', TRY, await app.post(TRY, { language: 'python', code: '1' }, { from }));
  });

  it('describes the responses of the other routes', async () => {
    expectDescribed('get', '/api/v1', await app.fetch('/api/v1'));
    expectDescribed('get', '/health', await app.fetch('/health'));
    expectDescribed('get', '/ready', await app.fetch('/ready'));
    expectDescribed('get', '/metrics', await app.fetch('/metrics'));
  });

  it('has a self-contained reference page at /docs/api', async () => {
    const page = await app.fetch('/docs/api');
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toContain('text/html');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'self'");
    expect(page.headers.get('content-security-policy')).toContain("object-src 'none'; base-uri 'none'");
    for (const [, source] of page.text.matchAll(/(?:src|href)="([^"]+)"/g)) {
      expect(source).not.toMatch(/^https?:/);
      expect((await app.fetch(new URL(source!, 'http://api.test/docs/api').pathname)).status).toBe(200);
    }
  });
});
