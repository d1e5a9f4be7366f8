import { as, expectStatus, Make, type Org, type Person, send, uniqueName } from '../support/make.js';
import { type Answer, useApp } from '../support/test-app.js';

const ORGS = '/api/v1/orgs';
const NOBODYS = 'org_0000000000000000000000000z';
/** What two answers must have in common to be the same to the byte. */
const SAME = { headers: { 'x-request-id': 'same' } };

describe('organizations', () => {
  const app = useApp({ DEFAULT_PLAN: 'builder' });
  const make = new Make(app);
  const create = (person: Person, body: object): Promise<Answer> => app.post(ORGS, body, as(person));
  const patch = (person: Person, org: string, body: object): Promise<Answer> =>
    send(app, ['PATCH', `${ORGS}/${org}`], body, as(person));
  const remove = (person: Person, org: string): Promise<Answer> => app.call('DELETE', `${ORGS}/${org}`, as(person));

  it('belong to their creator, and are found by id and slug at once', async () => {
    const ada = await make.person();
    const slug = uniqueName('acme');
    const { data } = expectStatus(201, await create(ada, { name: ' Acme & Söhne ', slug })).body;
    expect(data).toEqual({
      id: expect.stringMatching(/^org_[0-9a-z]{26}$/),
      slug,
      name: 'Acme & Söhne',
      plan: 'builder',
      role: 'owner',
      personal: false,
      second_factor_required: false,
      sso: { active: false, required: false, session_hours: 12, exempt_owners: [] },
      created_at: expect.stringMatching(/Z$/),
    });
    for (const named of [data.id, slug])
      expect(expectStatus(200, await app.fetch(`${ORGS}/${named}`, as(ada))).body.data).toEqual(data);
    const { data: listed } = expectStatus(200, await app.fetch(ORGS, as(ada))).body;
    expect(listed).toEqual([expect.objectContaining({ id: ada.organization.id, personal: true }), data]);
  });

  it('get a slug from their name', async () => {
    const ada = await make.person();
    const name = uniqueName('Zürich Café');
    expect((await create(ada, { name })).body.data.slug).toBe(name.toLowerCase().replace('zürich café', 'zurich-cafe'));
    expect((await create(ada, { name: '株式会社' })).body.data.slug).toMatch(/^org-[0-9a-z]{10}$/);
  });

  it('are listed in pages', async () => {
    const ada = await make.person();
    for (let index = 0; index < 4; index++) await make.org(ada);
    const seen: string[] = [];
    let cursor = '';
    do {
      const { data, meta } = expectStatus(200, await app.fetch(`${ORGS}?limit=2${cursor}`, as(ada))).body;
      seen.push(...(data as Org[]).map(({ id }) => id));
      cursor = meta.has_more ? `&cursor=${meta.next_cursor}` : '';
    } while (cursor !== '');
    expect(new Set(seen).size).toBe(5);
    expect(seen).toEqual([...seen].sort());
  });

  it('cannot take the slug of another organization or the username of a person', async () => {
    const ada = await make.person();
    const org = await make.org(ada);
    const grace = await make.person();
    for (const slug of [org.slug, grace.user.username, ada.user.username.toUpperCase()]) {
      const answer = await create(ada, { name: 'Acme', slug });
      expect([answer.status, answer.body.error.code]).toEqual([409, 'already_exists']);
    }
    const renamed = await patch(ada, org.id, { slug: grace.user.username });
    expect([renamed.status, renamed.body.error.code]).toEqual([409, 'already_exists']);
  });

  it('get a requested slug exactly once under concurrent requests', async () => {
    const ada = await make.person();
    const slug = uniqueName('race');
    const answers = await Promise.all(Array.from({ length: 5 }, () => create(ada, { name: 'Race', slug })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
  });

  it.each([
    [{}, 'name'],
    [{ name: '' }, 'name'],
    [{ name: '   ' }, 'name'],
    [{ name: 'a\nb' }, 'name'],
    [{ name: 'x'.repeat(101) }, 'name'],
    [{ name: 7 }, 'name'],
    [{ name: 'Acme', slug: 'www' }, 'slug'],
    [{ name: 'Acme', slug: 'a_b' }, 'slug'],
    [{ name: 'Acme', plan: 'pro' }, 'plan'],
  ])('return 400 for %j', async (body, path) => {
    const answer = await create(await make.person(), body);
    expect([answer.status, answer.body.error.code, answer.body.error.details[0].path]).toEqual([
      400,
      'invalid_request',
      path,
    ]);
  });

  it('can be renamed, which frees the old slug', async () => {
    const ada = await make.person();
    const org = await make.org(ada);
    const slug = uniqueName('renamed');
    expect(expectStatus(200, await patch(ada, org.slug, { name: 'Renamed', slug })).body.data).toMatchObject({
      id: org.id,
      name: 'Renamed',
      slug,
    });
    expectStatus(404, await app.fetch(`${ORGS}/${org.slug}`, as(ada)));
    expectStatus(200, await app.fetch(`${ORGS}/${slug}`, as(ada)));
    expectStatus(201, await create(ada, { name: 'Next', slug: org.slug }));
  });

  it("return the same 404 for another person's organization as for a missing one", async () => {
    const org = await make.org(await make.person());
    const outsider = await make.person();
    const calls: [string, string, object?][] = [
      ['GET', ''],
      ['PATCH', '', { name: 'Mine' }],
      ['DELETE', ''],
      ['GET', '/members'],
      ['POST', '/members', { email: 'x@example.org', role: 'owner' }],
      ['PATCH', '/members/usr_x', { role: 'owner' }],
      ['DELETE', '/members/usr_x'],
      ['GET', '/invitations'],
      ['DELETE', '/invitations/inv_x'],
      ['GET', '/audit-log'],
    ];
    for (const [method, path, body] of calls) {
      const call = (named: string): Promise<Answer> =>
        body === undefined
          ? app.call(method, `${ORGS}/${named}${path}`, as(outsider, SAME))
          : send(app, [method, `${ORGS}/${named}${path}`], body, as(outsider, SAME));
      const [byId, bySlug, absent] = [await call(org.id), await call(org.slug), await call(NOBODYS)];
      expect([method, path, byId.status, byId.body.error.code]).toEqual([method, path, 404, 'organization_not_found']);
      expect([byId.text, bySlug.text]).toEqual([absent.text, absent.text]);
      const names = (answer: Answer): string[] => [...answer.headers.keys()].sort();
      expect(names(byId)).toEqual(names(absent));
    }
  });

  it('return 401 without a credential', async () => {
    for (const path of [ORGS, `${ORGS}/x`, `${ORGS}/x/members`, `${ORGS}/x/invitations`, `${ORGS}/x/audit-log`]) {
      const answer = await app.fetch(path);
      expect([answer.status, answer.body.error.code]).toEqual([401, 'missing_api_key']);
    }
  });

  it('can be changed by owners and admins, and deleted by owners', async () => {
    const [ada, admin, member, viewer] = [
      await make.person(),
      await make.person(),
      await make.person(),
      await make.person(),
    ];
    const org = await make.org(ada);
    await make.member(org, admin, 'admin');
    await make.member(org, member, 'member');
    await make.member(org, viewer, 'viewer');
    for (const person of [member, viewer]) {
      expectStatus(200, await app.fetch(`${ORGS}/${org.id}`, as(person)));
      for (const refused of [await patch(person, org.id, { name: 'Mine' }), await remove(person, org.id)]) {
        expect([refused.status, refused.body.error.code]).toEqual([403, 'insufficient_scopes']);
      }
    }
    expectStatus(200, await patch(admin, org.id, { name: "The admin's" }));
    const refused = await remove(admin, org.id);
    expect([refused.status, refused.body.error.code, refused.body.error.details]).toEqual([
      403,
      'insufficient_scopes',
      { lacked_by: 'role', role: 'admin', required_role: 'owner' },
    ]);
    expect((await remove(ada, org.id)).status).toBe(204);
  });

  it('disappear for all members on the next request when deleted, with their invitations', async () => {
    const [ada, grace] = [await make.person(), await make.person()];
    const org = await make.org(ada);
    await make.member(org, grace, 'owner');
    expectStatus(
      201,
      await app.post(`${ORGS}/${org.id}/members`, { email: 'new@example.org', role: 'member' }, as(ada)),
    );
    expectStatus(200, await app.fetch(`${ORGS}/${org.id}`, as(grace)));
    expect((await remove(ada, org.slug)).status).toBe(204);
    for (const person of [ada, grace]) {
      expectStatus(404, await app.fetch(`${ORGS}/${org.id}`, as(person)));
      expect((expectStatus(200, await app.fetch(ORGS, as(person))).body.data as Org[]).map(({ id }) => id)).toEqual([
        person.organization.id,
      ]);
    }
    expect(await make.sql('SELECT 1 FROM memberships WHERE org_id = $1', [org.id])).toEqual([]);
    expect(await make.sql('SELECT 1 FROM invitations WHERE org_id = $1 AND revoked_at IS NULL', [org.id])).toEqual([]);
    expect(expectStatus(201, await create(grace, { name: 'Next', slug: org.slug })).body.data.id).not.toBe(org.id);
  });

  it('of a single person keep their slug, take no members and cannot be deleted', async () => {
    const ada = await make.person();
    const home = ada.organization.id;
    expect(expectStatus(200, await patch(ada, home, { name: "Ada's" })).body.data).toMatchObject({
      name: "Ada's",
      personal: true,
    });
    const refused = [
      await patch(ada, home, { slug: uniqueName('other') }),
      await remove(ada, home),
      await app.post(`${ORGS}/${home}/members`, { email: 'x@example.org', role: 'member' }, as(ada)),
      await app.call('DELETE', `${ORGS}/${home}/members/${ada.user.id}`, as(ada)),
      await send(app, ['PATCH', `${ORGS}/${home}/members/${ada.user.id}`], { role: 'admin' }, as(ada)),
    ];
    for (const answer of refused)
      expect([answer.status, answer.body.error.code]).toEqual([409, 'personal_organization']);
  });

  it('are not created or deleted in a dry run', async () => {
    const ada = await make.person();
    const slug = uniqueName('dry');
    const dry = { headers: { 'dry-run': 'true' } };
    expect((await app.post(ORGS, { name: 'Dry', slug }, as(ada, dry))).body.data).toMatchObject({
      slug,
      role: 'owner',
    });
    expectStatus(404, await app.fetch(`${ORGS}/${slug}`, as(ada)));
    const org = await make.org(ada);
    expect((await app.call('DELETE', `${ORGS}/${org.id}`, as(ada, dry))).status).toBe(204);
    expectStatus(200, await app.fetch(`${ORGS}/${org.id}`, as(ada)));
  });

  describe('organizations and API keys', () => {
    it('returns the same error for a key of another organization, whether or not this one exists', async () => {
      const ada = await make.person();
      const [bound, other] = [await make.org(ada), await make.org(ada)];
      const key = await make.key(ada, { kind: 'org_bound', org_id: bound.id });
      expectStatus(200, await app.fetch(`${ORGS}/${bound.slug}`, as(key)));
      for (const named of [other.id, other.slug, NOBODYS]) {
        for (const path of ['', '/members', '/invitations', '/audit-log']) {
          const answer = await app.fetch(`${ORGS}/${named}${path}`, as(key));
          expect([answer.status, answer.body.error.code]).toEqual([403, 'key_org_mismatch']);
        }
      }
      expect((expectStatus(200, await app.fetch(ORGS, as(key))).body.data as Org[]).map(({ id }) => id)).toEqual([
        bound.id,
      ]);
    });

    it('limits a key to its selected organizations', async () => {
      const ada = await make.person();
      const [selected, other] = [await make.org(ada), await make.org(ada)];
      const key = await make.key(ada, { kind: 'select_orgs', org_ids: [selected.id] });
      expectStatus(200, await app.fetch(`${ORGS}/${selected.id}`, as(key)));
      const [hidden, absent] = [
        await app.fetch(`${ORGS}/${other.id}`, as(key, SAME)),
        await app.fetch(`${ORGS}/${NOBODYS}`, as(key, SAME)),
      ];
      expect([hidden.status, hidden.body.error.code, hidden.text]).toEqual([
        404,
        'organization_not_found',
        absent.text,
      ]);
      const refused = await app.post(ORGS, { name: 'New' }, as(key));
      expect([refused.status, refused.body.error.code]).toEqual([403, 'org_access_denied']);
    });

    it('requires the scope of each operation', async () => {
      const ada = await make.person();
      const org = await make.org(ada);
      const calls = {
        'orgs:read': ['GET', ''],
        'orgs:write': ['PATCH', ''],
        'orgs:members': ['GET', '/invitations'],
        'audit:read': ['GET', '/audit-log'],
      } as const;
      for (const held of Object.keys(calls)) {
        const key = await make.key(ada, { scopes: [held] });
        for (const [needed, [method, path]] of Object.entries(calls)) {
          const answer =
            method === 'PATCH'
              ? await send(app, [method, `${ORGS}/${org.id}${path}`], {}, as(key))
              : await app.call(method, `${ORGS}/${org.id}${path}`, as(key));
          expect([held, needed, answer.status]).toEqual([held, needed, held === needed ? 200 : 403]);
          if (held !== needed)
            expect(answer.body.error).toMatchObject({
              code: 'insufficient_scopes',
              details: { missing_scopes: [needed] },
            });
        }
      }
    });

    it('attributes changes to the key', async () => {
      const ada = await make.person();
      const key = await make.key(ada, { scopes: ['orgs:*', 'audit:read'] });
      const { data } = expectStatus(201, await app.post(ORGS, { name: uniqueName('by key') }, as(key))).body;
      const [entry] = expectStatus(200, await app.fetch(`${ORGS}/${data.id}/audit-log`, as(key))).body.data as [any];
      expect(entry).toMatchObject({
        action: 'org.created',
        actor: { user_id: ada.user.id, key_id: expect.stringMatching(/^key_/) },
      });
    });

    it('rejects sessions, passwords and invitations', async () => {
      const key = await make.key(await make.person());
      for (const [method, path] of [
        ['POST', '/auth/sign-out'],
        ['GET', '/auth/sessions'],
        ['PUT', '/auth/password'],
        ['POST', '/invitations/accept'],
      ] as const) {
        const answer = await app.call(method, `/api/v1${path}`, as(key));
        expect([answer.status, answer.body.error.code]).toEqual([401, 'session_required']);
      }
    });
  });
});

describe('the organization limit of the Free plan', () => {
  const app = useApp({}, 'api');
  const make = new Make(app);

  it('allows exactly ten per person under concurrent requests, and more on larger plans', async () => {
    const ada = await make.person({ plan: 'pro' });
    const answers = await Promise.all(
      Array.from({ length: 14 }, () => app.post(ORGS, { name: 'Acme', slug: uniqueName('free') }, as(ada))),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(10);
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused.map(({ status, body }) => [status, body.error.code])).toEqual(
      Array(4).fill([403, 'plan_limit_reached']),
    );
    await make.plan(answers.find(({ status }) => status === 201)!.body.data.id as string, 'builder');
    expect((await app.post(ORGS, { name: 'Acme', slug: uniqueName('free') }, as(ada))).status).toBe(201);
  });
});
