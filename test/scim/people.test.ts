import { FakeGoogle } from '../support/fake-google.js';
import { as, expectStatus, Make, type Org, type Person, uniqueName } from '../support/make.js';
import { ScimClient } from '../support/scim.js';
import { type SsoTenant, SsoTenants } from '../support/sso.js';
import { type Answer, type TestApp, useApp } from '../support/test-app.js';

const ME = '/api/v1/me';
const settings: NodeJS.ProcessEnv = { EMAIL_VERIFICATION: 'required' };
const provider = FakeGoogle.useForSso(settings);
const app = useApp(settings);
const make = new Make(app);
const tenants = new SsoTenants(app, make, provider);

const group_roles = [
  { group: 'Admins', role: 'admin' },
  { group: 'Readers', role: 'viewer' },
];

let acme: SsoTenant;
let scim: ScimClient;
let other: TestApp;
beforeAll(async () => {
  other = await app.another({ role: 'api' });
});
beforeEach(async () => {
  acme = await tenants.create({ jit: false });
  scim = await clientOf(acme);
});
afterAll(() => other.stop());

const clientOf = ({ owner, org, connectionId }: SsoTenant): Promise<ScimClient> =>
  ScimClient.create(app, owner, org, connectionId);
const addressIn = ({ domain }: SsoTenant): string => `${uniqueName('ada')}@${domain}`;
const errorOf = ({ status, body }: Answer): [number, string] => [status, body.error?.code];
const refusalOf = ({ status, body }: Answer): [number, string] => [status, body.scimType];
const roleOf = async ({ org }: SsoTenant, address: string): Promise<string | undefined> => {
  const [row] = await make.sql(
    `SELECT role FROM memberships JOIN users ON users.id = user_id WHERE org_id = $1 AND lower(email) = lower($2)`,
    [org.id, address],
  );
  return row?.['role'];
};
const accountOf = async (address: string): Promise<any> =>
  (await make.sql('SELECT * FROM users WHERE lower(email) = lower($1)', [address]))[0];
const auditOf = async ({ org, owner }: SsoTenant): Promise<any[]> =>
  expectStatus(200, await app.fetch(`/api/v1/orgs/${org.id}/audit-log?limit=100`, as(owner))).body.data;
const actionsOf = async (tenant: SsoTenant, targetId: string): Promise<string[]> =>
  (await auditOf(tenant)).filter(({ target }) => target.id === targetId).map(({ action }) => action as string);
const orgsOf = async (by: string, at: TestApp = app): Promise<string[]> =>
  expectStatus(200, await at.fetch(ME, as(by))).body.data.organizations.map(({ id }: Org) => id);
/** A person with a proven address in the domain of the organization. */
const personAt = async (tenant: SsoTenant): Promise<Person> => {
  const person = await make.person({ email: addressIn(tenant) });
  await make.sql('UPDATE users SET email_verified_at = now() WHERE id = $1', [person.user.id]);
  await make.raiseEpochOf(person);
  return person;
};

