import { VerifiedDomains } from '../../src/modules/sso/domains/verified-domains.js';
import { DnsServer } from '../support/dns-server.js';
import { settingsOf } from '../support/domains.js';
import { mailsOf, mailTo } from '../support/mailbox.js';
import { as, expectStatus, Make, type Org, type Person, uniqueName } from '../support/make.js';
import { type Answer, eventually, useApp } from '../support/test-app.js';

const ABSENT = 'odom_00000000000000000000000000';
const dns = new DnsServer();
const app = useApp(settingsOf(dns));
const make = new Make(app);

/** An organization of the plan Enterprise with its owner. */
interface Tenant {
  readonly org: Org;
  readonly owner: Person;
}

const tenant = async (owner?: Person): Promise<Tenant> => {
  const person = owner ?? (await make.person({ plan: 'enterprise' }));
  return { owner: person, org: await make.org(person, { plan: 'enterprise' }) };
};
const uniqueDomain = (): string => `${uniqueName('acme')}.com`;
const pathOf = ({ id }: Org, rest = ''): string => `/api/v1/orgs/${id}/domains${rest}`;
const add = ({ org, owner }: Tenant, name: string): Promise<Answer> => app.post(pathOf(org), { name }, as(owner));
const added = async (by: Tenant, name = uniqueDomain()): Promise<any> =>
  expectStatus(201, await add(by, name)).body.data;
const verify = ({ org, owner }: Tenant, id: string): Promise<Answer> =>
  app.call('POST', pathOf(org, `/${id}/verify`), as(owner));
const remove = ({ org, owner }: Tenant, id: string): Promise<Answer> =>
  app.call('DELETE', pathOf(org, `/${id}`), as(owner));
const list = async ({ org, owner }: Tenant): Promise<any[]> =>
  expectStatus(200, await app.fetch(pathOf(org), as(owner))).body.data as any[];
const shown = async (by: Tenant, { id }: { id: string }): Promise<any> =>
  (await list(by)).find((domain) => domain.id === id);
const codeOf = ({ status, body }: Answer): [number, string] => [status, body.error?.code];

const setRecord = (...domains: { record: { name: string; value: string } }[]): void => {
  dns.set(domains[0]!.record.name, 'TXT', 'something else', ...domains.map(({ record }) => record.value));
};
const removeRecord = ({ record }: { record: { name: string } }): void => {
  dns.set(record.name, 'TXT');
};
const verified = async (by: Tenant, name?: string): Promise<any> => {
  const domain = await added(by, name);
  setRecord(domain);
  const answer = expectStatus(200, await verify(by, domain.id as string)).body.data;
  expect(answer.status).toBe('verified');
  return answer;
};
/** Lets the week of the domain end, and runs the schedule. */
const nextWeek = async ({ id }: { id: string }): Promise<void> => {
  await make.sql("UPDATE sso_domains SET next_check_at = now() - interval '1 second' WHERE id = $1", [id]);
  await app.runSchedule('org-domain-checks');
};
const paused = async (by: Tenant, name?: string): Promise<any> => {
  const domain = await verified(by, name);
  removeRecord(domain);
  await nextWeek(domain);
  await nextWeek(domain);
  expect((await shown(by, domain)).status).toBe('paused');
  return domain;
};
const auditOf = async ({ org, owner }: Tenant, { id }: { id: string }): Promise<any[]> =>
  expectStatus(200, await app.fetch(`/api/v1/orgs/${org.id}/audit-log?limit=100`, as(owner)))
    .body.data.filter(({ target }: any) => target.id === id)
    .reverse();
const actionsOf = async (by: Tenant, domain: { id: string }): Promise<string[]> =>
  (await auditOf(by, domain)).map(({ action }) => action as string);
const door = (): VerifiedDomains => app.get(VerifiedDomains);

let acme: Tenant;
let other: Tenant;

