import { DnsServer } from '../support/dns-server.js';
import {
  challengeOf,
  CNAME_TARGET,
  OUR_ADDRESS,
  settingsOf,
  Tenant,
  untilGone,
  untilServed,
  visitHost,
} from '../support/domains.js';
import { as, expectStatus, Make } from '../support/make.js';
import { type Answer, eventually, useApp } from '../support/test-app.js';

const SECRET = 'a-secret-of-the-proxy-in-the-tests';
const dns = new DnsServer();
const app = useApp(settingsOf(dns, { TLS_ASK_SECRET: SECRET }));
const make = new Make(app);
let owner: Tenant;
let thief: Tenant;

beforeAll(async () => {
  owner = await Tenant.create(app, make, 'the owner', 'enterprise');
  thief = await Tenant.create(app, make, 'the thief', 'enterprise');
});

const ask = (domain: string, secret = SECRET): Promise<Answer> =>
  app.fetch(`/internal/tls?secret=${encodeURIComponent(secret)}&domain=${encodeURIComponent(domain)}`);
const mayHaveCertificate = async (domain: string): Promise<boolean> => (await ask(domain)).status === 200;
const isGone = async (host: string): Promise<void> => {
  await untilGone(app, host);
  await eventually(async () => !(await mayHaveCertificate(host)), `${host} has no certificate`);
};

describe('GET /internal/tls', () => {
  it('returns 200 for a domain that is served, and 404 for anything else', async () => {
    await owner.activate(dns, 'tls.example.com');
    expectStatus(201, await owner.add({ name: 'pending.example.com' }));
    const yes = await ask('tls.example.com');
    expect([yes.status, yes.text]).toEqual([200, '']);
    for (const domain of [
      'pending.example.com',
      'sub.tls.example.com',
      'TLS.example.com',
      'tls.example.com.',
      '*.example.com',
      'localhost',
      'deploys.test',
      'shop.deploys.test',
      '192.0.2.1',
      '',
      "'; DROP TABLE domains --",
      'a'.repeat(5_000),
    ])
      expect([domain, (await ask(domain)).status]).toEqual([domain, 404]);
    for (const secret of ['', 'wrong', `${SECRET}x`]) expect((await ask('tls.example.com', secret)).status).toBe(404);
    expect((await app.fetch('/internal/tls')).status).toBe(404);
    expect((await app.fetch(`/internal/tls?secret=${SECRET}&secret=x&domain=tls.example.com`)).status).toBe(404);
    expect((await app.fetch(`/internal/tls?secret=${SECRET}&domain[]=tls.example.com`)).status).toBe(404);
  });

  it('is counted by answer, and so are domains and their checks', async () => {
    const valueOf = (text: string, series: string): number =>
      Number(
        text
          .split('\n')
          .find((line) => line.startsWith(`${series} `))
          ?.split(' ')[1],
      );
    const series = [
      'tls_questions_total{answer="allowed"}',
      'tls_questions_total{answer="not_served"}',
      'tls_questions_total{answer="wrong_secret"}',
      'tls_questions_total{answer="disabled"}',
      'custom_domain_checks_total{outcome="ok"}',
      'custom_domain_checks_total{outcome="challenge_missing"}',
      'custom_domains{state="active"}',
      'custom_domains{state="pending"}',
    ];
    const values = async (): Promise<number[]> => {
      const { text } = await app.fetch('/metrics');
      return series.map((name) => valueOf(text, name));
    };
    const before = await values();
    await owner.activate(dns, 'counted.example.com');
    expectStatus(201, await owner.add({ name: 'unproved.example.com' }));
    expectStatus(200, await owner.verify('unproved.example.com'));
    await ask('counted.example.com');
    await ask('unproved.example.com');
    await ask('nobody.example.com');
    await ask('counted.example.com', 'wrong');
    const added = [1, 2, 1, 0, 1, 1, 1, 1];
    expect(await values()).toEqual(before.map((value, index) => value + added[index]!));
    const { text } = await app.fetch('/metrics');
    expect(valueOf(text, 'custom_domain_check_overdue_seconds')).toBe(0);
    await make.sql("UPDATE domains SET next_check_at = now() - interval '2 hours' WHERE name = 'counted.example.com'");
    const late = (await app.fetch('/metrics')).text;
    expect(valueOf(late, 'custom_domain_check_overdue_seconds')).toBeGreaterThanOrEqual(7_200);
    await make.sql("UPDATE domains SET next_check_at = now() + interval '1 day' WHERE name = 'counted.example.com'");
  });

  it('never writes the secret to the log', () => {
    expect(JSON.stringify(app.log())).not.toContain(SECRET);
    expect(JSON.stringify(app.log())).toContain('/internal/tls');
  });

  it('bounds the names below a wildcard, and keeps those that it has allowed', async () => {
    await owner.activate(dns, '*.many-names.com');
    const answers: boolean[] = [];
    for (let count = 0; count < 52; count++) answers.push(await mayHaveCertificate(`n${count}.many-names.com`));
    expect(answers.filter(Boolean)).toHaveLength(50);
    expect(await mayHaveCertificate('n0.many-names.com')).toBe(true);
    expect(await mayHaveCertificate('a.b.many-names.com')).toBe(false);
  });
});

