import { client } from '../support/built-client.js';
import { useFaultProxy } from '../support/fault-proxy.js';
import { as, Make, type Person } from '../support/make.js';
import { type Answer, randomAddress, useApp } from '../support/test-app.js';

const { Service, RateLimitError } = client;

/** How a limit of the table is said where it must be a number. */
const UNLIMITED = '2147483647';
const PLANS = ['free', 'builder', 'pro', 'enterprise'] as const;
const CALLS_A_DAY = { free: '5000', builder: '100000', pro: UNLIMITED, enterprise: UNLIMITED } as const;

const budgetOf = ({ headers }: Answer): [string | null, string | null, string | null] => [
  headers.get('x-service-tier'),
  headers.get('x-service-calls-limit'),
  headers.get('x-service-calls-remaining'),
];

describe('§8 Limits', () => {
  const app = useApp({}, 'api');
  const proxy = useFaultProxy(() => app.url);
  const make = new Make(app);

  describe('Budget headers', () => {
    it.each(PLANS)(
      'every API response carries them for the plan %s, errors and unknown routes included',
      async (plan) => {
        const person = await make.person({ plan });
        const key = await make.key(person);
        const narrow = await make.key(person, { scopes: ['keys:read'] });
        const answers = [
          await app.fetch('/api/v1/me', as(key)),
          await app.post('/api/v1/keys', {}, as(key)),
          await app.post('/api/v1/keys', { name: 'x' }, as(narrow)),
          await app.fetch('/api/v1/keys/key_0', as(key)),
          await app.fetch('/api/v1/nowhere', as(key)),
          await app.call('PUT', '/api/v1/me', as(key)),
          await app.post('/api/v1/orgs', { name: 'Twin', slug: person.organization.slug }, as(key)),
          await app.call('POST', '/api/v1/keys', as(key, { headers: { 'content-type': 'text/plain' } })),
        ];
        expect(answers.map(({ status }) => status)).toEqual([200, 400, 403, 404, 404, 405, 409, 400]);
        for (const answer of answers) {
          expect(budgetOf(answer).slice(0, 2)).toEqual([plan, CALLS_A_DAY[plan]]);
          expect(budgetOf(answer)[2]).toMatch(/^\d+$/);
        }
      },
    );

    it('every API response carries them for callers without a key, errors and unknown routes included', async () => {
      const answers = [
        await app.fetch('/api/v1'),
        await app.fetch('/api/v1/me'),
        await app.post('/api/v1/sandbox/try', {}),
        await app.fetch('/api/v1/nowhere'),
        await app.call('DELETE', '/api/v1'),
      ];
      expect(answers.map(({ status }) => status)).toEqual([200, 401, 400, 404, 405]);
      for (const answer of answers)
        expect(budgetOf(answer)).toEqual(['anonymous', '1000', expect.stringMatching(/^(999|1000)$/)]);
    });

    it('x-service-tier: plan tier of the caller', async () => {
      const key = await make.key(await make.person());
      expect((await app.fetch('/api/v1/me', as(key))).headers.get('x-service-tier')).toBe('free');
    });

    it('x-service-calls-remaining: integer, calls left in the daily budget', async () => {
      const person = await make.person();
      const key = await make.key(person);
      await make.spend(person.organization.id, 4_990);
      const left = [];
      for (let call = 0; call < 3; call++)
        left.push((await app.fetch('/api/v1/me', as(key))).headers.get('x-service-calls-remaining'));
      expect(left).toEqual(['9', '8', '7']);
    });

    it('x-service-calls-limit: integer, daily call limit', async () => {
      const key = await make.key(await make.person({ plan: 'builder' }));
      expect((await app.fetch('/api/v1/me', as(key))).headers.get('x-service-calls-limit')).toBe('100000');
    });

    it('when the limit is exceeded, the API returns 429 with a Retry-After header (seconds)', async () => {
      const person = await make.person();
      const key = await make.key(person);
      await make.spend(person.organization.id, 4_999);
      expect((await app.fetch('/api/v1/me', as(key))).status).toBe(200);
      const refused = await app.fetch('/api/v1/me', as(key));
      expect(refused.status).toBe(429);
      expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
      const secondsToMidnight = (new Date().setUTCHours(24, 0, 0, 0) - Date.now()) / 1000;
      expect(Math.abs(Number(refused.headers.get('retry-after')) - secondsToMidnight)).toBeLessThan(10);
      expect(budgetOf(refused)).toEqual(['free', '5000', '0']);
    });
  });

  describe('the client library', () => {
    const tooMany = (retryAfter?: string): { kind: 'answer'; status: number; headers: Record<string, string> } => ({
      kind: 'answer',
      status: 429,
      headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter },
    });
    let ada: Person;
    let key: string;

    beforeAll(async () => {
      ada = await make.person({ plan: 'pro' });
      key = await make.key(ada);
    });

    const service = (options: object = {}): InstanceType<typeof Service> =>
      new Service({ apiKey: key, baseUrl: proxy.url, ...options });
    const pauses = (): number[] => proxy.seen.slice(1).map(({ atMs }, index) => atMs - proxy.seen[index]!.atMs);

    it.each([429, 500, 502, 503])('retries %i responses automatically', async (status) => {
      proxy.reset({ kind: 'answer', status });
      expect((await service().me.get()).user.id).toBe(ada.user.id);
      expect(proxy.seen).toHaveLength(2);
    });

    it('retries with exponential backoff', async () => {
      proxy.reset({ kind: 'answer', status: 503 }, { kind: 'answer', status: 503 });
      await service().me.get();
      const [first, second] = pauses();
      expect(first).toBeGreaterThanOrEqual(375);
      expect(second).toBeGreaterThanOrEqual(750);
    });

    it('honours Retry-After', async () => {
      proxy.reset(tooMany('2'));
      await service().me.get();
      expect(pauses()[0]).toBeGreaterThanOrEqual(2_000);
    });

    it('lets a rate-limit error reach the caller only after retries are exhausted', async () => {
      proxy.reset(tooMany(), tooMany(), tooMany('1'));
      await expect(service({ maxRetries: 2 }).me.get()).rejects.toBeInstanceOf(RateLimitError);
      expect(proxy.seen).toHaveLength(3);
      // One more attempt would have been let in.
      proxy.reset(tooMany(), tooMany());
      await expect(service({ maxRetries: 2 }).me.get()).resolves.toMatchObject({ user: { id: ada.user.id } });
    });

    it('keeps what the budget headers said', async () => {
      const caller = service();
      await caller.me.get();
      expect(caller.lastBudget).toMatchObject({ tier: 'pro', limit: Number(UNLIMITED) });
    });
  });

  describe('Plans', () => {
    type PlanRow = {
      price_usd_per_month: string | null;
      limits: Record<string, number | null>;
      features: Record<string, boolean>;
      support: string;
    };
    let plans: Map<string, PlanRow>;

    beforeAll(async () => {
      const { body } = await app.fetch('/api/v1/billing/plans');
      plans = new Map((body.data as (PlanRow & { id: string; name: string })[]).map((plan) => [plan.name, plan]));
    });

    const row = (read: (plan: PlanRow) => unknown): unknown[] =>
      ['Free', 'Builder', 'Pro', 'Enterprise'].map((name) => read(plans.get(name)!));

    it('Free, Builder ($49/mo), Pro ($299/mo), Enterprise', () => {
      expect([...plans.keys()]).toEqual(['Free', 'Builder', 'Pro', 'Enterprise']);
      expect(row(({ price_usd_per_month: price }) => price)).toEqual(['0', '49', '299', null]);
    });

    it('API calls/day: 5,000, 100,000, unlimited, unlimited', () => {
      expect(row(({ limits }) => limits['calls_per_day'])).toEqual([5_000, 100_000, null, null]);
    });

    it('AI agents: 1, 10, unlimited, unlimited', () => {
      expect(row(({ limits }) => limits['agents'])).toEqual([1, 10, null, null]);
    });

    it('Projects: 3, 25, unlimited, unlimited', () => {
      expect(row(({ limits }) => limits['projects'])).toEqual([3, 25, null, null]);
    });

    it('Production deploys: no, yes, yes, yes', () => {
      expect(row(({ features }) => features['production_deploys'])).toEqual([false, true, true, true]);
    });

    it('Agent swarms + cron: no, yes, yes, yes', () => {
      expect(row(({ features }) => features['swarms_and_cron'])).toEqual([false, true, true, true]);
    });

    it('Support: community, email, priority + SLAs, dedicated + custom SLAs', () => {
      expect(row(({ support }) => support)).toEqual(['community', 'email', 'priority', 'dedicated']);
    });

    it('SSO / SAML: no, no, no, yes', () => {
      expect(row(({ features }) => features['sso'])).toEqual([false, false, false, true]);
    });

    it('the pricing page shows the same table', async () => {
      const page = (await app.fetch('/docs/plans', { from: randomAddress() })).text;
      for (const words of ['5,000', '100,000', '$49', '$299', 'Enterprise', 'Unlimited']) expect(page).toContain(words);
    });

    it('AI agents: the second agent of a Free organization is refused', async () => {
      const key = await make.key(await make.person());
      const statuses = [];
      for (const name of ['One', 'Two'])
        statuses.push(
          (await app.post('/api/v1/agents', { name, instructions: 'Help.', models: ['openai/gpt-mini'] }, as(key)))
            .status,
        );
      expect(statuses).toEqual([201, 403]);
    });
    it('Projects: the fourth project of a Free organization is refused', async () => {
      const key = await make.key(await make.person());
      const statuses = [];
      for (const name of ['One', 'Two', 'Three', 'Four'])
        statuses.push((await app.post('/api/v1/projects', { name }, as(key))).status);
      expect(statuses).toEqual([201, 201, 201, 403]);
    });

    it(
      'Production deploys: a production deploy of a Free organization is refused, and one of a ' +
        'Builder organization is taken in',
      async () => {
        const deploy = async (plan: 'free' | 'builder'): Promise<[number, string | undefined]> => {
          const key = await make.key(await make.person({ plan }));
          const { data } = (
            await app.post('/api/v1/projects', { name: 'Shop', repo_url: 'https://github.com/acme/shop' }, as(key))
          ).body;
          const { status, body } = await app.post(
            `/api/v1/projects/${data.id as string}/deploys`,
            { branch: 'main', type: 'production' },
            as(key),
          );
          return [status, body.error?.code];
        };
        expect(await deploy('free')).toEqual([403, 'feature_not_in_plan']);
        expect((await deploy('builder'))[0]).toBeLessThan(300);
      },
    );

    it('Agent swarms + cron: those of a Free organization are refused, and Builder has them', async () => {
      const ask = async (plan: 'free' | 'builder'): Promise<unknown[]> => {
        const key = await make.key(await make.person({ plan }));
        const agent = { name: 'Reporter', instructions: 'Report.', models: ['fake/small'] };
        const { id } = (await app.post('/api/v1/agents', agent, as(key))).body.data as { id: string };
        const swarm = {
          name: 'Prices',
          goal: 'Compare prices.',
          coordinator: { agent_id: id },
          workers: [{ agent_id: id, count: 1 }],
          budget: { cost: '2', coordinator_reserve: '1' },
        };
        const schedule = { agent_id: id, name: 'Report', every_seconds: 3_600, input: 'Go.' };
        const answers = [
          await app.post('/api/v1/swarms', swarm, as(key)),
          await app.post('/api/v1/schedules', schedule, as(key)),
        ];
        return answers.map(({ status, body }) => [status, body.error?.code, body.error?.details?.smallest_plan]);
      };
      const refused = [403, 'feature_not_in_plan', 'builder'];
      expect(await ask('free')).toEqual([refused, refused]);
      expect(await ask('builder')).toEqual([
        [201, undefined, undefined],
        [201, undefined, undefined],
      ]);
    });

    it.todo('SSO / SAML: Enterprise only');
  });
});