beforeAll(async () => {
  [acme, other] = await Promise.all([tenant(), tenant()]);
});
// An organization has few domains, and few checks in a minute.
beforeEach(async () => {
  acme = await tenant(acme.owner);
  other = await tenant(other.owner);
});

describe('POST /orgs/:id/domains', () => {
  it('adds a pending domain and shows the record to set', async () => {
    const name = uniqueDomain();
    const domain = await added(acme, name.toUpperCase());
    expect(domain).toEqual({
      id: expect.stringMatching(/^odom_[0-9a-z]{26}$/),
      name,
      status: 'pending',
      record: {
        type: 'TXT',
        name: `_service-challenge.${name}`,
        value: expect.stringMatching(/^service-verification=[0-9a-f]{40}$/),
      },
      created_at: expect.any(String),
    });
    expect(await shown(acme, domain)).toEqual(domain);
    expect(await auditOf(acme, domain)).toMatchObject([
      { action: 'org_domain.added', target: { type: 'org_domain' }, details: { name } },
    ]);
  });

  it('takes any spelling of a name, and www for the domain that it belongs to', async () => {
    const label = uniqueName('bücher');
    const domain = await added(acme, `www.${label}.DE`);
    expect(domain).toMatchObject({ name: expect.stringMatching(/^xn--.*\.de$/), unicode_name: `${label}.de` });
    for (const name of [`${label}.de`, `BÜCHER${label.slice('bücher'.length)}。de`, domain.name as string])
      expect(codeOf(await add(acme, name))).toEqual([409, 'already_exists']);
    setRecord(domain);
    expectStatus(200, await verify(acme, domain.id as string));
    expect(await door().orgIdOf(`${label.toUpperCase()}.de`)).toBe(acme.org.id);
    expect(await door().isOf(acme.org.id, `ada@${label}.de`)).toBe(true);
  });

  it.each([
    [{}, 'is_string'],
    [{ name: 5 }, 'is_string'],
    [{ name: 'acme.com', more: 1 }, 'unknown_field'],
    [{ name: '*.acme.com' }, 'is_not_wildcard'],
    [{ name: 'co.uk' }, 'is_not_public_suffix'],
    [{ name: 'github.io' }, 'is_not_public_suffix'],
    [{ name: '192.0.2.1' }, 'is_domain'],
    [{ name: 'https://acme.com' }, 'is_domain'],
    [{ name: 'acme' }, 'is_public'],
    [{ name: 'GMAIL.com' }, 'is_not_public_mail'],
    [{ name: 'yahoo.co.jp' }, 'is_not_public_mail'],
    [{ name: 'www.web.de' }, 'is_not_public_mail'],
  ])('returns 400 for %j: %s', async (body, code) => {
    const answer = await app.post(pathOf(acme.org), body, as(acme.owner));
    expect(codeOf(answer)).toEqual([400, 'invalid_request']);
    expect(answer.body.error.details[0].code).toBe(code);
  });

  it('returns 409 beyond 20 domains', async () => {
    const full = await tenant();
    await make.sql(
      `INSERT INTO sso_domains (id, org_id, name, challenge_token, status, misses, created_at)
       SELECT 'odom_' || n, $1, 'n' || n || '.many.com', 't', 'pending', 0, now() FROM generate_series(1, 20) AS n`,
      [full.org.id],
    );
    const answer = await add(full, uniqueDomain());
    expect(codeOf(answer)).toEqual([409, 'org_domain_limit_reached']);
    expect(answer.body.error.details).toEqual({ limit: 20 });
  });

  it('returns 409 for a domain that another organization has verified, not for one that it claims', async () => {
    const pending = await added(other);
    await added(acme, pending.name as string);
    const taken = await verified(other);
    const answer = await add(acme, taken.name as string);
    expect(codeOf(answer)).toEqual([409, 'domain_taken']);
    expect(answer.text).not.toContain(other.org.id);
  });

  it('happens once for an idempotency key, and changes nothing in a dry run', async () => {
    const name = uniqueDomain();
    const dry = await app.post(pathOf(acme.org), { name }, as(acme.owner, { headers: { 'dry-run': 'true' } }));
    expect(dry.status).toBe(201);
    expect(await shown(acme, dry.body.data)).toBeUndefined();
    const options = as(acme.owner, { headers: { 'idempotency-key': name } });
    const first = expectStatus(201, await app.post(pathOf(acme.org), { name }, options));
    expect((await app.post(pathOf(acme.org), { name }, options)).body.data).toEqual(first.body.data);
  });
});

