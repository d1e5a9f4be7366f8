import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Clock } from '../../src/platform/time/clock.js';
import { DnsServer } from '../support/dns-server.js';
import {
  challengeOf,
  CNAME_TARGET,
  OUR_ADDRESS,
  OUR_ADDRESS_V6,
  settingsOf,
  Tenant,
  untilGone,
  untilServed,
  visitHost,
} from '../support/domains.js';
import { as, expectStatus, Make } from '../support/make.js';
import { type Answer, eventually, useApp } from '../support/test-app.js';

const ABSENT = 'prj_00000000000000000000000000';
const dns = new DnsServer();
// Processes that share deploys share their files.
const directory = mkdtempSync(join(tmpdir(), 'service-artifacts-'));
const app = useApp(settingsOf(dns, { ARTIFACTS_URL: `file://${directory}` }));
const make = new Make(app);
let acme: Tenant;
let other: Tenant;

beforeAll(async () => {
  acme = await Tenant.create(app, make, 'acme');
  other = await Tenant.create(app, make, 'other');
});
afterEach(() => {
  jest.restoreAllMocks();
});
afterAll(() => {
  rmSync(directory, { recursive: true });
});

const codeOf = (answer: Answer): [number, string] => [answer.status, answer.body.error?.code];
const auditOf = async (tenant: Tenant): Promise<string[]> =>
  (await app.fetch(`/api/v1/orgs/${tenant.orgId}/audit-log?limit=100`, as(tenant.person))).body.data.map(
    ({ action }: { action: string }) => action,
  );
const days = (count: number): void => {
  const at = Date.now() + count * 86_400_000;
  jest.spyOn(app.get(Clock), 'now').mockImplementation(() => new Date(at));
};

