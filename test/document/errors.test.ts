import { client } from '../support/built-client.js';
import { useFaultProxy } from '../support/fault-proxy.js';
import { Make, type Person } from '../support/make.js';
import { type Answer, useApp } from '../support/test-app.js';

const {
  AuthenticationError,
  AuthorizationError,
  ConflictError,
  InsufficientCreditsError,
  NotFoundError,
  RateLimitError,
  Service,
  ServiceError,
  ValidationError,
} = client;

type Failure = InstanceType<typeof ServiceError>;

const OUT_OF_CREDITS = {
  type: 'insufficient_credits_error',
  code: 'insufficient_credits',
  status: 402,
  message: 'The account is out of credits.',
  hint: 'Add credits or take a larger plan.',
  dashboard_url: 'http://dash.test/billing',
  docs_url: 'http://docs.test/errors/insufficient_credits',
};

const SUBCLASSES = [
  AuthenticationError,
  AuthorizationError,
  InsufficientCreditsError,
  NotFoundError,
  ValidationError,
  RateLimitError,
  ConflictError,
];

async function failureOf(call: PromiseLike<unknown>): Promise<Failure> {
  const [settled] = await Promise.allSettled([call]);
  if (settled.status === 'fulfilled') throw new Error('The call was a success.');
  return settled.reason as Failure;
}

const OPS_TOKEN = 'an-ops-token-for-the-tests';
const AS_OPERATOR = { headers: { authorization: `Bearer ${OPS_TOKEN}` } };

