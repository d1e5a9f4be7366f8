import { as, expectStatus, Make, type Org, type Person, send } from '../support/make.js';
import { mailTo } from '../support/mailbox.js';
import { type Answer, useApp } from '../support/test-app.js';

type Role = 'owner' | 'admin' | 'member' | 'viewer';

describe('organization members', () => {
  const app = useApp();
  const make = new Make(app);
  const members = (org: Org): string => `/api/v1/orgs/${org.id}/members`;
  const setRole = (by: Person, org: Org, of: Person, role: string): Promise<Answer> =>
    send(app, ['PATCH', `${members(org)}/${of.user.id}`], { role }, as(by));
  const remove = (by: Person, org: Org, of: Person): Promise<Answer> =>
    app.call('DELETE', `${members(org)}/${of.user.id}`, as(by));
  const codeOf = ({ status, body }: Answer): unknown => (status < 400 ? status : body.error.code);
  async function team(...roles: Role[]): Promise<{ org: Org; owner: Person; others: Person[] }> {
    const owner = await make.person();
    const org = await make.org(owner);
    const others = await Promise.all(
      roles.map(async (role) => {
        const person = await make.person();
        await make.member(org, person, role);
        return person;
      }),
    );
    return { org, owner, others };
  }

  it('are listed in pages for all members, without e-mail addresses', async () => {
    const {
      org,
      owner,
      others: [viewer],
    } = await team('viewer', 'admin');
    const first = expectStatus(200, await app.fetch(`${members(org)}?limit=2`, as(viewer!)));
    const second = expectStatus(
      200,
      await app.fetch(`${members(org)}?limit=2&cursor=${first.body.meta.next_cursor}`, as(viewer!)),
    );
    const all = [...(first.body.data as object[]), ...(second.body.data as object[])];
    expect(all).toHaveLength(3);
    expect(all).toContainEqual({
      user: { id: owner.user.id, username: owner.user.username },
      role: 'owner',
      joined_at: expect.stringMatching(/Z$/),
    });
    expect(first.text + second.text).not.toContain('@');
    expect(second.body.meta.has_more).toBe(false);
  });

  it('get a new role from an owner, effective on the next request', async () => {
    const {
      org,
      owner,
      others: [person],
    } = await team('viewer');
    expectStatus(403, await app.fetch(`/api/v1/orgs/${org.id}/audit-log`, as(person!)));
    const answer = expectStatus(200, await setRole(owner, org, person!, 'admin'));
    expect(answer.body.data).toMatchObject({ user: { id: person!.user.id }, role: 'admin' });
    expectStatus(200, await app.fetch(`/api/v1/orgs/${org.id}/audit-log`, as(person!)));
    expectStatus(200, await setRole(owner, org, person!, 'admin'));
  });

  it('cannot grant or remove a role above their own', async () => {
    const {
      org,
      owner,
      others: [admin, second, member],
    } = await team('admin', 'admin', 'member');
    const refusals = [
      await setRole(admin!, org, member!, 'owner'),
      await setRole(admin!, org, admin!, 'owner'),
      await setRole(admin!, org, owner, 'member'),
      await remove(admin!, org, owner),
      await app.post(members(org), { email: 'x@example.org', role: 'owner' }, as(admin!)),
      await setRole(member!, org, admin!, 'viewer'),
      await remove(member!, org, admin!),
      await app.post(members(org), { email: 'x@example.org', role: 'viewer' }, as(member!)),
    ];
    for (const refusal of refusals)
      expect([refusal.status, refusal.body.error.code, refusal.body.error.details.lacked_by]).toEqual([
        403,
        'insufficient_scopes',
        'role',
      ]);
    expect(codeOf(await setRole(admin!, org, second!, 'member'))).toBe(200);
    expect(codeOf(await remove(admin!, org, member!))).toBe(204);
  });

  it('can leave with any role, effective on the next request', async () => {
    const { org, others } = await team('admin', 'member', 'viewer', 'owner');
    for (const person of others) {
      expectStatus(200, await app.fetch(members(org), as(person)));
      expect(codeOf(await remove(person, org, person))).toBe(204);
      expect(codeOf(await app.fetch(members(org), as(person)))).toBe('organization_not_found');
    }
  });

  it('always include an owner', async () => {
    const {
      org,
      owner,
      others: [admin],
    } = await team('admin');
    expect(codeOf(await remove(owner, org, owner))).toBe('last_owner');
    const demotion = await setRole(owner, org, owner, 'admin');
    expect([demotion.status, demotion.body.error.code, demotion.body.error.type]).toEqual([
      409,
      'last_owner',
      'conflict_error',
    ]);
    expectStatus(200, await setRole(owner, org, admin!, 'owner'));
    expectStatus(200, await setRole(admin!, org, owner, 'member'));
    expect(codeOf(await remove(admin!, org, admin!))).toBe('last_owner');
  });

  it('always include an owner under concurrent leaves and demotions', async () => {
    for (let round = 0; round < 3; round++) {
      const { org, owner, others } = await team('owner', 'owner');
      const owners = [owner, ...others];
      const left = await Promise.all(
        owners.map((person, index) =>
          index % 2 === 0 ? remove(person, org, person) : setRole(person, org, person, 'viewer'),
        ),
      );
      expect(left.filter(({ status }) => status < 300)).toHaveLength(2);
      expect(left.filter(({ body }) => body?.error?.code === 'last_owner')).toHaveLength(1);
      expect(
        await make.sql("SELECT count(*)::int AS n FROM memberships WHERE org_id = $1 AND role = 'owner'", [org.id]),
      ).toEqual([{ n: 1 }]);
    }
  });

  it('of another organization return 404', async () => {
    const { org, owner } = await team();
    const outsider = await make.person();
    for (const id of [outsider.user.id, 'usr_nobody', '%27%20OR%201=1']) {
      const answer = await app.call('DELETE', `${members(org)}/${id}`, as(owner));
      expect([answer.status, answer.body.error.code]).toEqual([404, 'member_not_found']);
    }
    expect(codeOf(await setRole(owner, org, outsider, 'admin'))).toBe('member_not_found');
  });

  it.each([{}, { role: 'king' }, { role: ['owner'] }, { role: 'owner', extra: 1 }])(
    'return 400 for the role %j',
    async (body) => {
      const {
        org,
        owner,
        others: [member],
      } = await team('member');
      expect(codeOf(await send(app, ['PATCH', `${members(org)}/${member!.user.id}`], body, as(owner)))).toBe(
        'invalid_request',
      );
    },
  );

  describe('invitations', () => {
    const ACCEPT = '/api/v1/invitations/accept';
    const invitations = (org: Org): string => `/api/v1/orgs/${org.id}/invitations`;
    const invite = async (by: Person, org: Org, email: string, role: Role = 'member'): Promise<string> =>
      expectStatus(201, await app.post(members(org), { email, role }, as(by))).body.data.id as string;
    const accept = (person: Person, token: string): Promise<Answer> => app.post(ACCEPT, { token }, as(person));

    it('are sent by e-mail, accepted once by the recipient, and verify the address', async () => {
      const { org, owner } = await team();
      const guest = await make.person();
      const answer = expectStatus(
        201,
        await app.post(members(org), { email: guest.user.email.toUpperCase(), role: 'admin' }, as(owner)),
      );
      expect(answer.body.data).toEqual({
        id: expect.stringMatching(/^inv_/),
        email: guest.user.email.toUpperCase(),
        role: 'admin',
        invited_by: owner.user.id,
        created_at: expect.any(String),
        expires_at: expect.any(String),
      });
      expect(
        Date.parse(answer.body.data.expires_at as string) - Date.parse(answer.body.data.created_at as string),
      ).toBe(7 * 86_400_000);
      const mail = await mailTo(app, guest.user.email, 'invites');
      expect(mail.text).toContain('with the role admin');
      expect(mail.token).toMatch(/^svc_inv_/);

      const thief = await make.person();
      for (const [person, token] of [
        [thief, mail.token],
        [guest, thief.sessionToken],
        [guest, `${mail.token}x`],
      ] as const) {
        const refused = await accept(person, token);
        expect([refused.status, refused.body.error.code]).toEqual([400, 'invalid_email_token']);
      }
      const joined = expectStatus(200, await accept(guest, mail.token));
      expect(joined.body.data).toMatchObject({ id: org.id, slug: org.slug, role: 'admin', personal: false });
      expectStatus(200, await app.fetch(invitations(org), as(guest)));
      expect((await app.fetch('/api/v1/me', as(guest))).body.data.user.email_verified).toBe(true);
      expect(codeOf(await accept(guest, mail.token))).toBe('invalid_email_token');
    });

    it('are accepted once under concurrent requests', async () => {
      const { org, owner } = await team();
      const guest = await make.person();
      await invite(owner, org, guest.user.email);
      const { token } = await mailTo(app, guest.user.email, 'invites');
      const answers = await Promise.all(Array.from({ length: 4 }, () => accept(guest, token)));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400]);
    });

    it('can be sent before the recipient has an account', async () => {
      const { org, owner } = await team();
      const email = `later-${org.slug}@example.org`;
      await invite(owner, org, email, 'viewer');
      const { token } = await mailTo(app, email, 'invites');
      const guest = await make.person({ email });
      expect(expectStatus(200, await accept(guest, token)).body.data.role).toBe('viewer');
    });

    it('replace an earlier open invitation', async () => {
      const { org, owner } = await team();
      const guest = `again-${org.slug}@example.org`;
      await invite(owner, org, guest, 'viewer');
      const first = await mailTo(app, guest, 'invites');
      const id = await invite(owner, org, guest.toUpperCase(), 'admin');
      const second = await mailTo(app, guest, 'invites', 2);
      expect(expectStatus(200, await app.fetch(invitations(org), as(owner))).body.data).toEqual([
        expect.objectContaining({ id, role: 'admin' }),
      ]);
      const person = await make.person({ email: guest });
      expect(codeOf(await accept(person, first.token))).toBe('invalid_email_token');
      expectStatus(200, await accept(person, second.token));
    });

    it('return 409 for a member', async () => {
      const {
        org,
        owner,
        others: [member],
      } = await team('member');
      const answer = await app.post(
        members(org),
        { email: member!.user.email.toUpperCase(), role: 'admin' },
        as(owner),
      );
      expect([answer.status, answer.body.error.code]).toEqual([409, 'already_exists']);
    });

    it('stop working when revoked, expired, or when the sender leaves', async () => {
      const {
        org,
        owner,
        others: [admin],
      } = await team('admin');
      const [revoked, old, orphaned] = await Promise.all([make.person(), make.person(), make.person()]);
      const tokenOf = async ({ user: { email } }: Person): Promise<string> =>
        (await mailTo(app, email, 'invites')).token;
      const id = await invite(owner, org, revoked.user.email);
      const oldId = await invite(owner, org, old.user.email);
      await invite(admin!, org, orphaned.user.email);
      const tokens = await Promise.all([tokenOf(revoked), tokenOf(old), tokenOf(orphaned)]);

      expect((await app.call('DELETE', `${invitations(org)}/${id}`, as(owner))).status).toBe(204);
      await make.sql("UPDATE invitations SET expires_at = now() - interval '1 second' WHERE id = $1", [oldId]);
      expect(codeOf(await remove(owner, org, admin!))).toBe(204);
      for (const [index, person] of [revoked, old, orphaned].entries())
        expect(codeOf(await accept(person, tokens[index]!))).toBe('invalid_email_token');
      expect(expectStatus(200, await app.fetch(invitations(org), as(owner))).body.data).toEqual([]);
      for (const gone of [id, oldId, 'inv_nothing'])
        expect(codeOf(await app.call('DELETE', `${invitations(org)}/${gone}`, as(owner)))).toBe('invitation_not_found');
    });

    it('can be sent by admins, and are hidden from lower roles', async () => {
      const {
        org,
        others: [admin, member],
      } = await team('admin', 'member');
      const id = await invite(admin!, org, `by-admin-${org.slug}@example.org`);
      for (const refused of [
        await app.fetch(invitations(org), as(member!)),
        await app.call('DELETE', `${invitations(org)}/${id}`, as(member!)),
      ]) {
        expect([refused.status, refused.body.error.code]).toEqual([403, 'insufficient_scopes']);
      }
    });

    it('are visible only in their own organization', async () => {
      const [one, other] = [await team(), await team()];
      const id = await invite(one.owner, one.org, `elsewhere-${one.org.slug}@example.org`);
      expect(codeOf(await app.call('DELETE', `${invitations(other.org)}/${id}`, as(other.owner)))).toBe(
        'invitation_not_found',
      );
    });

    it.each([{}, { email: 'x', role: 'member' }, { email: 'x@example.org' }, { email: 'x@example.org', role: 'king' }])(
      'return 400 for %j',
      async (body) => {
        const { org, owner } = await team();
        expect(codeOf(await app.post(members(org), body, as(owner)))).toBe('invalid_request');
      },
    );
  });
});