describe('every route of domains of organizations', () => {
  const calls = (id: string): [string, string, object?][] => [
    ['GET', ''],
    ['POST', '', { name: uniqueDomain() }],
    ['POST', `/${id}/verify`],
    ['DELETE', `/${id}`],
  ];
  const call = (org: Org, [method, rest, body]: [string, string, object?], token?: Person | string): Promise<Answer> =>
    app.call(method, pathOf(org, rest), {
      headers: {
        ...(token === undefined ? {} : as(token).headers),
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });

  it('returns 401 without a session, also with a key', async () => {
    const { id } = await added(acme);
    const key = await make.key(acme.owner);
    for (const route of calls(id as string)) {
      expect(codeOf(await call(acme.org, route))).toEqual([401, 'session_required']);
      expect(codeOf(await call(acme.org, route, key))).toEqual([401, 'session_required']);
    }
  });

  it('returns the same 404 for the organization of others and for none', async () => {
    const { id } = await added(acme);
    for (const route of calls(id as string)) {
      const foreign = await call(acme.org, route, other.owner);
      const missing = await call({ id: 'org_00000000000000000000000000', slug: '' }, route, other.owner);
      expect(codeOf(foreign)).toEqual([404, 'organization_not_found']);
      expect(foreign.body.error).toEqual(missing.body.error);
    }
  });

  it('returns 404 for a domain of another organization, an unknown one and a removed one', async () => {
    const { id } = await added(acme);
    const removed = await added(other);
    expectStatus(204, await remove(other, removed.id as string));
    for (const each of [id, removed.id, ABSENT, 'nonsense'] as string[]) {
      expect(codeOf(await verify(other, each))).toEqual([404, 'org_domain_not_found']);
      expect(codeOf(await remove(other, each))).toEqual([404, 'org_domain_not_found']);
    }
    expect(await shown(acme, { id })).toBeDefined();
  });

  it('lets members and viewers read, and nobody below an admin write', async () => {
    const { id } = await added(acme);
    for (const [role, status] of [
      ['viewer', 403],
      ['member', 403],
      ['admin', 201],
    ] as const) {
      const person = await make.person();
      await make.member(acme.org, person, role);
      const [read, ...writes] = calls(id as string);
      expectStatus(200, await call(acme.org, read!, person));
      if (status === 201) expectStatus(201, await call(acme.org, writes[0]!, person));
      else
        for (const write of writes)
          expect(codeOf(await call(acme.org, write, person))).toEqual([403, 'insufficient_scopes']);
    }
  });

  it('needs a recent sign-in to write', async () => {
    const late = await tenant();
    const { id } = await added(late);
    await make.sql(
      "UPDATE sessions SET authenticated_at = authenticated_at - interval '16 minutes' WHERE user_id = $1",
      [late.owner.user.id],
    );
    const again = await app.another({ role: 'api' });
    try {
      for (const [method, rest, body] of calls(id as string).slice(1)) {
        const options = as(late.owner, body && { headers: { 'content-type': 'application/json' } });
        const answer = await again.call(method, pathOf(late.org, rest), {
          ...options,
          ...(body && { body: JSON.stringify(body) }),
        });
        expect(codeOf(answer)).toEqual([401, 'recent_sign_in_required']);
      }
    } finally {
      await again.stop();
    }
  });

  it('needs the plan to add and verify, and not to list and remove', async () => {
    const small = await tenant();
    const domain = await added(small);
    setRecord(domain);
    await make.plan(small.org.id, 'pro');
    for (const answer of [await add(small, uniqueDomain()), await verify(small, domain.id as string)]) {
      expect(codeOf(answer)).toEqual([403, 'feature_not_in_plan']);
      expect(answer.body.error.details).toMatchObject({ feature: 'sso', smallest_plan: 'enterprise' });
    }
    expect(await list(small)).toHaveLength(1);
    expectStatus(204, await remove(small, domain.id as string));
  });
});

describe('POST /orgs/:id/domains/:id/verify', () => {
  it('verifies a domain once its record is there', async () => {
    const domain = await added(acme);
    const missing = expectStatus(200, await verify(acme, domain.id as string)).body.data;
    expect(missing).toMatchObject({
      status: 'pending',
      last_problem: 'challenge_missing',
      checked_at: expect.any(String),
    });
    dns.set(domain.record.name as string, 'TXT', `${domain.record.value}0`);
    expect((await verify(acme, domain.id as string)).body.data.status).toBe('pending');

    setRecord(domain);
    const done = expectStatus(200, await verify(acme, domain.id as string)).body.data;
    expect(done).toMatchObject({ status: 'verified', verified_at: expect.any(String) });
    expect(done.last_problem).toBeUndefined();
    expect((await verify(acme, domain.id as string)).body.data.verified_at).toBe(done.verified_at);
    expect(await actionsOf(acme, domain)).toEqual(['org_domain.added', 'org_domain.verified']);
  });

  it('says that the name servers did not answer, and changes nothing', async () => {
    const domain = await added(acme);
    setRecord(domain);
    dns.isBroken = true;
    try {
      const answer = expectStatus(200, await verify(acme, domain.id as string)).body.data;
      expect(answer).toMatchObject({ status: 'pending', last_problem: 'resolver_unavailable' });
    } finally {
      dns.isBroken = false;
    }
  });

  it('returns 409 when another organization has verified the domain meanwhile', async () => {
    const name = uniqueDomain();
    const mine = await added(acme, name);
    const theirs = await verified(other, name);
    setRecord(mine, theirs);
    expect(codeOf(await verify(acme, mine.id as string))).toEqual([409, 'domain_taken']);
    expect((await shown(acme, mine)).status).toBe('pending');
    expect((await shown(other, theirs)).status).toBe('verified');
    expectStatus(204, await remove(other, theirs.id as string));
    expect((await verify(acme, mine.id as string)).body.data.status).toBe('verified');
  });

  it('lets one of two organizations win that verify a name at once', async () => {
    for (let round = 0; round < 5; round++) {
      const name = uniqueDomain();
      const [one, two] = [await added(acme, name), await added(other, name)];
      setRecord(one, two);
      const answers = await Promise.all([verify(acme, one.id as string), verify(other, two.id as string)]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
      const [loser] = answers.filter(({ status }) => status === 409);
      expect(codeOf(loser!)).toEqual([409, 'domain_taken']);
      const statuses = [(await shown(acme, one)).status, (await shown(other, two)).status];
      expect(statuses.sort()).toEqual(['pending', 'verified']);
    }
  });

  it('is refused by the database for a second organization, whatever the code does', async () => {
    const domain = await verified(acme);
    const second = await added(other);
    await expect(
      make.sql(
        `UPDATE sso_domains SET name = $2, status = 'verified', verified_at = now(), next_check_at = now()
         WHERE id = $1`,
        [second.id, domain.name],
      ),
    ).rejects.toThrow('sso_domains_held_once');
  });

  it('returns 429 after 20 checks in a minute', async () => {
    const busy = await tenant();
    const { id } = await added(busy);
    await eventually(
      async () => (await verify(busy, id as string)).body.error?.code === 'burst_limit_exceeded',
      'checks are refused',
    );
    expect(codeOf(await verify(busy, id as string))).toEqual([429, 'burst_limit_exceeded']);
  });

  it('neither counts a miss nor moves the weekly check on', async () => {
    const domain = await verified(acme);
    const [before] = await make.sql('SELECT next_check_at FROM sso_domains WHERE id = $1', [domain.id]);
    removeRecord(domain);
    for (let count = 0; count < 3; count++) expectStatus(200, await verify(acme, domain.id as string));
    const [after] = await make.sql('SELECT status, misses, next_check_at FROM sso_domains WHERE id = $1', [domain.id]);
    expect(after).toEqual({ status: 'verified', misses: 0, next_check_at: before!['next_check_at'] });
  });
});

describe('the weekly check', () => {
  it('asks only for domains that are due', async () => {
    const domain = await verified(acme);
    const pending = await added(acme);
    const asked = dns.asked.length;
    await app.runSchedule('org-domain-checks');
    expect(dns.asked.slice(asked).filter((question) => /(acme-\w+)\.com$/.test(question))).toEqual([]);
    await nextWeek(domain);
    expect(dns.asked.slice(asked)).toEqual([`TXT ${domain.record.name}`]);
    expect(await shown(acme, domain)).toMatchObject({ status: 'verified', verified_at: domain.verified_at });
    expect((await shown(acme, pending)).checked_at).toBeUndefined();
    const [row] = await make.sql('SELECT next_check_at - checked_at AS wait FROM sso_domains WHERE id = $1', [
      domain.id,
    ]);
    expect(row!['wait']).toMatchObject({ days: 7 });
  });

  it('pauses a domain after two misses in a row, and tells all owners', async () => {
    const mine = await tenant();
    const second = await make.person();
    const member = await make.person();
    await make.member(mine.org, second, 'owner');
    await make.member(mine.org, member, 'member');
    const domain = await verified(mine);
    removeRecord(domain);
    await nextWeek(domain);
    expect(await shown(mine, domain)).toMatchObject({ status: 'verified', last_problem: 'challenge_missing' });
    expect(await door().orgIdOf(domain.name as string)).toBe(mine.org.id);
    await nextWeek(domain);
    expect(await shown(mine, domain)).toMatchObject({
      status: 'paused',
      last_problem: 'challenge_missing',
      verified_at: domain.verified_at,
    });
    expect(await door().orgIdOf(domain.name as string)).toBeUndefined();
    expect(await auditOf(mine, domain)).toMatchObject([
      {},
      {},
      { action: 'org_domain.paused', details: { name: domain.name } },
    ]);
    for (const { user } of [mine.owner, second]) {
      const mail = await mailTo(app, user.email, 'was paused');
      expect(mail.subject).toContain(domain.name);
      expect(mail.text).toContain(`${domain.record.name} TXT ${domain.record.value}`);
    }
    await nextWeek(domain);
    expect(
      mailsOf(app).filter(({ to, subject }) => to === second.user.email && /was paused/.test(subject)),
    ).toHaveLength(1);
    expect(mailsOf(app).filter(({ to, subject }) => to === member.user.email && /was paused/.test(subject))).toEqual(
      [],
    );
  });

  it('counts no miss while name servers do not answer, and forgets one after a success', async () => {
    const domain = await verified(acme);
    dns.isBroken = true;
    try {
      for (let week = 0; week < 3; week++) await nextWeek(domain);
    } finally {
      dns.isBroken = false;
    }
    expect(await shown(acme, domain)).toMatchObject({ status: 'verified', last_problem: 'resolver_unavailable' });
    removeRecord(domain);
    await nextWeek(domain);
    setRecord(domain);
    await nextWeek(domain);
    expect((await shown(acme, domain)).last_problem).toBeUndefined();
    removeRecord(domain);
    await nextWeek(domain);
    expect((await shown(acme, domain)).status).toBe('verified');
  });

  it('verifies a paused domain again when its record is back, and so does its owner', async () => {
    const one = await paused(acme);
    setRecord(one);
    await nextWeek(one);
    expect((await shown(acme, one)).status).toBe('verified');
    expect(await actionsOf(acme, one)).toEqual([
      'org_domain.added',
      'org_domain.verified',
      'org_domain.paused',
      'org_domain.verified',
    ]);
    const two = await paused(acme);
    setRecord(two);
    expect((await verify(acme, two.id as string)).body.data.status).toBe('verified');
  });

  it('runs once for a week, whatever process asks', async () => {
    const domain = await verified(acme);
    removeRecord(domain);
    await make.sql("UPDATE sso_domains SET next_check_at = now() - interval '1 second' WHERE id = $1", [domain.id]);
    await Promise.all([app.runSchedule('org-domain-checks'), app.runSchedule('org-domain-checks')]);
    expect(await make.sql('SELECT misses FROM sso_domains WHERE id = $1', [domain.id])).toEqual([{ misses: 1 }]);
  });
});

describe('a paused domain', () => {
  it('goes to another organization that proves it, and the first one cannot have it back', async () => {
    const theirs = await paused(other);
    const mine = await added(acme, theirs.name as string);
    setRecord(mine);
    expect((await verify(acme, mine.id as string)).body.data.status).toBe('verified');
    expect(await shown(other, theirs)).toMatchObject({ status: 'pending', last_problem: 'taken_over' });
    expect((await actionsOf(other, theirs)).at(-1)).toBe('org_domain.lost');
    setRecord(mine, theirs);
    expect(codeOf(await verify(other, theirs.id as string))).toEqual([409, 'domain_taken']);
    expect(await door().orgIdOf(theirs.name as string)).toBe(acme.org.id);
  });

  it('stays where it is while the zone shows the record of its organization too', async () => {
    const theirs = await paused(other);
    const mine = await added(acme, theirs.name as string);
    setRecord(mine, theirs);
    expect(codeOf(await verify(acme, mine.id as string))).toEqual([409, 'domain_taken']);
    await nextWeek(theirs);
    expect((await shown(other, theirs)).status).toBe('verified');
  });
});

describe('DELETE /orgs/:id/domains/:id', () => {
  it('removes a domain, which another organization can have then', async () => {
    const domain = await verified(acme);
    expectStatus(204, await remove(acme, domain.id as string));
    expect(await shown(acme, domain)).toBeUndefined();
    expect(await door().orgIdOf(domain.name as string)).toBeUndefined();
    expect((await actionsOf(acme, domain)).at(-1)).toBe('org_domain.removed');
    await verified(other, domain.name as string);
    // The record of the removed claim proves nothing.
    const again = await add(acme, domain.name as string);
    expect(codeOf(again)).toEqual([409, 'domain_taken']);
  });

  it('happens for all domains of an organization that is deleted', async () => {
    const ending = await tenant();
    const domain = await verified(ending);
    await added(ending);
    expectStatus(204, await app.call('DELETE', `/api/v1/orgs/${ending.org.id}`, as(ending.owner)));
    await eventually(
      async () => (await make.sql('SELECT 1 FROM sso_domains WHERE org_id = $1', [ending.org.id])).length === 0,
      'the domains are gone',
    );
    await verified(other, domain.name as string);
  });
});

describe('verified domains', () => {
  it('stand for themselves alone, for their organization, and only while they are verified', async () => {
    const domain = await verified(acme);
    const pending = await added(acme);
    const name = domain.name as string;
    expect(await door().isOf(acme.org.id, `Ada+x@${name.toUpperCase()}`)).toBe(true);
    for (const address of [
      `ada@eu.${name}`,
      `ada@www.${name}`,
      `ada@x${name}`,
      `ada@${name}.`,
      `ada@${name}@gmail.com`,
      name,
      `@${name}`,
      `ada@${pending.name}`,
    ])
      expect([address, await door().isOf(acme.org.id, address)]).toEqual([address, false]);
    expect(await door().isOf(other.org.id, `ada@${name}`)).toBe(false);
    const names = (await door().listVerified(acme.org.id)).map((each) => each.name);
    expect(names).toContain(name);
    expect(names).not.toContain(pending.name);
    expect(names).toEqual([...names].sort());
  });
});
