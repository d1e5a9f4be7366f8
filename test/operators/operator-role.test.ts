import { as, expectStatus, Make, type Person } from '../support/make.js';
import { type Answer, type CallOptions, type TestApp, useApp, WITHOUT_PROXY } from '../support/test-app.js';

const TOKEN = 'ops-token-of-the-tests';
const NAME = 'svc_web';
const SAME_ORIGIN = { 'x-service-session': 'cookie', 'sec-fetch-site': 'same-origin' };
const READS = ['/ops', '/ops/tasks', '/ops/features', '/ops/organizations'];
const GRANT = '/ops/billing/credits';

const outcomeOf = (answer: Answer): string => `${answer.status} ${answer.body?.error?.code ?? ''}`.trim();

/** A call of a page with the session of a person. */
async function pageOf(app: TestApp, person: Person, more: CallOptions = {}): Promise<CallOptions> {
  const body = { login: person.user.username, password: person.password };
  const answer = expectStatus(200, await app.post('/api/v1/auth/sign-in', body, { ...more, headers: SAME_ORIGIN }));
  const cookie = answer.headers.getSetCookie()[0]!.split(';')[0]!;
  return { ...more, headers: { ...SAME_ORIGIN, cookie } };
}

const verify = (make: Make, { user }: Person): Promise<unknown> =>
  make.sql('UPDATE users SET email_verified_at = now() WHERE id = $1', [user.id]);