describe('a user that is created', () => {
  it('gets an account without a password, becomes a member, and signs in through the connection', async () => {
    const address = addressIn(acme);
    const user = await scim.user(address, { name: { givenName: 'Ada' } });
    expect(await roleOf(acme, address)).toBe('member');
    expect(await accountOf(address)).toMatchObject({ has_password: false, email_verified_at: expect.any(Date) });
    const there = tenants.person(acme.domain, { email: address });
    const person = await tenants.enter(acme, there);
    expect(await orgsOf(person.sessionToken)).toContain(acme.org.id);
    expect(await actionsOf(acme, user.id as string)).toEqual(['scim.user_created']);
    expect(await auditOf(acme)).toContainEqual(
      expect.objectContaining({
        action: 'member.joined',
        target: { type: 'user', id: person.user.id },
        details: { role: 'member', connection_id: acme.connectionId, by: 'scim' },
      }),
    );
    // The log names nobody.
    expect(JSON.stringify(await auditOf(acme))).not.toContain(address);
  });

  it('stands for an existing account, of which nothing changes', async () => {
    const person = await personAt(acme);
    const before = await accountOf(person.user.email);
    await scim.user(person.user.email.toUpperCase());
    expect(await roleOf(acme, person.user.email)).toBe('member');
    const after = await accountOf(person.user.email);
    expect({ ...after, auth_epoch: before.auth_epoch }).toEqual(before);
    expect(await orgsOf(person.sessionToken)).toContain(acme.org.id);
    expect(await orgsOf(person.sessionToken, other)).toContain(acme.org.id);
  });

  it('ends what lets anybody into an account whose address nobody has proven', async () => {
    const squatter = await make.person({ email: addressIn(acme) });
    await scim.user(squatter.user.email);
    expect(errorOf(await app.fetch(ME, as(squatter)))).toEqual([401, 'invalid_session']);
    const login = { login: squatter.user.email, password: squatter.password };
    expect((await app.post('/api/v1/auth/sign-in', login)).status).toBe(401);
    expect(await roleOf(acme, squatter.user.email)).toBe('member');
  });

  it('is refused for an owner whose address is not verified, and nothing about them changes', async () => {
    const address = addressIn(acme);
    const owner = await make.person({ email: address });
    await make.member(acme.org, owner, 'owner');
    expect((await scim.call('POST', '/Users', { userName: address })).status).toBe(409);
    expect(await orgsOf(owner.sessionToken)).toContain(acme.org.id);
    await make.sql('UPDATE users SET email_verified_at = now() WHERE id = $1', [owner.user.id]);
    await scim.user(address);
    expect(await roleOf(acme, address)).toBe('owner');
    expect(await orgsOf(owner.sessionToken)).toContain(acme.org.id);
  });

  it('must have an address in a domain that the organization has verified', async () => {
    const foreign = await tenants.create();
    const victim = await personAt(foreign);
    const outsider = await make.person();
    for (const address of [
      victim.user.email,
      outsider.user.email,
      `ada@eu.${acme.domain}`,
      `a@${acme.domain}.evil.com`,
    ]) {
      const refused = await scim.call('POST', '/Users', { userName: address });
      expect(refusalOf(refused)).toEqual([400, 'invalidValue']);
      expect(refused.body.detail).toBe(`The organization has not verified the domain of ${address}.`);
    }
    // The address counts, and not a name that looks like one.
    const emails = [{ value: victim.user.email, primary: true }];
    const named = { userName: addressIn(acme), emails };
    expect(refusalOf(await scim.call('POST', '/Users', named))).toEqual([400, 'invalidValue']);
    expect(await roleOf(acme, victim.user.email)).toBeUndefined();
    expect(await accountOf(`ada@eu.${acme.domain}`)).toBeUndefined();
  });

  it('gets nothing of an account whose username is the userName', async () => {
    const victim = await make.person();
    const email = addressIn(acme);
    const user = await scim.user(victim.user.username, { emails: [{ value: email }] });
    expect(user.userName).toBe(victim.user.username);
    expect(await orgsOf(victim.sessionToken)).not.toContain(acme.org.id);
    expect((await accountOf(email)).username).not.toBe(victim.user.username);
  });

  it('is unique by userName in any case, by externalId, and by account', async () => {
    const [address, email] = [addressIn(acme), addressIn(acme)];
    await scim.user(address, { externalId: 'one' });
    for (const body of [
      { userName: address.toUpperCase() },
      { userName: addressIn(acme), externalId: 'one' },
      { userName: 'another-name', emails: [{ value: address }] },
    ])
      expect(refusalOf(await scim.call('POST', '/Users', body))).toEqual([409, 'uniqueness']);
    const user = await scim.user(email, { externalId: 'One' });
    const replaced = await scim.call('PUT', `/Users/${user.id}`, { userName: address });
    expect(refusalOf(replaced)).toEqual([409, 'uniqueness']);
    expect((await scim.call('GET', `/Users/${user.id}`)).body).toEqual(user);
  });

  it('is created once by two calls at the same time', async () => {
    const address = addressIn(acme);
    const create = (client: ScimClient): Promise<Answer> => client.call('POST', '/Users', { userName: address });
    const answers = await Promise.all([create(scim), create(scim.at(other)), create(scim), create(scim.at(other))]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
    const rows = await make.sql('SELECT 1 FROM users WHERE lower(email) = $1', [address]);
    expect(rows).toHaveLength(1);
  });

  it('can be inactive, and is no member then', async () => {
    const address = addressIn(acme);
    const user = await scim.user(address, { active: false });
    expect(user.active).toBe(false);
    expect(await roleOf(acme, address)).toBeUndefined();
    const there = tenants.person(acme.domain, { email: address });
    expect(errorOf(await tenants.signIn(acme, there))).toEqual([403, 'sso_not_provisioned']);
    expectStatus(200, await scim.reactivate(user.id as string));
    expect(await roleOf(acme, address)).toBe('member');
    expectStatus(200, await tenants.signIn(acme, there));
  });
});

describe('a user that is deactivated', () => {
  it.each(['deactivated', 'deleted'])('loses membership, sessions, keys and sign-in at once when %s', async (how) => {
    const own = await personAt(acme);
    const user = await scim.user(own.user.email);
    const there = tenants.person(acme.domain, { email: own.user.email });
    const person = await tenants.enter(acme, there);
    const elsewhere = await make.org(own);
    const key = (body: object): Promise<string> => make.key(own, body);
    const [bound, select, onlyHere, personal] = [
      await key({ kind: 'org_bound', org_id: acme.org.id }),
      await key({ kind: 'select_orgs', org_ids: [acme.org.id, elsewhere.id] }),
      await key({ kind: 'select_orgs', org_ids: [acme.org.id] }),
      await key({}),
    ];
    for (const at of [app, other])
      for (const token of [person.sessionToken, own.sessionToken, bound, select, onlyHere, personal])
        expect(await orgsOf(token, at)).toContain(acme.org.id);

    if (how === 'deleted') expectStatus(204, await scim.call('DELETE', `/Users/${user.id}`));
    else expectStatus(200, await scim.deactivate(user.id as string));
    for (const at of [other, app]) {
      expect(errorOf(await at.fetch(ME, as(person)))).toEqual([401, 'invalid_session']);
      for (const token of [bound, onlyHere])
        expect(errorOf(await at.fetch(ME, as(token)))).toEqual([401, 'revoked_api_key']);
      for (const token of [own.sessionToken, select, personal])
        expect(await orgsOf(token, at)).not.toContain(acme.org.id);
      expect(await orgsOf(select, at)).toEqual([elsewhere.id]);
      expect(errorOf(await at.fetch(`/api/v1/orgs/${acme.org.id}`, as(own)))).toEqual([404, 'organization_not_found']);
    }
    expect(errorOf(await tenants.signIn(acme, there))).toEqual([403, 'sso_not_provisioned']);
    const action = how === 'deleted' ? 'scim.user_deleted' : 'scim.user_deactivated';
    expect((await actionsOf(acme, user.id as string))[0]).toBe(action);
    expect(await actionsOf(acme, own.user.id)).toContain('member.removed');
  });

  it('stays away although people join by signing in', async () => {
    const tenant = await tenants.create({ jit: true });
    const own = await clientOf(tenant);
    const there = tenants.person(tenant.domain);
    await tenants.enter(tenant, there);
    const user = await own.user(there.email!);
    expectStatus(204, await own.call('DELETE', `/Users/${user.id}`));
    expect(errorOf(await tenants.signIn(tenant, there))).toEqual([403, 'sso_not_provisioned']);
    await own.user(there.email!);
    expectStatus(200, await tenants.signIn(tenant, there));
  });

  it('comes back with its membership, and its keys stay revoked', async () => {
    const own = await personAt(acme);
    const user = await scim.user(own.user.email);
    const bound = await make.key(own, { kind: 'org_bound', org_id: acme.org.id });
    for (let time = 0; time < 2; time++) expectStatus(200, await scim.deactivate(user.id as string));
    const { body } = expectStatus(200, await scim.reactivate(user.id as string));
    expect(body.active).toBe(true);
    for (const at of [app, other]) {
      expect(await orgsOf(own.sessionToken, at)).toContain(acme.org.id);
      expect(errorOf(await at.fetch(ME, as(bound)))).toEqual([401, 'revoked_api_key']);
    }
    expect((await actionsOf(acme, user.id as string)).slice(0, 3)).toEqual([
      'scim.user_reactivated',
      'scim.user_deactivated',
      'scim.user_created',
    ]);
  });

  it('is refused for an owner, and nothing about them changes', async () => {
    const { id } = await scim.user(addressIn(acme));
    const [row] = await make.sql('SELECT user_id FROM scim_users WHERE id = $1', [id]);
    const user_id: string = row!['user_id'];
    await make.role(acme.org, { user: { id: user_id } } as Person, 'owner');
    const attempts = [await scim.deactivate(id as string), await scim.call('DELETE', `/Users/${id}`)];
    for (const { status, body } of attempts) {
      expect(status).toBe(409);
      expect(body.detail).toMatch(/owner/);
    }
    expect((await scim.call('GET', `/Users/${id}`)).body.active).toBe(true);
    const rows = await make.sql('SELECT role FROM memberships WHERE org_id = $1 AND user_id = $2', [
      acme.org.id,
      user_id,
    ]);
    expect(rows).toEqual([{ role: 'owner' }]);
    // Groups do not change owners either.
    expectStatus(200, await scim.patch(`/Users/${id}`, { op: 'replace', path: 'displayName', value: 'Boss' }));
  });

  it('stays a member while another connection of the organization provisions the person', async () => {
    const oidc = { issuer: provider.url, client_id: provider.clientId, client_secret: provider.clientSecret };
    const path = `/api/v1/orgs/${acme.org.id}/sso/connections`;
    const body = { name: 'Second', type: 'oidc', oidc };
    const { id } = expectStatus(201, await app.post(path, body, as(acme.owner))).body.data;
    const second = await clientOf({ ...acme, connectionId: id as string });
    const address = addressIn(acme);
    const [one, two] = [await scim.user(address), await second.user(address)];
    expectStatus(200, await scim.deactivate(one.id as string));
    expect(await roleOf(acme, address)).toBe('member');
    expect((await second.call('GET', `/Users/${two.id}`)).body.active).toBe(true);
    expectStatus(200, await second.deactivate(two.id as string));
    expect(await roleOf(acme, address)).toBeUndefined();
  });

  it('can be deactivated although the domain is verified no longer, and comes back only with it', async () => {
    const user = await scim.user(addressIn(acme));
    await make.sql(`UPDATE sso_domains SET status = 'paused', misses = 2 WHERE name = $1`, [acme.domain]);
    expectStatus(200, await scim.deactivate(user.id as string));
    expect(refusalOf(await scim.reactivate(user.id as string))).toEqual([400, 'invalidValue']);
    await make.sql(`UPDATE sso_domains SET status = 'verified', misses = 0 WHERE name = $1`, [acme.domain]);
    expectStatus(200, await scim.reactivate(user.id as string));
  });

  it('gets another account when the first one was deleted meanwhile', async () => {
    const own = await personAt(acme);
    const user = await scim.user(own.user.email);
    expectStatus(200, await scim.deactivate(user.id as string));
    expectStatus(204, await app.call('DELETE', `${ME}?username=${own.user.username}`, as(own)));
    expectStatus(200, await scim.reactivate(user.id as string));
    expect((await accountOf(own.user.email)).id).not.toBe(own.user.id);
    expect(await roleOf(acme, own.user.email)).toBe('member');
  });
});

describe('a user that is changed', () => {
  it('keeps the account as it is when the address changes within the verified domains', async () => {
    const person = await personAt(acme);
    const user = await scim.user(person.user.email);
    const email = addressIn(acme);
    const path = 'emails[type eq "work"].value';
    const { body } = expectStatus(200, await scim.patch(`/Users/${user.id}`, { op: 'Replace', path, value: email }));
    expect(body.emails).toEqual([{ value: email, type: 'work', primary: true }]);
    expect((await accountOf(person.user.email)).id).toBe(person.user.id);
    expect(await accountOf(email)).toBeUndefined();
    const foreign = await scim.patch(`/Users/${user.id}`, { op: 'Replace', path, value: 'ada@elsewhere.test' });
    expect(refusalOf(foreign)).toEqual([400, 'invalidValue']);
    const nothing = { op: 'replace', path: 'active', value: 'true' };
    expect(expectStatus(200, await scim.patch(`/Users/${user.id}`, nothing)).body).toEqual(body);
    expect(await actionsOf(acme, user.id as string)).toEqual(['scim.user_changed', 'scim.user_created']);
  });

  it('keeps changes of two calls at the same time', async () => {
    const user = await scim.user(addressIn(acme));
    const set = (client: ScimClient, path: string): Promise<Answer> =>
      client.patch(`/Users/${user.id}`, { op: 'Add', path, value: path });
    const paths = ['name.givenName', 'name.familyName', 'displayName', 'externalId'];
    const answers = await Promise.all(paths.map((path, n) => set(n % 2 === 0 ? scim : scim.at(other), path)));
    for (const answer of answers) expectStatus(200, answer);
    expect((await scim.call('GET', `/Users/${user.id}`)).body).toMatchObject({
      name: { givenName: 'name.givenName', familyName: 'name.familyName' },
      displayName: 'displayName',
      externalId: 'externalId',
    });
  });
});

describe('groups', () => {
  let grouped: SsoTenant;
  let own: ScimClient;
  beforeEach(async () => {
    grouped = await tenants.create({ jit: false, group_roles });
    own = await clientOf(grouped);
  });

  it('give their members the highest role, and take it back', async () => {
    const address = addressIn(grouped);
    const user = await own.user(address);
    const role = (): Promise<string | undefined> => roleOf(grouped, address);
    expect(await role()).toBe('member');
    const readers = await own.group('Readers', [user.id]);
    expect(await role()).toBe('viewer');
    const admins = await own.group('Admins');
    expectStatus(
      204,
      await own.patch(`/Groups/${admins.id}`, { op: 'Add', path: 'members', value: [{ value: user.id }] }),
    );
    expect(await role()).toBe('admin');
    expectStatus(204, await own.patch(`/Groups/${admins.id}`, { op: 'replace', path: 'displayName', value: 'Nobody' }));
    expect(await role()).toBe('viewer');
    expectStatus(204, await own.patch(`/Groups/${admins.id}`, { op: 'replace', value: { displayName: 'Admins' } }));
    expect(await role()).toBe('admin');
    // The role is that of the groups, whatever the provider says at a sign-in.
    const there = tenants.person(grouped.domain, { email: address, groups: ['Readers'] });
    await tenants.enter(grouped, there);
    expect(await role()).toBe('admin');
    expectStatus(200, await own.deactivate(user.id as string));
    expect(await role()).toBeUndefined();
    expectStatus(200, await own.reactivate(user.id as string));
    expect(await role()).toBe('admin');
    expectStatus(204, await own.call('DELETE', `/Groups/${admins.id}`));
    expect(await role()).toBe('viewer');
    expectStatus(200, await own.call('PUT', `/Groups/${readers.id}`, { displayName: 'Readers' }));
    expect(await role()).toBe('member');
  });

  it('change no owner, and make no member of a person whom an administrator has removed', async () => {
    const address = addressIn(grouped);
    const user = await own.user(address);
    const account = { user: { id: (await accountOf(address)).id } } as Person;
    await make.role(grouped.org, account, 'owner');
    const readers = await own.group('Readers', [user.id]);
    expect(await roleOf(grouped, address)).toBe('owner');
    await make.sql('DELETE FROM memberships WHERE org_id = $1 AND user_id = $2', [grouped.org.id, account.user.id]);
    expectStatus(204, await own.call('DELETE', `/Groups/${readers.id}`));
    expect(await roleOf(grouped, address)).toBeUndefined();
  });

  it('keep all changes of calls at the same time', async () => {
    const users = await Promise.all(['a', 'b', 'c', 'd'].map((name) => own.user(`${name}@${grouped.domain}`)));
    const group = await own.group('Admins');
    const add = ({ id }: any, client: ScimClient): Promise<Answer> =>
      client.patch(`/Groups/${group.id}`, { op: 'Add', path: 'members', value: [{ value: id }] });
    const answers = await Promise.all(users.map((user, n) => add(user, n % 2 === 0 ? own : own.at(other))));
    for (const answer of answers) expectStatus(204, answer);
    const { members } = expectStatus(200, await own.call('GET', `/Groups/${group.id}`)).body;
    expect(members.map(({ value }: any) => value).sort()).toEqual(users.map(({ id }) => id).sort());
    for (const name of ['a', 'b', 'c', 'd']) expect(await roleOf(grouped, `${name}@${grouped.domain}`)).toBe('admin');
  });

  it('apply operations in their order', async () => {
    const [ada, bob] = [await own.user(`ada@${grouped.domain}`), await own.user(`bob@${grouped.domain}`)];
    const group = await own.group('Team', [ada.id]);
    const membersAfter = async (...operations: object[]): Promise<string[]> => {
      expectStatus(204, await own.patch(`/Groups/${group.id}`, ...operations));
      const { members } = expectStatus(200, await own.call('GET', `/Groups/${group.id}`)).body;
      return members.map(({ value }: any) => value);
    };
    const value = [{ value: bob.id }];
    expect(await membersAfter({ op: 'replace', path: 'members', value })).toEqual([bob.id]);
    expect(await membersAfter({ op: 'remove', path: 'members' }, { op: 'add', path: 'members', value })).toEqual([
      bob.id,
    ]);
    expect(await membersAfter({ op: 'add', path: 'members', value }, { op: 'remove', path: 'members' })).toEqual([]);
    const both = { op: 'add', value: { members: [{ value: ada.id }, { value: bob.id }] } };
    expect(await membersAfter(both, { op: 'remove', path: `members[value eq "${ada.id}"]` })).toEqual([bob.id]);
    expect(await membersAfter({ op: 'remove', path: 'members', value: [{ value: 'scu_gone' }] })).toEqual([bob.id]);
    for (const member of [{ value: 'scu_unknown' }, { value: group.id, type: 'Group' }, { value: 5 }, {}]) {
      const refused = await own.patch(`/Groups/${group.id}`, { op: 'add', path: 'members', value: [member] });
      expect(refusalOf(refused)).toEqual([400, 'invalidValue']);
    }
    const many = Array.from({ length: 5_001 }, (_, n) => ({ value: `scu_${n}` }));
    expectStatus(413, await own.patch(`/Groups/${group.id}`, { op: 'add', path: 'members', value: many }));
  });
});