describe('POST /projects/:id/domains', () => {
  it('adds a pending domain and shows the records to set', async () => {
    const answer = await acme.add({ name: 'Shop.Example.com' });
    expect(answer.status).toBe(201);
    expect(answer.body.data).toEqual({
      id: expect.stringMatching(/^dom_[0-9a-z]{26}$/),
      project_id: acme.projectId,
      name: 'shop.example.com',
      unicode_name: 'shop.example.com',
      state: 'pending',
      https_redirect: true,
      hsts: false,
      records: [
        {
          type: 'TXT',
          name: '_service-challenge.shop.example.com',
          value: expect.stringMatching(/^service-verification=[0-9a-f]{40}$/),
          purpose: 'verification',
          status: 'unchecked',
          seen: [],
        },
        {
          type: 'CNAME',
          name: 'shop.example.com',
          value: CNAME_TARGET,
          purpose: 'routing',
          status: 'unchecked',
          seen: [],
        },
      ],
      created_at: expect.any(String),
      next_check_at: expect.any(String),
    });
    for (const domain of [answer.body.data.id, 'shop.example.com', 'SHOP.example.com'])
      expect((await acme.get(domain as string)).body.data).toEqual(answer.body.data);
    expect(await auditOf(acme)).toContain('domain.added');
  });

  it('shows A and AAAA records for a domain without a subdomain', async () => {
    const { data } = (await acme.add({ name: 'bücher-acme.de' })).body;
    expect(data).toMatchObject({ name: 'xn--bcher-acme-9db.de', unicode_name: 'bücher-acme.de' });
    expect(data.records.slice(1)).toMatchObject([
      { type: 'A', name: data.name, value: OUR_ADDRESS },
      { type: 'AAAA', name: data.name, value: OUR_ADDRESS_V6 },
    ]);
  });

  it('adds www as a redirect, proved by the same record', async () => {
    const { data } = expectStatus(201, await acme.add({ name: 'acme-www.com', www_redirect: true })).body;
    const www = (await acme.get('www.acme-www.com')).body.data;
    expect(www).toMatchObject({ redirect_to: 'acme-www.com', state: 'pending' });
    expect(www.records[0]).toEqual(data.records[0]);
  });

  it.each([
    [{}, 'name'],
    [{ name: 5 }, 'name'],
    [{ name: 'co.uk' }, 'name'],
    [{ name: '192.0.2.1' }, 'name'],
    [{ name: 'shop.example.com:443' }, 'name'],
    [{ name: 'shop.example.com.' }, 'name'],
    [{ name: 'x.deploys.test' }, 'name'],
    [{ name: 'api.test' }, 'name'],
    [{ name: 'p\u0430ypal.com' }, 'name'],
    [{ name: 'a.example.com', redirect_to: 'nowhere.example.com' }, 'redirect_to'],
    [{ name: 'a.example.com', redirect_to: 'a.example.com' }, 'redirect_to'],
    [{ name: 'a.example.com', hsts: 'yes' }, 'hsts'],
    [{ name: 'a.example.com', more: 1 }, 'more'],
  ])('returns 400 for %j', async (body, path) => {
    const answer = await acme.add(body);
    expect(codeOf(answer)).toEqual([400, 'invalid_request']);
    expect(answer.body.error.details[0].path).toBe(path);
  });

  it('returns 409 for a name that the organization has added, in any spelling and to any project', async () => {
    await acme.add({ name: 'twice.example.com' });
    for (const name of ['twice.example.com', 'TWICE.example.com', 'twice。example.com'])
      expect(codeOf(await acme.add({ name }))).toEqual([409, 'already_exists']);
    const second = await acme.createProject();
    const answer = await app.post(acme.path(undefined, second), { name: 'twice.example.com' }, as(acme.key));
    expect(codeOf(answer)).toEqual([409, 'already_exists']);
    expect(answer.body.error.details.project_id).toBe(acme.projectId);
  });

  it('returns 403 for a wildcard below Enterprise, and adds it there', async () => {
    const refused = await acme.add({ name: '*.example.com' });
    expect(codeOf(refused)).toEqual([403, 'feature_not_in_plan']);
    expect(refused.body.error.details).toMatchObject({ feature: 'wildcard_domains', smallest_plan: 'enterprise' });
    const large = await Tenant.create(app, make, 'large', 'enterprise');
    const { data } = expectStatus(201, await large.add({ name: '*.example.com' })).body;
    expect(data.records.map(({ name }: { name: string }) => name)).toEqual([
      '_service-challenge.example.com',
      '*.example.com',
    ]);
  });

  it('returns 409 beyond 50 domains, and needs projects:write', async () => {
    const project = await acme.createProject();
    await make.sql(
      `INSERT INTO domains (id, org_id, project_id, name, challenge_token, state, https_redirect, hsts, failed_checks,
         created_at)
       SELECT 'dom_' || lpad(n::text, 26, '0'), $1, $2, 'n' || n || '.many.com', 't', 'pending', true, false, 0, now()
       FROM generate_series(1, 50) AS n`,
      [acme.orgId, project],
    );
    const one = (key: string): Promise<Answer> =>
      app.post(acme.path(undefined, project), { name: 'more.com' }, as(key));
    expect(codeOf(await one(acme.key))).toEqual([409, 'domain_limit_reached']);
    const reader = await make.key(acme.person, { scopes: ['projects:read'] });
    expect(codeOf(await one(reader))).toEqual([403, 'insufficient_scopes']);
    const page = (await app.fetch(`${acme.path(undefined, project)}?limit=20`, as(reader))).body;
    expect(page.data).toHaveLength(20);
    expect(page.meta).toMatchObject({ has_more: true, next_cursor: expect.any(String) });
    const second = await app.fetch(
      `${acme.path(undefined, project)}?limit=100&cursor=${page.meta.next_cursor}`,
      as(reader),
    );
    expect(second.body.data).toHaveLength(30);
  });

  it('happens once for an idempotency key, and changes nothing in a dry run', async () => {
    const dry = await acme.add({ name: 'dry.example.com' }, { headers: { 'dry-run': 'true' } });
    expect(dry.status).toBe(201);
    expect((await acme.get('dry.example.com')).status).toBe(404);
    const options = { headers: { 'idempotency-key': 'domains-1' } };
    const first = await acme.add({ name: 'once.example.com' }, options);
    expect((await acme.add({ name: 'once.example.com' }, options)).body.data).toEqual(first.body.data);
  });
});