describe('a takeover', () => {
  it('by adding the name of another organization needs a proof of its own', async () => {
    const name = 'claimed.example.com';
    await owner.activate(dns, name);
    const { data } = expectStatus(201, await thief.add({ name })).body;
    expect(challengeOf(data)).not.toBe(challengeOf((await owner.get(name)).body.data));
    expect((await thief.verify(name)).body.data).toMatchObject({
      state: 'pending',
      problem: { code: 'challenge_missing' },
    });
    await untilServed(app, name, 'the owner');
    // A pending claim takes nothing with it when it is changed or removed.
    expectStatus(200, await thief.change(name, { hsts: true, https_redirect: false }));
    expect((await visitHost(app, name)).headers['strict-transport-security']).toBeUndefined();
    expectStatus(204, await thief.remove(name));
    await untilServed(app, name, 'the owner');
    expect(await mayHaveCertificate(name)).toBe(true);
  });

  it('is not possible while the proof of the holder is there, and is a move once it is replaced', async () => {
    const name = 'sold.example.com';
    await owner.activate(dns, name);
    const { data } = expectStatus(201, await thief.add({ name })).body;
    const theirs = challengeOf((await owner.get(name)).body.data);
    dns.set(`_service-challenge.${name}`, 'TXT', theirs, challengeOf(data));
    expect((await thief.verify(name)).body.data).toMatchObject({
      state: 'pending',
      problem: { code: 'held_by_another' },
    });
    await untilServed(app, name, 'the owner');

    dns.set(`_service-challenge.${name}`, 'TXT', challengeOf(data));
    expect((await thief.verify(name)).body.data.state).toBe('active');
    await untilServed(app, name, 'the thief');
    expect((await owner.get(name)).body.data).toMatchObject({ state: 'pending', problem: { code: 'taken_over' } });
    expect((await owner.verify(name)).body.data.state).toBe('pending');
  });

  it('by a pending claim does not keep the true owner out', async () => {
    const name = 'squatted.example.com';
    expectStatus(201, await thief.add({ name }));
    await owner.activate(dns, name);
    await untilServed(app, name, 'the owner');
  });

  it('when two organizations verify at the same moment ends with one holder', async () => {
    const name = 'race.example.com';
    const claims = [owner, thief];
    const values: string[] = [];
    for (const tenant of claims) values.push(challengeOf(expectStatus(201, await tenant.add({ name })).body.data));
    dns.set(`_service-challenge.${name}`, 'TXT', ...values);
    dns.set(name, 'CNAME', CNAME_TARGET);
    await Promise.all(claims.map((tenant) => tenant.verify(name)));
    const states = await Promise.all(claims.map((tenant) => tenant.stateOf(name)));
    expect(states.sort()).toEqual(['active', 'pending']);
  });

  it.each(['DANGLING.example.com', 'dangling。example.com', 'ｄangling.example.com'])(
    'by the spelling %s of a taken domain is a claim to the same name',
    async (spelling) => {
      const name = 'dangling.example.com';
      if ((await owner.get(name)).status === 404) await owner.activate(dns, name);
      const { data } = expectStatus(201, await thief.add({ name: spelling })).body;
      expect(data.name).toBe(name);
      expect((await thief.verify(name)).body.data.state).toBe('pending');
      expectStatus(204, await thief.remove(name));
      await untilServed(app, name, 'the owner');
    },
  );

  it('by a homograph is another name, which serves nobody but its own visitors', async () => {
    await owner.activate(dns, 'paypal-owner.com');
    for (const name of ['p\u0430ypal-owner.com', 'paypal-owner.com.', 'xn--pypal-owner-xyz.com'])
      expect((await thief.add({ name })).status).toBe(400);
    // Cyrillic letters alone, which look like paypal.
    const { data } = expectStatus(201, await thief.add({ name: '\u0440\u0430\u0443\u0440\u0430\u04cf.com' })).body;
    expect(data.name).toMatch(/^xn--/);
    expect(data.unicode_name).not.toBe(data.name);
  });

  it('of a dangling record needs a proof: after the domain is removed', async () => {
    const name = 'removed.example.com';
    await owner.activate(dns, name);
    await untilServed(app, name, 'the owner');
    expectStatus(204, await owner.remove(name));
    await isGone(name);
    // The record of the owner is still in the zone.
    expectStatus(201, await thief.add({ name }));
    expect((await thief.verify(name)).body.data.state).toBe('pending');
    expect((await visitHost(app, name)).status).toBe(404);
  });

  it('of a dangling record needs a proof: after the project is deleted', async () => {
    const name = 'project.example.com';
    const project = await owner.createProject();
    await owner.deployProduction('a project', project);
    const { data } = expectStatus(201, await app.post(owner.path(undefined, project), { name }, as(owner.key))).body;
    dns.set(`_service-challenge.${name}`, 'TXT', challengeOf(data));
    dns.set(name, 'CNAME', CNAME_TARGET);
    expectStatus(200, await app.call('POST', `${owner.path(name, project)}/verify`, as(owner.key)));
    await untilServed(app, name, 'a project');
    expectStatus(204, await app.call('DELETE', `/api/v1/projects/${project}`, as(owner.key)));
    await isGone(name);
    expectStatus(201, await thief.add({ name }));
    expect((await thief.verify(name)).body.data.state).toBe('pending');
    // The owner is free to add it to another project.
    expect((await owner.activate(dns, name))['state']).toBe('active');
  });

  it('ends with the organization, whose names are free', async () => {
    const name = 'org.example.com';
    const person = await make.person({ plan: 'pro' });
    const org = await make.org(person, { plan: 'pro' });
    const key = await make.key(person);
    const options = (): ReturnType<typeof as> => as(key, { headers: { 'x-service-org': org.id } });
    const project = expectStatus(201, await app.post('/api/v1/projects', { name: 'gone' }, options())).body.data.id;
    const path = `/api/v1/projects/${project as string}/domains`;
    const { data } = expectStatus(201, await app.post(path, { name }, options())).body;
    dns.set(`_service-challenge.${name}`, 'TXT', challengeOf(data));
    dns.set(name, 'CNAME', CNAME_TARGET);
    expect((await app.call('POST', `${path}/${name}/verify`, options())).body.data.state).toBe('active');
    expectStatus(204, await app.call('DELETE', `/api/v1/orgs/${org.id}`, as(person)));
    await isGone(name);
    expect(await make.sql('SELECT 1 FROM domains WHERE org_id = $1', [org.id])).toEqual([]);
    expect((await owner.activate(dns, name))['state']).toBe('active');
  });

  it('by a wildcard does not cover a name that another organization has proved', async () => {
    await thief.activate(dns, 'app.shared-zone.com');
    await owner.activate(dns, '*.shared-zone.com');
    await untilServed(app, 'app.shared-zone.com', 'the thief');
    await untilServed(app, 'any.shared-zone.com', 'the owner');
    expect((await visitHost(app, 'deep.any.shared-zone.com')).status).toBe(404);
    expect((await visitHost(app, 'shared-zone.com')).status).toBe(404);
    expectStatus(204, await owner.remove('*.shared-zone.com'));
    await isGone('any.shared-zone.com');
    await untilServed(app, 'app.shared-zone.com', 'the thief');
  });

  it('of a name below a wildcard needs a proof at that name', async () => {
    await owner.activate(dns, '*.mine.com');
    const { data } = expectStatus(201, await thief.add({ name: 'app.mine.com' })).body;
    dns.set('app.mine.com', 'CNAME', CNAME_TARGET);
    expect((await thief.verify('app.mine.com')).body.data.state).toBe('pending');
    await untilServed(app, 'app.mine.com', 'the owner');
    expect(data.records[0].name).toBe('_service-challenge.app.mine.com');
  });

  it('by a CNAME to the host of another tenant serves nothing without a proof', async () => {
    const name = 'pointed.example.com';
    dns.set(name, 'CNAME', 'production-of-the-owner.deploys.test');
    dns.set(name, 'A', OUR_ADDRESS);
    expect((await visitHost(app, name)).status).toBe(404);
    expect(await mayHaveCertificate(name)).toBe(false);
    expectStatus(201, await thief.add({ name }));
    expect((await thief.verify(name)).body.data.state).toBe('pending');
    expect((await visitHost(app, name)).status).toBe(404);
  });

  it('by a redirect to a lost domain ends with it', async () => {
    await owner.activate(dns, 'to.lost-zone.com');
    await owner.activate(dns, 'from.lost-zone.com', { redirect_to: 'to.lost-zone.com' });
    expect((await visitHost(app, 'from.lost-zone.com')).status).toBe(308);
    const { data } = expectStatus(201, await thief.add({ name: 'to.lost-zone.com' })).body;
    dns.set('_service-challenge.to.lost-zone.com', 'TXT', challengeOf(data));
    expect((await thief.verify('to.lost-zone.com')).body.data.state).toBe('active');
    await untilServed(app, 'from.lost-zone.com', 'the owner');
  });

  it('by the Host header finds exact names only', async () => {
    const name = 'header.example.com';
    await owner.activate(dns, name);
    for (const host of [name, name.toUpperCase(), `${name}.`, `${name}:443`])
      expect([host, (await visitHost(app, host)).text]).toEqual([host, 'the owner']);
    for (const host of [
      `x.${name}`,
      `${name}..`,
      `${name}.deploys.test`,
      `${name}@evil.com`,
      '*.example.com',
      'deploys.test',
      'api.test',
      '[::1]',
      '192.0.2.10',
      'é.example.com',
      `${'a'.repeat(300)}.com`,
    ])
      expect([host, (await visitHost(app, host)).status]).not.toEqual([host, 200]);
    // The first host that is known wins, so that a forwarded one cannot replace it.
    await thief.activate(dns, 'thief.example.com');
    const forwarded = { headers: { 'x-forwarded-host': 'thief.example.com' } };
    expect((await visitHost(app, name, '/', forwarded)).text).toBe('the owner');
  });
});

describe('without a trusted proxy', () => {
  const plain = useApp(settingsOf(new DnsServer(), { TRUST_PROXY: '' }));

  it('X-Forwarded-Host and X-Forwarded-Proto count for nothing, and nobody gets a certificate', async () => {
    const tenant = await Tenant.create(plain, new Make(plain), 'plain');
    await new Make(plain).sql(
      `INSERT INTO custom_hosts (name, project_id, org_id, https_redirect, hsts, updated_at)
       VALUES ('plain.example.com', $1, $2, true, true, now())`,
      [tenant.projectId, tenant.orgId],
    );
    const visit = await visitHost(plain, 'plain.example.com', '/', { headers: { 'x-forwarded-proto': 'http' } });
    expect([visit.status, visit.text]).toEqual([200, 'plain']);
    const secure = await visitHost(plain, 'plain.example.com');
    expect(secure.headers['strict-transport-security']).toBeUndefined();
    const forwarded = { headers: { 'x-forwarded-host': 'plain.example.com' } };
    expect((await visitHost(plain, 'unknown.example.com', '/', forwarded)).status).toBe(404);
    expect((await plain.fetch('/internal/tls?secret=&domain=plain.example.com')).status).toBe(404);
  });
});
