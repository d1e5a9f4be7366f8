import { as, expectStatus, Make, type Person, send } from '../support/make.js';
import { mailTo } from '../support/mailbox.js';
import { eventually, useApp } from '../support/test-app.js';

describe('GET /api/v1/orgs/:org_id/audit-log', () => {
  const app = useApp();
  const make = new Make(app);
  const logOf = async (org: string, person: Person, query = ''): Promise<{ data: any[]; meta: any }> =>
    expectStatus(200, await app.fetch(`/api/v1/orgs/${org}/audit-log${query}`, as(person))).body as {
      data: any[];
      meta: any;
    };

  it('lists actions with actor, address and request, the latest first', async () => {
    const [ada, grace] = [await make.person(), await make.person()];
    const org = await make.org(ada);
    const members = `/api/v1/orgs/${org.id}/members`;
    await app.post(
      members,
      { email: grace.user.email, role: 'viewer' },
      as(ada, { from: '198.18.7.7', headers: { 'x-request-id': 'the-invitation' } }),
    );
    const { token } = await mailTo(app, grace.user.email, 'invites');
    expectStatus(200, await app.post('/api/v1/invitations/accept', { token }, as(grace)));
    expectStatus(200, await send(app, ['PATCH', `${members}/${grace.user.id}`], { role: 'member' }, as(ada)));
    expectStatus(200, await send(app, ['PATCH', `/api/v1/orgs/${org.id}`], { name: 'New' }, as(ada)));
    expectStatus(204, await app.call('DELETE', `${members}/${grace.user.id}`, as(ada)));

    const { data } = await logOf(org.id, ada);
    expect(data.map(({ action }) => action as string)).toEqual([
      'member.removed',
      'org.renamed',
      'member.role_changed',
      'member.joined',
      'member.invited',
      'org.created',
    ]);
    expect(data[4]).toEqual({
      id: expect.stringMatching(/^aud_/),
      at: expect.stringMatching(/Z$/),
      action: 'member.invited',
      actor: { user_id: ada.user.id, username: ada.user.username },
      target: { type: 'invitation', id: expect.stringMatching(/^inv_/) },
      ip: '198.18.7.7',
      request_id: 'the-invitation',
      details: { role: 'viewer' },
    });
    expect(data[3].actor.user_id).toBe(grace.user.id);
    expect(data[2].details).toEqual({ before: 'viewer', after: 'member' });
    expect(JSON.stringify(data)).not.toMatch(/@|svc_/);
  });

  it("lists account events in the person's own organization", async () => {
    const ada = await make.person();
    const { token } = await mailTo(app, ada.user.email, 'Verify');
    expectStatus(200, await app.post('/api/v1/auth/verify-email', { token }));
    expectStatus(
      200,
      await send(
        app,
        ['PUT', '/api/v1/auth/password'],
        { current_password: ada.password, new_password: 'another long secret' },
        as(ada),
      ),
    );
    expectStatus(
      200,
      await app.post('/api/v1/auth/sign-in', { login: ada.user.username, password: 'another long secret' }),
    );
    const { data } = await logOf(ada.organization.slug, ada);
    expect(data.map(({ action }) => action as string)).toEqual([
      'session.started',
      'password.changed',
      'email.verified',
      'session.started',
      'person.signed_up',
    ]);
  });

  it('lists refused sign-ins of an account with their address, at most 20 an hour, and none that opened', async () => {
    const ada = await make.person();
    const from = '198.18.9.9';
    const refused = async (): Promise<any[]> => {
      const { data } = await logOf(ada.organization.slug, ada, '?limit=100');
      return data.filter(({ action }) => action === 'session.refused');
    };
    const attempt = async (login: string, password: string, address = from): Promise<number> =>
      (await app.post('/api/v1/auth/sign-in', { login, password }, { from: address })).status;
    expect(await attempt(ada.user.username, 'not the password')).toBe(401);
    expect(await attempt(`${ada.user.username}x`, 'not the password')).toBe(401);
    expect(await attempt(ada.user.username, ada.password)).toBe(200);
    await eventually(async () => (await refused()).length > 0, 'the attempt is in the log');
    expect(await refused()).toEqual([
      expect.objectContaining({
        actor: {},
        target: { type: 'user', id: ada.user.id },
        ip: from,
        details: { method: 'password' },
      }),
    ]);
    for (let at = 0; at < 25; at++) expect(await attempt(ada.user.username, 'wrong', `198.18.10.${at}`)).toBe(401);
    await eventually(async () => (await refused()).length === 20, 'as many as allowed are in the log');
  });

  it('returns pages', async () => {
    const ada = await make.person();
    const org = await make.org(ada);
    for (const name of ['b', 'c', 'd', 'e'])
      expectStatus(200, await send(app, ['PATCH', `/api/v1/orgs/${org.id}`], { name }, as(ada)));
    const first = await logOf(org.id, ada, '?limit=3');
    const second = await logOf(org.id, ada, `?limit=3&cursor=${first.meta.next_cursor}`);
    expect([first.data.length, first.meta.has_more, second.data.length, second.meta.has_more]).toEqual([
      3,
      true,
      2,
      false,
    ]);
    expect(new Set([...first.data, ...second.data].map(({ id }) => id as string)).size).toBe(5);
  });

  it('requires the role owner or admin', async () => {
    const [ada, member, viewer] = [await make.person(), await make.person(), await make.person()];
    const org = await make.org(ada);
    await make.member(org, member, 'member');
    await make.member(org, viewer, 'viewer');
    for (const person of [member, viewer]) {
      const answer = await app.fetch(`/api/v1/orgs/${org.id}/audit-log`, as(person));
      expect([answer.status, answer.body.error.code]).toEqual([403, 'insufficient_scopes']);
    }
  });

  it('does not list refused requests', async () => {
    const ada = await make.person();
    const org = await make.org(ada);
    expectStatus(409, await app.call('DELETE', `/api/v1/orgs/${org.id}/members/${ada.user.id}`, as(ada)));
    expect((await logOf(org.id, ada)).data).toHaveLength(1);
  });

  it.each([
    ["UPDATE audit_log SET action = 'org.forged'"],
    ['DELETE FROM audit_log'],
    ['TRUNCATE audit_log'],
    ["UPDATE audit_log SET action = 'org.forged' WHERE false"],
  ])('is immutable: %s', async (statement) => {
    await make.person();
    await expect(make.sql(statement)).rejects.toThrow('append-only');
  });

  describe('/export', () => {
    const exported = (org: string, person: Person | string, query = ''): ReturnType<typeof app.fetch> =>
      app.fetch(`/api/v1/orgs/${org}/audit-log/export${query}`, as(person));
    const linesOf = ({ text }: { text: string }): any[] =>
      text
        .trimEnd()
        .split('\n')
        .map((line): unknown => JSON.parse(line));

    it('streams what the list has, oldest first, and says how much that was', async () => {
      const ada = await make.person();
      const org = await make.org(ada);
      await make.sql(
        `INSERT INTO audit_log (id, org_id, action, target_type, target_id, details, at)
          SELECT 'aud_7' || lpad(n::text, 25, '0'), $1, 'test.done', 'test', n::text, '{}', '2099-01-01Z'::timestamptz
            + n * interval '1 minute' FROM generate_series(1, 1200) n`,
        [org.id],
      );
      const answer = expectStatus(200, await exported(org.id, ada));
      expect(answer.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
      const lines = linesOf(answer);
      expect(lines.at(-1)).toEqual({ end: { entries: 1_201 } });
      expect(lines.slice(1, -1).map(({ target }) => Number(target.id))).toEqual(
        Array.from({ length: 1_200 }, (_, index) => index + 1),
      );
      expect(lines[0]).toMatchObject({ action: 'org.created', actor: { username: ada.user.username } });

      const period = '?from=2099-01-01T00:10:00Z&to=2099-01-01T00:12:00Z';
      expect(linesOf(await exported(org.id, ada, period)).map(({ target, end }) => target?.id ?? end)).toEqual([
        '10',
        '11',
        { entries: 2 },
      ]);
    });

    it('is for those who may read the log, of this organization alone', async () => {
      const [ada, outsider] = [await make.person(), await make.person()];
      const org = await make.org(ada);
      const other = await make.key(ada, { scopes: ['projects:read'] });
      const audit = await make.key(ada, { scopes: ['audit:read'], kind: 'personal' });
      expectStatus(200, await exported(org.id, audit));
      expect(expectStatus(403, await exported(org.id, other)).body.error.code).toBe('insufficient_scopes');
      expect(expectStatus(404, await exported(org.id, outsider)).body.error.code).toBe('organization_not_found');
      expectStatus(404, await exported('org_00000000000000000000000000', ada));
      expectStatus(401, await app.fetch(`/api/v1/orgs/${org.id}/audit-log/export`));
      const refused = expectStatus(400, await exported(org.id, ada, '?from=yesterday'));
      expect(refused.body.error).toMatchObject({ code: 'invalid_request', details: [{ path: 'from' }] });
    });
  });
});