describe('every route of domains', () => {
  beforeAll(async () => {
    expectStatus(201, await acme.add({ name: 'routes.example.com' }));
  });

  it.each([
    ['GET', ''],
    ['POST', ''],
    ['GET', '/routes.example.com'],
    ['PATCH', '/routes.example.com'],
    ['DELETE', '/routes.example.com'],
    ['POST', '/routes.example.com/verify'],
  ])(
    '%s domains%s returns 401 without a key, and 404 for another tenant and for a missing project',
    async (method, rest) => {
      const body = rest === '' ? { name: 'r.example.com' } : { hsts: true };
      const hasBody = method === 'PATCH' || (method === 'POST' && rest === '');
      const call = (project: string, key?: string): Promise<Answer> => {
        const { headers } = key === undefined ? {} : as(key);
        return app.call(method, `/api/v1/projects/${project}/domains${rest}`, {
          headers: { ...headers, ...(hasBody ? { 'content-type': 'application/json' } : {}) },
          ...(hasBody ? { body: JSON.stringify(body) } : {}),
        });
      };
      expect(codeOf(await call(acme.projectId))).toEqual([401, 'missing_api_key']);
      const foreign = await call(acme.projectId, other.key);
      const missing = await call(ABSENT, other.key);
      expect(codeOf(foreign)).toEqual([404, 'project_not_found']);
      expect(foreign.body.error).toEqual(missing.body.error);
    },
  );

  it('returns 404 for a domain of another project, and for a name that cannot be one', async () => {
    const { id } = (await acme.get('routes.example.com')).body.data;
    for (const domain of [id, 'routes.example.com', 'not a domain', 'dom_00000000000000000000000000'])
      expect(codeOf(await other.get(domain as string))).toEqual([404, 'domain_not_found']);
    expect(codeOf(await acme.verify('absent.example.com'))).toEqual([404, 'domain_not_found']);
    expect(codeOf(await acme.remove('absent.example.com'))).toEqual([404, 'domain_not_found']);
    expect(codeOf(await acme.change('absent.example.com', { hsts: true }))).toEqual([404, 'domain_not_found']);
  });

  it('needs projects:write to verify, change and remove', async () => {
    const reader = as(await make.key(acme.person, { scopes: ['projects:read'] }));
    const path = acme.path('routes.example.com');
    expect((await app.fetch(path, reader)).status).toBe(200);
    expect(codeOf(await app.call('POST', `${path}/verify`, reader))).toEqual([403, 'insufficient_scopes']);
    expect(codeOf(await app.call('DELETE', path, reader))).toEqual([403, 'insufficient_scopes']);
  });

  it('returns 429 after 20 checks in a minute', async () => {
    const busy = await Tenant.create(app, make, 'busy');
    await busy.add({ name: 'busy.example.com' });
    const answers: Answer[] = [];
    for (let count = 0; count < 21; count++) answers.push(await busy.verify('busy.example.com'));
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(20);
    await eventually(
      async () => (await busy.verify('busy.example.com')).body.error?.code === 'burst_limit_exceeded',
      'checks are refused',
    );
  });
});

