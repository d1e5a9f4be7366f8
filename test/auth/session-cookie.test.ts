import { randomBytes } from 'node:crypto';
import { type DeclaredRoute, RouteDirectory } from '../../src/modules/auth/route-directory.js';
import { createToken } from '../../src/modules/auth/token-format.js';
import { RedisConnections } from '../../src/platform/redis/redis-connections.js';
import { as, expectStatus, Make, type Person, send } from '../support/make.js';
import { type Answer, type CallOptions, TEST_PASSWORD, useApp } from '../support/test-app.js';

const PUBLIC_URL = 'https://api.test';
const NAME = '__Host-svc_web';
const SIGN_IN = '/api/v1/auth/sign-in';
const SAME_ORIGIN = { 'x-service-session': 'cookie', 'sec-fetch-site': 'same-origin' };

const outcomeOf = (answer: Answer): string => `${answer.status} ${answer.body?.error?.code ?? ''}`.trim();

describe('a session in a cookie', () => {
  const app = useApp({ PUBLIC_URL, ANONYMOUS_CALLS_PER_SECOND: '1000' });
  const make = new Make(app);

  const signIn = async (person: Person, headers: Record<string, string> = {}): Promise<string> => {
    const answer = await app.post(
      SIGN_IN,
      { login: person.user.username, password: person.password },
      { headers: { ...SAME_ORIGIN, ...headers } },
    );
    return tokenIn(expectStatus(200, answer));
  };
  const page = (token: string, headers: Record<string, string> = {}): CallOptions => ({
    headers: { ...SAME_ORIGIN, cookie: `${NAME}=${token}`, ...headers },
  });

  describe('is set by', () => {
    it('sign-in, which then shows no token', async () => {
      const person = await make.person();
      const answer = expectStatus(
        200,
        await app.post(SIGN_IN, { login: person.user.username, password: person.password }, { headers: SAME_ORIGIN }),
      );
      expect(answer.body.data).toEqual({ user: person.user, organization: person.organization });
      expect(answer.text).not.toContain('svc_');
      expect(answer.headers.getSetCookie()).toEqual([
        expect.stringMatching(
          /^__Host-svc_web=svc_web_[0-9A-Za-z]{39}; Path=\/; HttpOnly; SameSite=Lax; Secure; Max-Age=2592000$/,
        ),
      ]);
      const me = expectStatus(200, await app.fetch('/api/v1/me', page(tokenIn(answer))));
      expect(me.body.data).toMatchObject({ user: person.user, credential: { type: 'session' } });
    });

    it('sign-up', async () => {
      const username = `page-${randomBytes(4).toString('hex')}`;
      const body = { username, email: `${username}@example.org`, password: TEST_PASSWORD };
      const answer = expectStatus(201, await app.post('/api/v1/auth/sign-up', body, { headers: SAME_ORIGIN }));
      expect(answer.body.data).not.toHaveProperty('session_token');
      expectStatus(200, await app.fetch('/api/v1/me', page(tokenIn(answer))));
    });

    it('a repeat of a sign-in with the same idempotency key', async () => {
      const person = await make.person();
      const body = { login: person.user.username, password: person.password };
      const from = '198.19.7.7';
      const key = { 'idempotency-key': 'sign-in-once' };
      const first = await app.post(SIGN_IN, body, { from, headers: { ...SAME_ORIGIN, ...key } });
      const again = await app.post(SIGN_IN, body, { from, headers: { ...SAME_ORIGIN, ...key } });
      expect(again.headers.get('idempotency-replayed')).toBe('true');
      expect([again.text.includes('svc_'), tokenIn(again)]).toEqual([false, tokenIn(first)]);
      const plain = await app.post(SIGN_IN, body, { from, headers: key });
      expect(outcomeOf(plain)).toBe('409 idempotency_mismatch');
    });

    it('no dry run, which signs nobody in', async () => {
      const person = await make.person();
      const answer = await app.post(
        SIGN_IN,
        { login: person.user.username, password: person.password },
        { headers: { ...SAME_ORIGIN, 'dry-run': 'true' } },
      );
      expect([expectStatus(200, answer).headers.getSetCookie(), answer.text.includes('svc_')]).toEqual([[], false]);
    });
  });

  describe('opens', () => {
    it('every route of keys and sessions, but not the current key and git', async () => {
      const token = await signIn(await make.person());
      const guarded = app
        .get(RouteDirectory)
        .list()
        .filter(({ rule, path }) => rule !== undefined && path.startsWith('/api/v1'));
      const refused = [];
      for (const route of guarded.filter(({ path }) => !/sign-out|auth\/password/.test(path))) {
        const outcome = outcomeOf(await ask(route, page(token)));
        if (/^401|^403 cross/.test(outcome)) refused.push(`${route.method} ${route.path}: ${outcome}`);
      }
      expect(refused.sort()).toEqual([
        'GET /api/v1/keys/current: 401 session_token_not_allowed',
        // It takes a password or a factor, which this body does not have.
        'POST /api/v1/auth/session/confirm: 401 invalid_credentials',
        'POST /api/v1/auth/session/rotate: 401 session_required',
      ]);
      const git = await app.fetch('/git/nobody/nothing.git/info/refs?service=git-upload-pack', page(token));
      expect(git.status).toBe(401);
      const password = Buffer.from(`x:${token}`).toString('base64');
      const basic = await app.fetch('/git/nobody/nothing.git/info/refs?service=git-upload-pack', {
        headers: { authorization: `Basic ${password}` },
      });
      expect(basic.status).toBe(401);
    });

    it('the organization in x-service-org with the rights of the role, and no other organization', async () => {
      const owner = await make.person();
      const viewer = await make.person();
      const org = await make.org(owner, { plan: 'builder' });
      await make.member(org, viewer, 'viewer');
      const token = await signIn(viewer);
      const inOrg = { 'x-service-org': org.slug };
      expectStatus(200, await app.fetch('/api/v1/projects', page(token, inOrg)));
      const project = await app.post('/api/v1/projects', { name: 'shop' }, page(token, inOrg));
      expect(outcomeOf(project)).toBe('403 insufficient_scopes');
      expectStatus(201, await app.post('/api/v1/projects', { name: 'shop' }, page(token)));
      const outsider = await make.org(await make.person());
      const foreign = await app.fetch('/api/v1/projects', page(token, { 'x-service-org': outsider.slug }));
      expect(outcomeOf(foreign)).toBe('403 org_access_denied');
    });

    it('what explain says that it opens', async () => {
      const token = await signIn(await make.person());
      const explained = async (method: string, path: string): Promise<unknown> =>
        expectStatus(200, await app.post('/api/v1/auth/explain', { method, path }, page(token))).body.data.allowed;
      expect(await explained('GET', '/api/v1/projects')).toBe(true);
      expect(await explained('GET', '/api/v1/keys/current')).toBe(false);
    });

    it('a budget of its own, and leaves the daily one to keys', async () => {
      const person = await make.person();
      const token = await signIn(person);
      await make.spend(person.organization.id, 5_000);
      const answer = expectStatus(200, await app.fetch('/api/v1/me', page(token)));
      expect([
        answer.headers.get('x-service-tier'),
        answer.headers.get('x-service-calls-limit'),
        answer.headers.get('x-service-calls-remaining'),
        answer.headers.get('ratelimit-policy'),
      ]).toEqual(['free', '5000', '0', '"burst";q=100;w=2, "daily";q=5000;w=86400']);
      // This is as if its calls of the next minute had all been made.
      const full = String((Date.now() + 60_000) * 1_000);
      await app.get(RedisConnections).fast().set(`limits:burst:page:${person.user.id}`, full, 'EX', 60);
      expect(outcomeOf(await app.fetch('/api/v1/me', page(token)))).toBe('429 burst_limit_exceeded');
      await make.spend(person.organization.id, 0);
      expectStatus(200, await app.fetch('/api/v1/me', as(person)));
    });
  });

  describe('is refused', () => {
    let person: Person;
    let token: string;
    beforeAll(async () => {
      person = await make.person();
      token = await signIn(person);
    });

    it.each<[string, Record<string, string>, string]>([
      [
        'a form of another site',
        { 'sec-fetch-site': 'cross-site', origin: 'https://evil.test' },
        '403 cross_site_request',
      ],
      [
        'a sibling subdomain',
        { 'sec-fetch-site': 'same-site', origin: 'https://shop.api.test' },
        '403 cross_site_request',
      ],
      ['an address that was typed in', { 'sec-fetch-site': 'none' }, '403 cross_site_request'],
      ['several values of the header', { 'sec-fetch-site': 'same-origin, cross-site' }, '403 cross_site_request'],
      ['an empty header', { 'sec-fetch-site': '' }, '403 cross_site_request'],
    ])('for %s', async (_what, headers, expected) => {
      expect(outcomeOf(await app.fetch('/api/v1/projects', page(token, headers)))).toBe(expected);
      expect(outcomeOf(await app.post('/api/v1/projects', { name: 'x' }, page(token, headers)))).toBe(expected);
      const body = { login: person.user.username, password: person.password };
      const signedIn = await app.post(SIGN_IN, body, { headers: { 'x-service-session': 'cookie', ...headers } });
      expect([outcomeOf(signedIn), signedIn.headers.getSetCookie()]).toEqual([expected, []]);
    });

    it('for a write without fetch metadata, unless it names our origin', async () => {
      const from = (headers: Record<string, string>): CallOptions => ({
        headers: { 'x-service-session': 'cookie', cookie: `${NAME}=${token}`, ...headers },
      });
      const write = async (headers: Record<string, string>): Promise<string> =>
        outcomeOf(await app.post('/api/v1/auth/explain', { method: 'GET', path: '/api/v1/me' }, from(headers)));
      expect(await write({})).toBe('403 cross_site_request');
      for (const origin of ['https://evil.test', 'null', 'http://api.test', 'https://api.test.evil.test'])
        expect([origin, await write({ origin })]).toEqual([origin, '403 cross_site_request']);
      expect(await write({ origin: PUBLIC_URL })).toBe('200');
      expectStatus(200, await app.fetch('/api/v1/me', from({})));
      expect(outcomeOf(await app.fetch('/api/v1/me', from({ origin: 'https://evil.test' })))).toBe(
        '403 cross_site_request',
      );
    });

    it('without the header, also as a plain login cookie', async () => {
      for (const headers of [{ cookie: `${NAME}=${token}` }, { cookie: `svc_web=${token}` }]) {
        const answer = await app.fetch('/api/v1/projects', {
          headers: { 'sec-fetch-site': 'same-origin', ...headers },
        });
        expect(outcomeOf(answer)).toBe('401 session_token_not_allowed');
      }
    });

    it('in Authorization and X-API-Key, also where a session token is taken', async () => {
      for (const path of ['/api/v1/projects', '/api/v1/me', '/api/v1/auth/sessions']) {
        expect(outcomeOf(await app.fetch(path, as(token)))).toBe('401 session_token_not_allowed');
        expect(outcomeOf(await app.fetch(path, { headers: { 'x-api-key': token } }))).toBe(
          '401 session_token_not_allowed',
        );
      }
      // A public route takes such a caller for nobody.
      const plans = expectStatus(200, await app.fetch('/api/v1/billing/plans', as(token)));
      expect(plans.headers.get('x-service-tier')).toBe('anonymous');
    });

    it('beside another credential', async () => {
      const key = await make.key(person);
      for (const headers of [{ authorization: `Bearer ${key}` }, { 'x-api-key': key }])
        expect(outcomeOf(await app.fetch('/api/v1/me', page(token, headers)))).toBe('400 conflicting_credentials');
    });

    it('when a hosted app has tossed a cookie beside ours', async () => {
      const theirs = await signIn(await make.person());
      const cookie = `${NAME}=${theirs}; ${NAME}=${token}`;
      const answer = await app.fetch('/api/v1/me', page(token, { cookie }));
      expect(outcomeOf(answer)).toBe('400 conflicting_credentials');
      // Without the prefix, which only this host can set, a cookie is none of ours.
      const unprefixed = await app.fetch('/api/v1/me', page(token, { cookie: `svc_web=${theirs}` }));
      expect(outcomeOf(unprefixed)).toBe('401 session_required');
    });

    it('when it is missing, made up, or the token of another kind', async () => {
      const made = createToken('web', randomBytes(24));
      const key = await make.key(person);
      for (const [cookie, expected] of [
        ['', '401 session_required'],
        [`${NAME}=`, '401 session_required'],
        [`x${NAME}=${token}`, '401 session_required'],
        [`${NAME}=${made}`, '401 invalid_session'],
        [`${NAME}=${person.sessionToken}`, '401 invalid_session'],
        [`${NAME}=${key}`, '401 invalid_session'],
        [`${NAME}=${token}x`, '401 invalid_session'],
      ] as const) {
        const answer = await app.fetch('/api/v1/projects', page(token, { cookie }));
        expect([cookie.replace(/svc_\w+/, '…'), outcomeOf(answer)]).toEqual([cookie.replace(/svc_\w+/, '…'), expected]);
      }
    });

    it('never by permission of CORS', async () => {
      const preflight = await app.call('OPTIONS', '/api/v1/projects', {
        headers: {
          origin: 'https://shop.api.test',
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'x-service-session',
        },
      });
      expect(preflight.headers.get('access-control-allow-credentials')).toBeNull();
      expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
    });
  });

  describe('ends', () => {
    it('with signing out, which clears the cookie; a replay is refused', async () => {
      const token = await signIn(await make.person());
      const answer = expectStatus(204, await app.call('POST', '/api/v1/auth/sign-out', page(token)));
      expect(answer.headers.getSetCookie()).toEqual([`${NAME}=; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=0`]);
      expect(answer.headers.get('clear-site-data')).toBe('"storage"');
      expect(outcomeOf(await app.fetch('/api/v1/me', page(token)))).toBe('401 invalid_session');
      expect(outcomeOf(await app.call('POST', '/api/v1/auth/sign-out', page(token)))).toBe('401 invalid_session');
    });

    it('when the password is changed elsewhere, except for the page that changed it', async () => {
      const person = await make.person();
      const [own, other] = [await signIn(person), await signIn(person)];
      expectStatus(
        200,
        await send(
          app,
          ['PUT', '/api/v1/auth/password'],
          { current_password: person.password, new_password: 'another-long-secret-9' },
          page(own),
        ),
      );
      expectStatus(200, await app.fetch('/api/v1/me', page(own)));
      expect(outcomeOf(await app.fetch('/api/v1/me', page(other)))).toBe('401 invalid_session');
      expect(outcomeOf(await app.fetch('/api/v1/me', as(person)))).toBe('401 invalid_session');
    });

    it('never into the account of an attacker: signing in takes no token from the caller', async () => {
      const [victim, attacker] = [await make.person(), await make.person()];
      const planted = await signIn(attacker);
      const fresh = await signIn(victim, { cookie: `${NAME}=${planted}` });
      expect(fresh).not.toBe(planted);
      const me = async (token: string): Promise<string> =>
        expectStatus(200, await app.fetch('/api/v1/me', page(token))).body.data.user.username as string;
      expect([await me(fresh), await me(planted)]).toEqual([victim.user.username, attacker.user.username]);
    });

    it('thirty days after its last use: a use on a later day prolongs it and sends the cookie again', async () => {
      const person = await make.person();
      const newest = async (): Promise<{ id: string; expires_at: Date }> => {
        const sql = 'SELECT id, expires_at FROM sessions WHERE user_id = $1 ORDER BY created_at DESC LIMIT 1';
        const [session] = await make.sql<{ id: string; expires_at: Date }>(sql, [person.user.id]);
        return session!;
      };
      // Nothing remembers a session before its first use.
      const token = await signIn(person);
      const { id, expires_at: first } = await newest();
      await make.sql("UPDATE sessions SET expires_at = expires_at - interval '2 days' WHERE id = $1", [id]);
      expect(tokenIn(expectStatus(200, await app.fetch('/api/v1/me', page(token))))).toBe(token);
      expect((await newest()).expires_at.getTime()).toBeGreaterThanOrEqual(first.getTime());

      const ended = await signIn(person);
      await make.sql("UPDATE sessions SET expires_at = now() - interval '1 second' WHERE id = $1", [
        (await newest()).id,
      ]);
      expect(outcomeOf(await app.fetch('/api/v1/me', page(ended)))).toBe('401 invalid_session');
    });
  });

  const ask = ({ method, path }: DeclaredRoute, options: CallOptions): Promise<Answer> => {
    const target = path.replace(/:\w+/g, 'abc_00000000000000000000000000');
    return method === 'GET' || method === 'HEAD' || method === 'DELETE'
      ? app.call(method, target, options)
      : send(app, [method, target], {}, options);
  };
});

describe('a session in a cookie of a service without TLS', () => {
  const app = useApp({ PUBLIC_URL: 'http://lan.test:3000' }, 'api');
  const make = new Make(app);

  it('has a cookie without the prefix and Secure, and writes name their origin', async () => {
    const person = await make.person();
    const headers = { 'x-service-session': 'cookie', origin: 'http://lan.test:3000' };
    const body = { login: person.user.username, password: person.password };
    const answer = expectStatus(200, await app.post(SIGN_IN, body, { headers }));
    const [cookie] = answer.headers.getSetCookie();
    expect(cookie).toMatch(/^svc_web=svc_web_\w{39}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=2592000$/);
    const call = { headers: { ...headers, cookie: `svc_web=${tokenIn(answer)}` } };
    expectStatus(201, await app.post('/api/v1/projects', { name: 'shop' }, call));
  });
});

function tokenIn(answer: Answer): string {
  return /^(?:__Host-)?svc_web=(svc_web_\w+);/.exec(answer.headers.getSetCookie()[0] ?? '')![1]!;
}
