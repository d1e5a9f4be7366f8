import { randomBytes } from 'node:crypto';
import { DataSource } from 'typeorm';
import { KeyUsage } from '../../src/modules/auth/keys/key-usage.js';
import { createToken, tokenKindOf } from '../../src/modules/auth/token-format.js';
import { Make, type Person } from '../support/make.js';
import { type Answer, type TestApp, useApp } from '../support/test-app.js';

const unknownKey = (): string => createToken('pat', randomBytes(24));
const bearer = (token: string): { headers: Record<string, string> } => ({
  headers: { authorization: `Bearer ${token}` },
});

describe('API keys', () => {
  const app = useApp({}, 'api');
  const make = new Make(app);
  let ada: Person;

  beforeAll(async () => {
    ada = await make.person({ plan: 'enterprise' });
  });

  const mint = (body: object, token = ada.sessionToken): Promise<Answer> =>
    app.post('/api/v1/keys', body, bearer(token));
  const me = (token: string, on: TestApp = app): Promise<Answer> => on.fetch('/api/v1/me', bearer(token));
  const codeOf = (answer: Answer): [number, string] => [answer.status, answer.body.error?.code];

  it('are created with a secret that is returned once', async () => {
    const minted = await mint({ name: 'ci', scopes: ['projects:read', 'deploys:*'], expires_in_days: 30 });
    expect(minted.status).toBe(201);
    const { secret, ...shown } = minted.body.data;
    expect(tokenKindOf(secret)).toBe('pat');
    expect(shown).toMatchObject({
      kind: 'personal',
      name: 'ci',
      scopes: ['projects:read', 'deploys:*'],
      prefix: 'svc_pat_',
      last4: secret.slice(-4),
      status: 'active',
    });

    const read = await app.fetch(`/api/v1/keys/${shown.id}`, bearer(ada.sessionToken));
    expect(read.body.data).toEqual(shown);
    expect((await app.fetch('/api/v1/keys/current', bearer(secret))).body.data).toEqual(
      expect.objectContaining({ id: shown.id }),
    );
    expect((await me(secret)).body.data).toMatchObject({
      user: { username: ada.user.username },
      organization: { id: ada.organization.id, plan: 'enterprise', role: 'owner' },
      credential: { type: 'api_key', key: { id: shown.id, kind: 'personal' } },
      scopes: ['projects:read', 'deploys:read', 'deploys:write', 'deploys:production'],
    });
  });

  it('are accepted in X-API-Key, and in two headers only when they agree', async () => {
    const { secret } = (await mint({ name: 'alias' })).body.data;
    expect((await app.fetch('/api/v1/me', { headers: { 'x-api-key': secret } })).status).toBe(200);
    expect(
      (await app.fetch('/api/v1/me', { headers: { 'x-api-key': secret, authorization: `bearer  ${secret}` } })).status,
    ).toBe(200);
    expect(
      codeOf(
        await app.fetch('/api/v1/me', {
          headers: { 'x-api-key': secret, authorization: `Bearer ${ada.sessionToken}` },
        }),
      ),
    ).toEqual([400, 'conflicting_credentials']);
    expect(
      (await app.fetch('/api/v1/billing/plans', { headers: { 'x-api-key': secret } })).headers.get('x-service-tier'),
    ).toBe('enterprise');
  });

  describe('rejected API keys (401)', () => {
    it('return different codes: missing, malformed, unknown, expired, revoked, rotated', async () => {
      expect(codeOf(await app.fetch('/api/v1/me'))).toEqual([401, 'missing_api_key']);
      expect(codeOf(await app.fetch('/api/v1/me?api_key=svc_pat_x'))).toEqual([401, 'missing_api_key']);
      const { id, secret } = (await mint({ name: 'short-lived' })).body.data;
      const wrong = secret.slice(0, -1) + (secret.endsWith('0') ? '1' : '0');
      expect(codeOf(await me(wrong))).toEqual([401, 'malformed_api_key']);
      for (const scheme of ['Basic dXNlcjpwYXNz', secret, 'Bearer', 'Bearer nonsense']) {
        expect(codeOf(await app.fetch('/api/v1/me', { headers: { authorization: scheme } }))[0]).toBe(
          scheme === secret ? 200 : 401,
        );
      }
      expect(codeOf(await me(unknownKey()))).toEqual([401, 'invalid_api_key']);

      const rotated = (await app.post(`/api/v1/keys/${id}/rotate`, {}, bearer(ada.sessionToken))).body.data;
      expect(rotated.id).toBe(id);
      expect(codeOf(await me(secret))).toEqual([401, 'rotated_api_key']);
      expect((await me(rotated.secret)).status).toBe(200);

      await app
        .get(DataSource)
        .query(`UPDATE api_keys SET expires_at = now() - interval '1 second' WHERE id = $1`, [id]);
      await app.get(DataSource).query('UPDATE users SET auth_epoch = auth_epoch + 1 WHERE id = $1', [ada.user.id]);
      await app.restart();
      expect(codeOf(await me(rotated.secret))).toEqual([401, 'expired_api_key']);

      expect((await app.call('DELETE', `/api/v1/keys/${id}`, bearer(ada.sessionToken))).status).toBe(204);
      expect(codeOf(await me(rotated.secret))).toEqual([401, 'revoked_api_key']);
    });

    it('rejects session tokens, cookies and JWTs with a hint where to create a key', async () => {
      const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl';
      for (const headers of [
        { authorization: `Bearer ${ada.sessionToken}` },
        { authorization: `Bearer ${jwt}` },
        { cookie: 'theme=dark; session_id=1' },
      ]) {
        const answer = await app.fetch('/api/v1/keys/current', { headers });
        expect(codeOf(answer)).toEqual([401, 'session_token_not_allowed']);
        expect(answer.body.error.hint).toContain('/api/v1/keys');
      }
      expect(codeOf(await app.fetch('/api/v1/keys/current', { headers: { cookie: 'theme=dark' } }))).toEqual([
        401,
        'missing_api_key',
      ]);
    });

    it('return 429 above a hundred unknown keys a minute from one address, while valid keys work', async () => {
      const from = '198.19.77.7';
      const known = (await mint({ name: 'neighbour' })).body.data.secret;
      expect((await app.fetch('/api/v1/me', { ...bearer(known), from })).status).toBe(200);
      const answers = await Promise.all(
        Array.from({ length: 130 }, () => app.fetch('/api/v1/me', { ...bearer(unknownKey()), from })),
      );
      expect(answers.filter(({ status }) => status === 401).length).toBeGreaterThanOrEqual(100);
      expect(answers.filter(({ status }) => status !== 401).map(({ status }) => status)).toEqual(
        answers.filter(({ status }) => status !== 401).map(() => 429),
      );
      const refused = await app.fetch('/api/v1/me', { ...bearer(unknownKey()), from });
      expect(codeOf(refused)).toEqual([429, 'burst_limit_exceeded']);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      expect((await app.fetch('/api/v1/me', { ...bearer(known), from })).status).toBe(200);
      expect(codeOf(await app.fetch('/api/v1/me', bearer(unknownKey())))).toEqual([401, 'invalid_api_key']);
    });

    it('count against no budget, return the budget headers, and never echo the key', async () => {
      const from = '198.18.200.1';
      for (const token of [unknownKey(), 'svc_pat_x', ada.sessionToken]) {
        const answer = await app.fetch('/api/v1/keys/current', { ...bearer(token), from });
        expect(answer.status).toBe(401);
        expect(answer.headers.get('x-service-calls-remaining')).toBe('1000');
        expect(answer.text).not.toContain(token);
        expect(answer.headers.get('www-authenticate')).toBe('Bearer');
      }
    });
  });

  it('stop working on the next request on every instance when revoked, narrowed or rotated', async () => {
    const other = await app.another();
    try {
      const { id, secret } = (await mint({ name: 'two instances', scopes: ['orgs:read', 'keys:read'] })).body.data;
      const lists = (on: TestApp): Promise<Answer> => on.fetch('/api/v1/keys', bearer(secret));
      for (const instance of [app, other]) expect((await lists(instance)).status).toBe(200);

      await app.call('PATCH', `/api/v1/keys/${id}`, {
        headers: { ...bearer(ada.sessionToken).headers, 'content-type': 'application/json' },
        body: '{"scopes":["orgs:read"]}',
      });
      for (const instance of [other, app]) expect(codeOf(await lists(instance))).toEqual([403, 'insufficient_scopes']);

      await app.call('DELETE', `/api/v1/keys/${id}`, bearer(ada.sessionToken));
      for (const instance of [other, app]) expect(codeOf(await lists(instance))).toEqual([401, 'revoked_api_key']);
    } finally {
      await other.stop();
    }
  });

  it('work with the old secret during the grace period of a rotation', async () => {
    const { id, secret } = (await mint({ name: 'grace' })).body.data;
    const { secret: second } = (
      await app.post(`/api/v1/keys/${id}/rotate`, { grace_seconds: 600 }, bearer(ada.sessionToken))
    ).body.data;
    for (const token of [secret, second]) expect((await me(token)).status).toBe(200);
    // A later rotation shortens what an earlier one gave.
    const { secret: third } = (await app.post(`/api/v1/keys/${id}/rotate`, {}, bearer(ada.sessionToken))).body.data;
    expect([codeOf(await me(secret)), codeOf(await me(second)), (await me(third)).status]).toEqual([
      [401, 'rotated_api_key'],
      [401, 'rotated_api_key'],
      200,
    ]);
    expect(
      (await app.post(`/api/v1/keys/${id}/rotate`, { grace_seconds: 604_801 }, bearer(ada.sessionToken))).status,
    ).toBe(400);
  });

  it('cannot revoke, change or rotate a key with more access, but can revoke themselves', async () => {
    const bounds = {
      name: 'narrow',
      scopes: ['keys:*', 'projects:read'],
      allowed_ips: ['198.18.0.0/15'],
      expires_in_days: 1,
    };
    const narrow = (await mint(bounds)).body.data;
    const by = bearer(narrow.secret);
    // Each is wider in one respect only.
    const wider: object[] = [{ scopes: ['projects:write'] }, { allowed_ips: [] }, { expires_in_days: 2 }];
    for (const difference of wider) {
      const { id, secret } = (await mint({ ...bounds, ...difference })).body.data;
      const answers = [
        await app.call('DELETE', `/api/v1/keys/${id}`, by),
        await app.call('PATCH', `/api/v1/keys/${id}`, {
          headers: { ...by.headers, 'content-type': 'application/json' },
          body: '{"name":"mine"}',
        }),
        await app.post(`/api/v1/keys/${id}/rotate`, {}, by),
      ];
      expect([difference, answers.map(codeOf)]).toEqual([difference, answers.map(() => [403, 'insufficient_scopes'])]);
      expect((await me(secret)).status).toBe(200);
    }
    const { id } = (
      await mint({
        ...bounds,
        scopes: ['projects:read'],
        expires_in_days: undefined,
        expires_at: new Date(Date.now() + 3_600_000).toISOString(),
      })
    ).body.data;
    expect((await app.call('DELETE', `/api/v1/keys/${id}`, by)).status).toBe(204);
    expect((await app.call('DELETE', `/api/v1/keys/${narrow.id}`, by)).status).toBe(204);
    expect(codeOf(await me(narrow.secret))).toEqual([401, 'revoked_api_key']);
  });

  it('cannot create, widen or renew a key with more access', async () => {
    const narrow = (
      await mint({
        name: 'narrow',
        scopes: ['keys:*', 'projects:read'],
        allowed_ips: ['198.18.0.0/15'],
        expires_in_days: 1,
      })
    ).body.data;
    const wide = (await mint({ name: 'wide' })).body.data;
    const by = bearer(narrow.secret);
    const same = {
      name: 'child',
      scopes: ['projects:read'],
      allowed_ips: ['198.18.0.0/16'],
      expires_at: new Date(Date.now() + 3_600_000).toISOString(),
    };
    const codes = async (answers: Promise<Answer>[]): Promise<unknown[]> => (await Promise.all(answers)).map(codeOf);
    expect((await app.post('/api/v1/keys', same, by)).status).toBe(201);
    expect(
      await codes([
        app.post('/api/v1/keys', { ...same, scopes: ['projects:write'] }, by),
        app.post('/api/v1/keys', { ...same, scopes: ['*'] }, by),
        app.post('/api/v1/keys', { ...same, allowed_ips: [] }, by),
        app.post('/api/v1/keys', { ...same, allowed_ips: ['0.0.0.0/0'] }, by),
        app.post('/api/v1/keys', { ...same, expires_at: new Date(Date.now() + 5 * 86_400_000).toISOString() }, by),
        app.post(`/api/v1/keys/${wide.id}/rotate`, {}, by),
      ]),
    ).toEqual(Array(6).fill([403, 'insufficient_scopes']));
    const widened = await app.call('PATCH', `/api/v1/keys/${narrow.id}`, {
      headers: { ...by.headers, 'content-type': 'application/json' },
      body: '{"scopes":["*"]}',
    });
    expect(codeOf(widened)).toEqual([403, 'insufficient_scopes']);
  });

  it('work only from their allowed addresses', async () => {
    const { secret } = (await mint({ name: 'office', allowed_ips: ['203.0.113.0/24', '2001:db8::/32'] })).body.data;
    expect((await app.fetch('/api/v1/me', { ...bearer(secret), from: '203.0.113.9' })).status).toBe(200);
    expect((await app.fetch('/api/v1/me', { ...bearer(secret), from: '2001:db8:1::1' })).status).toBe(200);
    const refused = await app.fetch('/api/v1/me', { ...bearer(secret), from: '203.0.114.9' });
    expect(codeOf(refused)).toEqual([403, 'ip_not_allowed']);
    expect(refused.body.error.details).toEqual({ ip: '203.0.114.9' });
    // Where anybody may call, it spends the calls of its organization from nowhere else either.
    const tierAt = async (from: string): Promise<string | null> =>
      (await app.fetch('/api/v1/billing/plans', { ...bearer(secret), from })).headers.get('x-service-tier');
    expect([await tierAt('203.0.113.9'), await tierAt('203.0.114.9')]).toEqual(['enterprise', 'anonymous']);

    const { id } = (await app.fetch('/api/v1/keys', bearer(ada.sessionToken))).body.data[0];
    await app.call('PATCH', `/api/v1/keys/${id}`, {
      headers: { ...bearer(ada.sessionToken).headers, 'content-type': 'application/json' },
      body: '{"allowed_ips":["203.0.114.9"]}',
    });
    expect([
      (await app.fetch('/api/v1/me', { ...bearer(secret), from: '203.0.114.9' })).status,
      (await app.fetch('/api/v1/me', { ...bearer(secret), from: '203.0.113.9' })).status,
    ]).toEqual([200, 403]);
  });

  it('return the same error for another organization, whether or not it exists', async () => {
    const acme = await make.org(ada);
    const { secret } = (await mint({ name: 'bound', kind: 'org_bound', org_id: acme.slug })).body.data;
    expect(tokenKindOf(secret)).toBe('org');
    expect((await me(secret)).body.data.organization.id).toBe(acme.id);
    for (const named of [ada.organization.id, 'no-such-organization']) {
      const answer = await app.fetch('/api/v1/me', { headers: { ...bearer(secret).headers, 'x-service-org': named } });
      expect(codeOf(answer)).toEqual([403, 'key_org_mismatch']);
      expect(answer.body.error.details).toEqual({ key_kind: 'org_bound', key_org: acme.id, requested_org: named });
    }
  });

  it('bound to an organization can be listed and revoked by its admins, but not changed or rotated', async () => {
    const acme = await make.org(ada);
    const admin = await make.person();
    await make.member(acme, admin, 'admin');
    const { id, secret } = (
      await mint({ name: 'of the owner', kind: 'org_bound', org_id: acme.id, scopes: ['projects:read'] })
    ).body.data;
    const by = { headers: { ...bearer(admin.sessionToken).headers, 'content-type': 'application/json' } };
    expect((await app.fetch(`/api/v1/keys/${id}`, by)).status).toBe(200);
    const rotated = await app.post(`/api/v1/keys/${id}/rotate`, {}, by);
    expect([codeOf(rotated), rotated.text.includes('svc_org_')]).toEqual([[403, 'insufficient_scopes'], false]);
    expect(codeOf(await app.call('PATCH', `/api/v1/keys/${id}`, { ...by, body: '{"scopes":["*"]}' }))).toEqual([
      403,
      'insufficient_scopes',
    ]);
    expect((await me(secret)).body.data.scopes).toEqual(['projects:read']);
    expect((await app.call('DELETE', `/api/v1/keys/${id}`, by)).status).toBe(204);
    expect(codeOf(await me(secret))).toEqual([401, 'revoked_api_key']);
  });

  it('of selected organizations reach only those, and personal keys reach all of their owner', async () => {
    const [one, two] = [await make.org(ada), await make.org(ada)];
    const { secret } = (await mint({ name: 'select', kind: 'select_orgs', org_ids: [one.id] })).body.data;
    const { secret: personal } = (await mint({ name: 'personal' })).body.data;
    const inOrg = (token: string, org: string): Promise<Answer> =>
      app.fetch('/api/v1/me', { headers: { ...bearer(token).headers, 'x-service-org': org } });
    expect((await inOrg(secret, one.slug)).status).toBe(200);
    expect(codeOf(await inOrg(secret, two.slug))).toEqual([403, 'org_access_denied']);
    for (const org of [one.id, two.slug])
      expect((await inOrg(personal, org)).body.data.organization.role).toBe('owner');
    // The answer for an organization of other users equals the one for a missing organization, to the byte.
    const outsider = await make.person();
    const bytes = async (org: string): Promise<string> =>
      (await inOrg(personal, org)).text.replace(org, '…').replace(/req_\w+/, '…');
    expect(await bytes(outsider.organization.id)).toBe(await bytes('org_00000000000000000000000000'));
  });

  it('of another person return the same 404 as missing ones', async () => {
    const outsider = await make.person();
    const { id } = (await mint({ name: 'mine' })).body.data;
    for (const [method, path, body] of [
      ['GET', '', undefined],
      ['PATCH', '', '{"name":"x"}'],
      ['DELETE', '', undefined],
      ['POST', '/rotate', '{}'],
    ] as const) {
      const ask = async (key: string): Promise<string> =>
        (
          await app.call(method, `/api/v1/keys/${key}${path}`, {
            headers: { ...bearer(outsider.sessionToken).headers, 'content-type': 'application/json' },
            ...(body === undefined ? {} : { body }),
          })
        ).text.replace(/req_\w+/, '…');
      expect(await ask(id)).toContain('api_key_not_found');
      expect(await ask(id)).toBe(await ask('key_00000000000000000000000000'));
    }
    expect((await app.fetch('/api/v1/keys?limit=100', bearer(outsider.sessionToken))).body.data).toEqual([]);
  });

  it('are listed newest first, in pages', async () => {
    const person = await make.person();
    for (const name of ['a', 'b', 'c']) await mint({ name }, person.sessionToken);
    const first = await app.fetch('/api/v1/keys?limit=2', bearer(person.sessionToken));
    expect(first.body.data.map(({ name }: { name: string }) => name)).toEqual(['c', 'b']);
    expect(first.body.meta).toMatchObject({ has_more: true, next_cursor: expect.any(String) });
    const second = await app.fetch(
      `/api/v1/keys?limit=2&cursor=${first.body.meta.next_cursor}`,
      bearer(person.sessionToken),
    );
    expect(second.body.data.map(({ name }: { name: string }) => name)).toEqual(['a']);
    expect(second.body.meta.has_more).toBe(false);
    for (const query of ['limit=0', 'limit=101', 'cursor=nonsense', 'sort=name']) {
      expect((await app.fetch(`/api/v1/keys?${query}`, bearer(person.sessionToken))).status).toBe(400);
    }
  });

  it('report when and from where they were last used', async () => {
    const { id, secret } = (await mint({ name: 'used' })).body.data;
    await app.fetch('/api/v1/me', { ...bearer(secret), from: '198.18.7.7' });
    await app.get(KeyUsage).run();
    expect((await app.fetch(`/api/v1/keys/${id}`, bearer(ada.sessionToken))).body.data).toMatchObject({
      last_used_at: expect.any(String),
      last_used_ip: '198.18.7.7',
    });
  });

  it.each([
    [{}, 'name'],
    [{ name: '' }, 'name'],
    [{ name: '\u001b[2J' }, 'name'],
    [{ name: 'a\0b' }, 'name'],
    [{ name: 'x', scopes: [] }, 'scopes'],
    [{ name: 'x', scopes: ['projects:fly'] }, 'scopes'],
    [{ name: 'x', scopes: ['*'], preset: 'full' }, 'preset'],
    [{ name: 'x', kind: 'org_bound' }, 'org_id'],
    [{ name: 'x', kind: 'select_orgs' }, 'org_ids'],
    [{ name: 'x', org_id: 'acme' }, 'org_id'],
    [{ name: 'x', allowed_ips: ['everywhere'] }, 'allowed_ips'],
    [{ name: 'x', expires_at: 'tomorrow' }, 'expires_at'],
    [{ name: 'x', expires_at: '2020-01-01T00:00:00Z' }, 'expires_at'],
    [{ name: 'x', expires_in_days: 0 }, 'expires_in_days'],
    [{ name: 'x', surprise: 1 }, 'surprise'],
  ])('return 400 for %j', async (body, path) => {
    const answer = await mint(body);
    expect(answer.status).toBe(400);
    expect(answer.body.error.details.map((fault: { path: string }) => fault.path)).toContain(path);
  });

  it('are stored only as hashes', async () => {
    const { secret } = (await mint({ name: 'hashed' })).body.data;
    const rows: object[] = await app.get(DataSource).query(
      `SELECT k::text AS key, encode(s.hash, 'escape') AS hash, s::text AS row
          FROM api_key_secrets s JOIN api_keys k ON k.id = s.key_id`,
    );
    expect(JSON.stringify(rows)).not.toContain(secret.slice(8, -6));
    expect(JSON.stringify(app.log())).not.toContain(secret.slice(8, -6));
  });
});