describe('verification', () => {
  it('goes from pending to verified to active, and shows what was found', async () => {
    const name = 'steps.example.com';
    const { data } = (await acme.add({ name })).body;
    const missing = (await acme.verify(name)).body.data;
    expect(missing).toMatchObject({ state: 'pending', problem: { code: 'challenge_missing' } });
    expect(missing.records.map(({ status }: { status: string }) => status)).toEqual(['missing', 'missing']);

    dns.set(`_service-challenge.${name}`, 'TXT', 'something else');
    const wrong = (await acme.verify(name)).body.data;
    expect(wrong).toMatchObject({ state: 'pending' });
    expect(wrong.records[0]).toMatchObject({ status: 'other', seen: ['something else'] });

    dns.set(`_service-challenge.${name}`, 'TXT', 'something else', challengeOf(data));
    expect((await acme.verify(name)).body.data).toMatchObject({
      state: 'verified',
      verified_at: expect.any(String),
      problem: { code: 'records_missing' },
    });
    expect((await visitHost(app, name)).status).toBe(404);

    dns.set(name, 'A', '192.0.2.99');
    const elsewhere = (await acme.verify(name)).body.data;
    expect(elsewhere).toMatchObject({ state: 'verified', problem: { code: 'records_elsewhere' } });
    expect(elsewhere.records[1]).toMatchObject({ status: 'other', seen: ['192.0.2.99'] });

    dns.set(name, 'A', OUR_ADDRESS);
    const active = (await acme.verify(name)).body.data;
    expect(active).toMatchObject({ state: 'active', active_at: expect.any(String) });
    expect(active.problem).toBeUndefined();
    expect(active.records.map(({ status }: { status: string }) => status)).toEqual(['found', 'found']);
    await untilServed(app, name, 'acme');
    expect(await auditOf(acme)).toEqual(expect.arrayContaining(['domain.verified', 'domain.active']));
  });

  it('is not active while one of several addresses is elsewhere', async () => {
    const name = 'partly.example.com';
    const { data } = (await acme.add({ name })).body;
    dns.set(`_service-challenge.${name}`, 'TXT', challengeOf(data));
    dns.set(name, 'A', OUR_ADDRESS);
    dns.set(name, 'AAAA', '2001:db8::99');
    expect((await acme.verify(name)).body.data).toMatchObject({
      state: 'verified',
      problem: { code: 'records_elsewhere' },
    });
    dns.set(name, 'AAAA', '2001:DB8:0::10');
    expect((await acme.verify(name)).body.data.state).toBe('active');
  });

  it('runs by itself', async () => {
    const name = 'itself.example.com';
    const { data } = (await acme.add({ name })).body;
    dns.set(`_service-challenge.${name}`, 'TXT', challengeOf(data));
    dns.set(name, 'CNAME', CNAME_TARGET);
    await app.runSchedule('domain-checks');
    expect(await acme.stateOf(name)).toBe('pending');
    days(0.01);
    await app.runSchedule('domain-checks');
    expect(await acme.stateOf(name)).toBe('active');
    const asked = dns.asked.length;
    await app.runSchedule('domain-checks');
    expect(dns.asked.slice(asked).filter((question) => question.endsWith(name))).toEqual([]);
  });

  it('keeps an active domain through failures for three days, then ends it', async () => {
    const name = 'fading.example.com';
    await acme.activate(dns, name);
    dns.set(name, 'CNAME', 'elsewhere.example.net');
    days(1.1);
    await app.runSchedule('domain-checks');
    expect(await acme.stateOf(name)).toBe('active');
    for (const day of [1.2, 1.3]) {
      days(day);
      await app.runSchedule('domain-checks');
    }
    const failing = (await acme.get(name)).body.data;
    expect(failing).toMatchObject({ state: 'misconfigured', problem: { code: 'records_elsewhere' } });
    expect(failing.records[1]).toMatchObject({ status: 'other', seen: ['elsewhere.example.net'] });
    expect(Date.parse(failing.served_until as string)).toBeGreaterThan(Date.now() + 3 * 86_400_000);
    await untilServed(app, name, 'acme');
    days(4.2);
    await app.runSchedule('domain-checks');
    expect(await acme.stateOf(name)).toBe('pending');
    await untilGone(app, name);
    expect(await auditOf(acme)).toContain('domain.lost');
  });

  it('recovers when the records are back', async () => {
    const name = 'back.example.com';
    await acme.activate(dns, name);
    dns.set(name, 'CNAME');
    for (const day of [1.1, 1.2, 1.3]) {
      days(day);
      await app.runSchedule('domain-checks');
    }
    expect(await acme.stateOf(name)).toBe('misconfigured');
    dns.set(name, 'CNAME', CNAME_TARGET);
    days(1.4);
    await app.runSchedule('domain-checks');
    expect(await acme.stateOf(name)).toBe('active');
  });

  it('loses nothing while name servers do not answer', async () => {
    const name = 'silent.example.com';
    await acme.activate(dns, name);
    dns.isBroken = true;
    try {
      for (const day of [2, 3, 4, 5, 9]) {
        days(day);
        await app.runSchedule('domain-checks');
      }
      expect((await acme.get(name)).body.data).toMatchObject({
        state: 'active',
        problem: { code: 'resolver_unavailable' },
      });
      await untilServed(app, name, 'acme');
    } finally {
      dns.isBroken = false;
    }
  });
});

