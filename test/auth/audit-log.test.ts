import { as, expectStatus, Make, type Person, send } from '../support/make.js';
import { mailTo } from '../support/mailbox.js';
import { useApp } from '../support/test-app.js';

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
});