describe('§7 Errors', () => {
  const app = useApp({ OPS_TOKEN }, 'api');
  const proxy = useFaultProxy(() => app.url);
  const make = new Make(app);
  let ada: Person;
  let key: string;

  beforeAll(async () => {
    ada = await make.person();
    key = await make.key(ada);
  });

  const service = (apiKey = key, options: object = {}): InstanceType<typeof Service> =>
    new Service({ apiKey, baseUrl: proxy.url, maxRetries: 0, ...options });

  const refused = {
    401: () => failureOf(service('svc_pat_nonsense').me.get()),
    403: async () =>
      failureOf(
        service(await make.key(ada, { scopes: ['keys:read'] })).keys.create({
          name: 'wide',
          kind: 'personal',
          preset: 'full',
        }),
      ),
    402: (error: object = OUT_OF_CREDITS) => {
      proxy.reset({
        kind: 'answer',
        status: 402,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ error, meta: { request_id: 'req_1' } }),
      });
      return failureOf(service().me.get());
    },
    404: () => failureOf(service().keys.get('key_00000000000000000000000000')),
    400: () => failureOf(service().keys.create({ name: '', kind: 'personal', preset: 'full' })),
    429: async () => {
      const spent = await make.person();
      const apiKey = await make.key(spent);
      await make.spend(spent.organization.id, 5_000);
      return failureOf(service(apiKey).me.get());
    },
    409: () => {
      const { username } = ada.user;
      return failureOf(
        new Service({ anonymous: true, baseUrl: proxy.url }).auth.signUp({
          username,
          email: `other-${username}@example.org`,
          password: 'a sentence of their own',
        }),
      );
    },
    other: () => {
      proxy.reset({ kind: 'answer', status: 418, body: '' });
      return failureOf(service().me.get());
    },
  };

  it(
    'every error raised by the client library is an instance of the base class ServiceError ' +
      'or of one of its subclasses',
    async () => {
      for (const provoke of Object.values(refused)) expect(await provoke()).toBeInstanceOf(ServiceError);
      for (const Class of SUBCLASSES) expect(Class.prototype).toBeInstanceOf(ServiceError);
    },
  );

  describe('classes', () => {
    it('AuthenticationError, 401: API key is missing, invalid, or expired', async () => {
      const error = await refused[401]();
      expect([error.constructor, error.status, error.code]).toEqual([AuthenticationError, 401, 'malformed_api_key']);
      const missing = await failureOf(new Service({ anonymous: true, baseUrl: proxy.url }).me.get());
      expect([missing.constructor, missing.code]).toEqual([AuthenticationError, 'missing_api_key']);
    });

    it('AuthorizationError, 403: key is valid but lacks the scope or org access', async () => {
      const scope = await refused[403]();
      expect([scope.constructor, scope.status, scope.code]).toEqual([AuthorizationError, 403, 'insufficient_scopes']);
      const org = await failureOf(service(key, { organization: 'nobodys' }).me.get());
      expect([org.constructor, org.status, org.code]).toEqual([AuthorizationError, 403, 'org_access_denied']);
    });

    it('InsufficientCreditsError, 402: account is out of credits; carries upgradeUrl', async () => {
      const error = await refused[402]({ ...OUT_OF_CREDITS, upgrade_url: 'http://shop.test/' });
      expect([error.constructor, error.status]).toEqual([InsufficientCreditsError, 402]);
      expect(error).toMatchObject({ upgradeUrl: 'http://shop.test/' });
    });

    it('NotFoundError, 404: resource does not exist or was deleted', async () => {
      const error = await refused[404]();
      expect([error.constructor, error.status, error.code]).toEqual([NotFoundError, 404, 'api_key_not_found']);

      const org = await make.org(ada);
      const person = new Service({ sessionToken: ada.sessionToken, baseUrl: proxy.url });
      await person.orgs.delete(org.id);
      expect((await failureOf(person.orgs.get(org.id))).constructor).toBe(NotFoundError);
    });

    it('ValidationError, 400: request body failed schema validation; details holds the per-field output', async () => {
      const error = await refused[400]();
      expect([error.constructor, error.status, error.code]).toEqual([ValidationError, 400, 'invalid_request']);
      expect(error.details).toEqual([expect.objectContaining({ path: 'name', in: 'body', code: 'min_length' })]);
    });

    it('RateLimitError, 429: rate limit or daily limit exceeded; carries retryAfter and upgradeUrl', async () => {
      const error = await refused[429]();
      expect([error.constructor, error.status, error.code]).toEqual([RateLimitError, 429, 'daily_limit_exceeded']);
      expect(error).toMatchObject({ retryAfter: expect.any(Number), upgradeUrl: expect.stringMatching(/^http/) });
    });

    it('ConflictError, 409: request conflicts with current state, for example a taken username', async () => {
      const error = await refused[409]();
      expect([error.constructor, error.status, error.code]).toEqual([ConflictError, 409, 'username_taken']);
    });

    it('ConflictError, 409: for example a duplicate', async () => {
      const { slug } = await make.org(ada);
      const error = await failureOf(
        new Service({ sessionToken: ada.sessionToken, baseUrl: proxy.url }).orgs.create({ name: 'Twin', slug }),
      );
      expect([error.constructor, error.code]).toEqual([ConflictError, 'already_exists']);
    });

    it('ConflictError, 409: for example a claimed task', async () => {
      const { body } = await app.post('/ops/alert', { title: 'Something is wrong' }, AS_OPERATOR);
      const claim = (agent: string): Promise<Answer> =>
        app.post(`/ops/tasks/${body.tasks[0].id as string}/claim`, { agent }, AS_OPERATOR);
      expect((await claim('one')).status).toBe(200);
      const {
        status,
        body: { error },
      } = await claim('another');
      expect([status, error.type, error.code]).toEqual([409, 'conflict_error', 'task_already_claimed']);
    });

    it('ServiceError, any: base class for any other API error', async () => {
      const error = await refused.other();
      expect([error.constructor, error.status]).toEqual([ServiceError, 418]);
    });
  });

  describe('properties of every error', () => {
    it('message: human-readable; includes hint, dashboard_url and docs_url when the API returns them', async () => {
      const { message } = await refused[404]();
      expect(message).toMatch(
        /^API key not found\.\nHint: .+\nDocs: http:\/\/api\.test\/docs\/errors\/api_key_not_found$/,
      );
      expect((await refused[402]()).message).toBe(
        'The account is out of credits.\nHint: Add credits or take a larger plan.\n' +
          'Dashboard: http://dash.test/billing\nDocs: http://docs.test/errors/insufficient_credits',
      );
    });

    it('status, number: HTTP status code', async () => {
      for (const [status, provoke] of Object.entries(refused)) {
        if (status !== 'other') expect((await provoke()).status).toBe(Number(status));
      }
    });

    it('type, string: error category, for example auth_error, validation_error, api_error', async () => {
      const types = await Promise.all([refused[401](), refused[400](), refused[403]()]).then((errors) =>
        errors.map(({ type }) => type),
      );
      expect(types).toEqual(['auth_error', 'validation_error', 'authorization_error']);
      expect((await refused.other()).type).toBe('api_error');
    });

    it('code, string: machine-readable code, for example invalid_api_key, insufficient_scopes', async () => {
      expect((await refused[401]()).code).toMatch(/^[a-z_]+$/);
      expect((await refused[403]()).code).toBe('insufficient_scopes');
    });

    it('details, unknown: extra context; for ValidationError the per-field validation output', async () => {
      expect((await refused[403]()).details).toMatchObject({ missing_scopes: expect.arrayContaining(['keys:write']) });
      expect((await refused[400]()).details).toEqual([
        expect.objectContaining({ path: 'name', message: expect.any(String) }),
      ]);
    });

    it('retryAfter, number or undefined: seconds to wait; present on 429', async () => {
      const secondsToMidnight = (new Date().setUTCHours(24, 0, 0, 0) - Date.now()) / 1000;
      expect(Math.abs((await refused[429]()).retryAfter! - secondsToMidnight)).toBeLessThan(10);
      expect((await refused[404]()).retryAfter).toBeUndefined();
    });

    it('hint, string or undefined: resolution hint when the API provides one', async () => {
      expect((await refused[404]()).hint).toBe('List your API keys with GET /api/v1/keys.');
      expect((await refused.other()).hint).toBeUndefined();
    });

    it('dashboardUrl, string or undefined: link into the dashboard when relevant', async () => {
      expect((await refused[402]()).dashboardUrl).toBe('http://dash.test/billing');
      expect((await refused.other()).dashboardUrl).toBeUndefined();
    });

    it('docsUrl, string or undefined: link into the docs when relevant, where the code is explained', async () => {
      const { docsUrl } = await refused[401]();
      expect(docsUrl).toBe('http://api.test/docs/errors/malformed_api_key');
      expect((await app.fetch(new URL(docsUrl!).pathname)).status).toBe(200);
      expect((await refused.other()).docsUrl).toBeUndefined();
    });
  });

  describe('rules', () => {
    it(
      '1. InsufficientCreditsError and RateLimitError carry upgradeUrl, which defaults to the ' + 'plan pricing page',
      async () => {
        const pricingPage = `${proxy.url}/pricing`;
        expect(await refused[402]()).toMatchObject({ upgradeUrl: pricingPage });
        proxy.reset({ kind: 'answer', status: 429, body: '' });
        expect(await failureOf(service().me.get())).toMatchObject({ name: 'RateLimitError', upgradeUrl: pricingPage });
        expect((await app.fetch('/pricing')).status).toBe(200);
        proxy.reset({ kind: 'answer', status: 402, body: '' });
        expect(await failureOf(service(key, { pricingUrl: 'http://shop.test/plans' }).me.get())).toMatchObject({
          upgradeUrl: 'http://shop.test/plans',
        });
      },
    );

    it(
      '2. errors that are not API errors (network error) are not instances of the base class ' +
        'and propagate unchanged',
      async () => {
        let thrownByFetch: unknown;
        const watched = service(key, {
          fetch: (...request: Parameters<typeof fetch>) =>
            fetch(...request).catch((error: unknown) => {
              throw (thrownByFetch = error);
            }),
        });
        proxy.reset({ kind: 'reset' });
        const error = await failureOf(watched.me.get());
        expect(error.name).toBe('TypeError');
        expect(error).not.toBeInstanceOf(ServiceError);
        expect(error).toBe(thrownByFetch);
      },
    );

    it(
      '2. errors that are not API errors (timeout) are not instances of the base class and ' + 'propagate unchanged',
      async () => {
        proxy.reset({ kind: 'stall' });
        const error = await failureOf(service(key, { timeoutMs: 200 }).me.get());
        expect(error.name).toBe('TimeoutError');
        expect(error).not.toBeInstanceOf(ServiceError);
      },
    );

    it(
      '3. 429 after retries: the daily call budget is used up, not only a burst; ' + 'x-service-calls-remaining tells',
      async () => {
        const spent = await make.person();
        const caller = service(await make.key(spent));
        await make.spend(spent.organization.id, 5_000);
        expect(await failureOf(caller.me.get())).toMatchObject({
          code: 'daily_limit_exceeded',
          details: { policy: 'daily' },
        });
        expect(caller.lastBudget!.remaining).toBe(0);
      },
    );

    it('3. 400 with details: inspect the field and constraint that failed', async () => {
      const error = await failureOf(service().sandbox.try({ code: 'x', language: 'ruby' as 'python' }));
      expect(error.details).toEqual([
        expect.objectContaining({ path: 'language', code: 'is_in', expected: ['typescript', 'javascript', 'python'] }),
      ]);
    });

    it(
      '3. 401 on every request: the key is revoked, rotated, or a session token was sent; a ' + 'fresh key mends it',
      async () => {
        const { id, secret } = await service().keys.create({
          name: 'to revoke',
          kind: 'personal',
          preset: 'read_only',
        });
        await service().keys.revoke(id);
        for (let call = 0; call < 2; call++)
          expect(await failureOf(service(secret).me.get())).toMatchObject({ status: 401, code: 'revoked_api_key' });
        expect(
          await failureOf(new Service({ sessionToken: ada.sessionToken, baseUrl: proxy.url }).keys.current()),
        ).toMatchObject({ status: 401, code: 'session_token_not_allowed' });
        expect(await service(await make.key(ada)).me.get()).toMatchObject({ user: { id: ada.user.id } });
      },
    );

    it('3. 403 across organizations: the key is org-bound', async () => {
      const org = await make.org(ada);
      const bound = await make.key(ada, { kind: 'org_bound', org_id: org.id });
      expect(await failureOf(service(bound, { organization: ada.organization.id }).me.get())).toMatchObject({
        name: 'AuthorizationError',
        code: 'key_org_mismatch',
      });
    });
  });
});