describe('a custom host', () => {
  it('follows production, in every process', async () => {
    const name = 'follows.example.com';
    const project = await acme.createProject();
    const { data } = expectStatus(201, await app.post(acme.path(undefined, project), { name }, as(acme.key))).body;
    dns.set(`_service-challenge.${name}`, 'TXT', challengeOf(data));
    dns.set(name, 'CNAME', `shop-k3f9x2a7cd.deploys.test`);
    await app.call('POST', `${acme.path(name, project)}/verify`, as(acme.key));
    const edge = await app.another({ role: 'edge' });
    try {
      expect((await visitHost(app, name)).status).toBe(404);
      await acme.deployProduction('first', project);
      for (const process of [app, edge])
        await eventually(async () => (await visitHost(process, name)).text === 'first', 'the first deploy', 3_000);
      await acme.deployProduction('second', project);
      for (const process of [app, edge])
        await eventually(async () => (await visitHost(process, name)).text === 'second', 'the second deploy', 3_000);
      await app.call('DELETE', acme.path(name, project), as(acme.key));
      for (const process of [app, edge])
        await eventually(async () => (await visitHost(process, name)).status === 404, 'it is gone', 3_000);
    } finally {
      await edge.stop();
    }
  });

  it('redirects to another domain of the project, and to https only behind a trusted proxy', async () => {
    await acme.activate(dns, 'target.example.com');
    await acme.activate(dns, 'from.example.com', { redirect_to: 'target.example.com' });
    expect(await visitHost(app, 'from.example.com', '/docs/a?b=c')).toMatchObject({
      status: 308,
      headers: { location: 'https://target.example.com/docs/a?b=c' },
    });
    expect(
      await visitHost(app, 'target.example.com', '//evil.com/%2e', { headers: { 'x-forwarded-proto': 'http' } }),
    ).toMatchObject({
      status: 308,
      headers: { location: 'https://target.example.com//evil.com/%2e' },
    });
    const plain = { headers: { 'x-forwarded-proto': 'http' } };
    expectStatus(200, await acme.change('target.example.com', { https_redirect: false, hsts: true }));
    await eventually(
      async () => (await visitHost(app, 'target.example.com', '/', plain)).status === 200,
      'http is served',
    );
    expect(
      (await visitHost(app, 'target.example.com', '/', plain)).headers['strict-transport-security'],
    ).toBeUndefined();
    const secure = await visitHost(app, 'target.example.com');
    expect(secure).toMatchObject({ status: 200, text: 'acme' });
    expect(secure.headers['strict-transport-security']).toBe('max-age=31536000');
    expect(secure.headers['content-type']).toContain('text/html');
  });

  it('is not redirected in a circle, and is not removed while another redirects to it', async () => {
    await acme.activate(dns, 'end.example.com');
    await acme.activate(dns, 'start.example.com', { redirect_to: 'end.example.com' });
    expect(codeOf(await acme.change('end.example.com', { redirect_to: 'start.example.com' }))).toEqual([
      400,
      'invalid_request',
    ]);
    expect(codeOf(await acme.remove('end.example.com'))).toEqual([409, 'domain_in_use']);
    expectStatus(200, await acme.change('start.example.com', { redirect_to: null }));
    await eventually(async () => (await visitHost(app, 'start.example.com')).text === 'acme', 'it is served itself');
    expectStatus(204, await acme.remove('end.example.com'));
  });

  it('passes its name on, and is found by X-Forwarded-Host of a trusted proxy', async () => {
    await acme.activate(dns, 'proxied.example.com');
    const page = await visitHost(app, 'edge.internal:3001', '/', {
      headers: { 'x-forwarded-host': 'proxied.example.com' },
    });
    expect(page.text).toBe('acme');
  });
});