describe('operators who are named', () => {
  const app = useApp({
    OPS_TOKEN: TOKEN,
    OPERATOR_EMAILS: 'Boss@example.org, unverified@example.org',
    PUBLIC_URL: 'http://api.test',
    FEATURE_FLAG_ALLOWLIST: 'sign_ups',
  });
  const make = new Make(app);
  let first: Person;
  let operator: Person;
  let page: CallOptions;

  beforeAll(async () => {
    first = await make.person();
    operator = await make.person({ email: 'boss@Example.org' });
    await verify(make, operator);
    page = await pageOf(app, operator);
  });

  it('use the operator endpoints from a page, those that move money too', async () => {
    for (const path of READS) expectStatus(200, await app.fetch(path, page));
    const input = { orgId: first.organization.id, amountUsd: '1', reason: 'A gift', key: 'gift' };
    expectStatus(200, await app.post(GRANT, input, page));
    const me = expectStatus(200, await app.fetch('/api/v1/me', page));
    expect(me.body.data.user.operator).toBe(true);
  });

  it('are recorded by their id', async () => {
    const input = { name: 'sign_ups', enabled: true, reason: 'A test' };
    const { body } = expectStatus(200, await app.post('/ops/features', input, page));
    expect(body.flag.updatedBy).toBe(operator.user.id);
    const task = (await app.post('/ops/alert', { title: 'Full' }, page)).body.tasks[0].id as string;
    expectStatus(200, await app.post(`/ops/tasks/${task}/claim`, { agent: operator.user.username }, page));
  });

  it('are no others: not the first account, no unverified address, and nobody without a session', async () => {
    const unverified = await make.person({ email: 'unverified@example.org' });
    for (const person of [first, unverified]) {
      const own = await pageOf(app, person);
      for (const path of READS) expect(outcomeOf(await app.fetch(path, own))).toBe('403 operator_required');
      expect(outcomeOf(await app.post(GRANT, {}, own))).toBe('403 operator_required');
      expect((await app.fetch('/api/v1/me', own)).body.data.user.operator).toBe(false);
    }
    expect(outcomeOf(await app.fetch('/ops', { headers: SAME_ORIGIN }))).toBe('401 session_required');
    const unknown = { headers: { ...SAME_ORIGIN, cookie: `${NAME}=svc_web_${'0'.repeat(39)}` } };
    expect(outcomeOf(await app.fetch('/ops', unknown))).toMatch(/^401/);
  });

  it('have the role with no key and no session token', async () => {
    const key = await make.key(operator, { preset: 'full' });
    for (const credential of [key, operator.sessionToken]) {
      const authorization = `Bearer ${credential}`;
      expect(outcomeOf(await app.fetch('/ops', { headers: { authorization } }))).toBe('401 invalid_token');
      expect(outcomeOf(await app.post(GRANT, {}, { headers: { authorization } }))).toBe('401 invalid_token');
      expect((await app.fetch('/api/v1/me', { headers: { authorization } })).body.data.user.operator).toBe(false);
      // The cookie does not lend its role to what is sent beside it.
      const both = { headers: { ...page.headers, authorization } };
      expect(outcomeOf(await app.fetch('/ops', both))).toBe('400 conflicting_credentials');
    }
    expect(outcomeOf(await app.fetch('/ops', { headers: { 'x-api-key': key } }))).toBe('401 invalid_token');
  });

  it.each<[string, Record<string, string>, string]>([
    ['another site', { 'sec-fetch-site': 'cross-site' }, '403 cross_site_request'],
    ['a sibling subdomain', { 'sec-fetch-site': 'same-site' }, '403 cross_site_request'],
    ['an address that was typed', { 'sec-fetch-site': 'none' }, '403 cross_site_request'],
    ['a form, which cannot send the header', { 'x-service-session': '' }, '401 invalid_token'],
    [
      'a page with the token of the operator endpoints',
      { authorization: `Bearer ${TOKEN}` },
      '400 conflicting_credentials',
    ],
  ])('are not recognized in a call from %s', async (_, headers, outcome) => {
    const call = { headers: { ...page.headers, ...headers } };
    expect(outcomeOf(await app.fetch('/ops/tasks', call))).toBe(outcome);
    expect(outcomeOf(await app.post(GRANT, {}, call))).toBe(outcome);
  });

  it('lose it with their session, at once', async () => {
    const other = await pageOf(app, operator);
    expectStatus(200, await app.fetch('/ops', other));
    expectStatus(204, await app.post('/api/v1/auth/sign-out', {}, other));
    expect(outcomeOf(await app.fetch('/ops', other))).toBe('401 invalid_session');
  });

  it('do not open what has a token of its own', async () => {
    expect(outcomeOf(await app.post('/api/v1/billing/events', { events: [] }, page))).toMatch(/^40[13]/);
  });

  it('leave the token as it was', async () => {
    expectStatus(200, await app.fetch('/ops', { headers: { authorization: `Bearer ${TOKEN}` } }));
    expect(outcomeOf(await app.fetch('/ops', as(operator)))).toBe('401 invalid_token');
  });
});

describe('the first account', () => {
  const app = useApp(WITHOUT_PROXY);
  const make = new Make(app);
  let first: Person;
  let second: Person;

  beforeAll(async () => {
    first = await make.person();
    second = await make.person();
  });

  it('is an operator on the machine itself, and the second is not', async () => {
    const page = await pageOf(app, first, { direct: true });
    for (const path of READS) expectStatus(200, await app.fetch(path, page));
    expect(outcomeOf(await app.post(GRANT, {}, page))).toBe('400 invalid_request');
    expect((await app.fetch('/api/v1/me', page)).body.data.user.operator).toBe(true);
    const other = await pageOf(app, second, { direct: true });
    expect(outcomeOf(await app.fetch('/ops', other))).toBe('403 operator_required');
    expect((await app.fetch('/api/v1/me', other)).body.data.user.operator).toBe(false);
  });

  it('is none through a proxy or by another name of the machine', async () => {
    const page = await pageOf(app, first, { direct: true });
    for (const headers of [{ 'x-forwarded-for': '198.51.100.7' }, { via: '1.1 proxy' }]) {
      const call = { ...page, headers: { ...page.headers, ...headers } };
      expect(outcomeOf(await app.fetch('/ops', call))).toBe('403 operator_required');
      expect((await app.fetch('/api/v1/me', call)).body.data.user.operator).toBe(false);
    }
  });
});
