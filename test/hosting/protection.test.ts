import { createHmac, hkdfSync } from 'node:crypto';
import { AliasesService } from '../../src/modules/hosting/aliases.service.js';
import { CustomHostsService } from '../../src/modules/hosting/custom-hosts.service.js';
import { ProtectionsService } from '../../src/modules/hosting/protections.service.js';
import { Database } from '../../src/platform/database/database.js';
import { deployBehind, FakeAppServer } from '../support/fake-app-server.js';
import { FakeBuilds } from '../support/fake-builds.js';
import { built, deploy, type Deployed, type Page, point, visit, type VisitOptions } from '../support/hosting.js';
import { as, expectStatus, Make, type Person, send, uniqueName } from '../support/make.js';
import { RawConnection } from '../support/raw-connection.js';
import { type Answer, eventually, useApp } from '../support/test-app.js';

const app = useApp();
const make = new Make(app);
const builds = new FakeBuilds(app);
const PASSWORD = 'a-password-for-reviewers';

let ada: Person;
let key: string;
/** A project with a deploy, which all tests of this file open under its own host and under a production host. */
let projectId: string;
let shop: Deployed;
let production: string;

beforeAll(async () => {
  ada = await make.person({ plan: 'enterprise' });
  key = await make.key(ada);
});

beforeEach(async () => {
  projectId = await newProject();
  shop = await deploy(
    app,
    built({ 'index.html': 'the shop', 'app-3f2a9c1d.js': 'code', '.well-known/acme-challenge/t0ken': 'proof' }),
    {
      projectId,
      orgId: ada.organization.id,
    },
  );
  production = uniqueName('shop');
  await point(app, production, shop, 'production');
});

async function newProject(by = key): Promise<string> {
  const body = { name: uniqueName('shop'), repo_url: 'https://github.com/acme/shop' };
  return expectStatus(201, await app.post('/api/v1/projects', body, as(by))).body.data.id as string;
}
const protectionOf = (id = projectId): string => `/api/v1/projects/${id}/protection`;
const protect = async (body: object, id = projectId): Promise<Answer> =>
  expectStatus(200, await send(app, ['PATCH', protectionOf(id)], body, as(key)));
const codeOf = ({ status, body }: Answer): [number, string] => [status, body?.error?.code];

/** Changes the protection, and waits until the edge asks for access to the host. */
async function protectAndSee(body: object, label = shop.label, status = 401): Promise<void> {
  await protect(body);
  await eventually(async () => (await visit(app, label)).status === status, 'the edge knows of the protection');
}
const enter = (password: string, options: VisitOptions = {}, label = shop.label, to = '/'): Promise<Page> =>
  visit(app, label, '/_service/access', {
    method: 'POST',
    body: new URLSearchParams({ password, to }).toString(),
    ...options,
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'x-forwarded-for': '192.0.2.7',
      ...options.headers,
    },
  });
const cookieOf = ({ headers }: Page): string => headers['set-cookie']![0]!.split(';', 1)[0]!;
const cookieFor = async (label = shop.label): Promise<string> => cookieOf(await enter(PASSWORD, {}, label));
const open = (path = '/', headers: Record<string, string> = {}, label = shop.label): Promise<Page> =>
  visit(app, label, path, { headers });
const accessLink = async (host?: string): Promise<{ url: URL; token: string }> => {
  const { data } = expectStatus(
    201,
    await app.post(`/api/v1/projects/${projectId}/access-links`, host === undefined ? {} : { host }, as(key)),
  ).body;
  return { url: new URL(data.url as string), token: data.token as string };
};

describe('PATCH /api/v1/projects/:project_id/protection', () => {
  it('changes the given fields and never returns or records the password', async () => {
    expect((await app.fetch(protectionOf(), as(key))).body.data).toEqual({
      previews: 'none',
      production: 'none',
      has_password: false,
    });
    const changed = await protect({ previews: 'password', password: PASSWORD });
    expect(changed.body.data).toEqual({
      previews: 'password',
      production: 'none',
      has_password: true,
      updated_at: expect.any(String),
    });
    expect((await protect({ production: 'members' })).body.data).toMatchObject({
      previews: 'password',
      production: 'members',
      has_password: true,
    });
    const audited = await make.sql("SELECT details FROM audit_log WHERE action = 'project.protection_changed'");
    expect(audited[0]).toEqual({ details: { previews: 'password', production: 'none', password_changed: true } });
    const [row] = await make.sql('SELECT * FROM app_protections WHERE project_id = $1', [projectId]);
    expect(row!['password_hash']).toMatch(/^\$argon2id\$/);
    expect(JSON.stringify([audited, app.log()])).not.toContain(PASSWORD);
    expect((await protect({ previews: 'none' })).body.data.has_password).toBe(false);
  });

  it.each([
    [{ previews: 'password' }, 'password'],
    [{ previews: 'secret' }, 'previews'],
    [{ production: null }, 'production'],
    [{ password: 'short' }, 'password'],
    [{ password: 'x'.repeat(129) }, 'password'],
    [{ version: 1 }, 'version'],
  ])('returns 400 for %j and names the field', async (body, path) => {
    const answer = await send(app, ['PATCH', protectionOf()], body, as(key));
    expect(codeOf(answer)).toEqual([400, 'invalid_request']);
    expect(answer.body.error.details[0].path).toBe(path);
  });

  it('returns 401 without a key, 403 without the scope and 404 for the project of a outsider', async () => {
    const reader = await make.key(ada, { scopes: ['projects:read', 'deploys:read'] });
    const outsider = await make.key(await make.person());
    const body = { previews: 'members' };
    expect(codeOf(await send(app, ['PATCH', protectionOf()], body))).toEqual([401, 'missing_api_key']);
    expect(codeOf(await send(app, ['PATCH', protectionOf()], body, as(reader)))).toEqual([403, 'insufficient_scopes']);
    for (const answer of [
      await send(app, ['PATCH', protectionOf()], body, as(outsider)),
      await app.fetch(protectionOf(), as(outsider)),
      await app.post(`/api/v1/projects/${projectId}/access-links`, {}, as(outsider)),
    ])
      expect(codeOf(answer)).toEqual([404, 'project_not_found']);
    expect(codeOf(await app.post(`/api/v1/deploys/${shop.deployId}/share-links`, {}, as(outsider)))).toEqual([
      404,
      'deploy_not_found',
    ]);
  });
});

describe('POST /api/v1/projects/:project_id/access-links', () => {
  it('opens a protected host for a member, in a browser and for a program', async () => {
    await protectAndSee({ previews: 'members', production: 'members' }, production);
    const { url, token } = await accessLink();
    expect(url.hostname).toBe(`${production}.localhost`);
    const answer = await open(`/deep/link?a=1&_service_access=${token}&b=2`, {}, production);
    expect([answer.status, answer.headers.location]).toEqual([303, '/deep/link?a=1&b=2']);
    expect(answer.headers['set-cookie']![0]).toMatch(
      /^service_access=c\.[\w.-]+; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax$/,
    );
    expect(answer.headers['cache-control']).toBe('no-store');
    expect((await open('/', { cookie: `a=b; ${cookieOf(answer)}` }, production)).text).toBe('the shop');
    expect((await open('/', { 'x-service-protection-bypass': token }, production)).text).toBe('the shop');
    expect((await open('/', { 'x-service-protection-bypass': 'l.1.1.x' }, production)).status).toBe(401);
    // The link does not open the other hosts of the project.
    expect((await open('/', { 'x-service-protection-bypass': token })).status).toBe(401);
    expect(
      (await open('/', { 'x-service-protection-bypass': (await accessLink(`${shop.label}.localhost`)).token })).text,
    ).toBe('the shop');
    expect(app.log().some((line) => JSON.stringify(line).includes(token))).toBe(false);
  });

  it('returns 409 for a host that is not one of the project', async () => {
    for (const host of ['localhost', 'other.localhost', `${production}.localhost.evil.example`])
      expect(codeOf(await app.post(`/api/v1/projects/${projectId}/access-links`, { host }, as(key)))).toEqual([
        409,
        'project_not_live',
      ]);
    expect(codeOf(await app.post(`/api/v1/projects/${await newProject()}/access-links`, {}, as(key)))).toEqual([
      409,
      'project_not_live',
    ]);
  });
});

describe('POST /api/v1/deploys/:deploy_id/share-links', () => {
  it('opens one deploy until it expires', async () => {
    builds.files = { 'index.html': 'a preview' };
    const path = `/api/v1/projects/${projectId}/deploys`;
    const { id } = expectStatus(202, await app.post(path, { branch: 'next' }, as(key))).body.data as { id: string };
    await eventually(
      async () => (await app.fetch(`/api/v1/deploys/${id}`, as(key))).body.data.state === 'ready',
      'the deploy is ready',
      30_000,
    );
    const label = id.replaceAll('_', '-');
    await protectAndSee({ previews: 'members' }, label);
    const share = (body: object, by = key): Promise<Answer> =>
      app.post(`/api/v1/deploys/${id}/share-links`, body, as(by));
    const { data } = expectStatus(201, await share({ expires_in: 3_600 })).body;
    expect(Date.parse(data.expires_at as string) - Date.now()).toBeLessThanOrEqual(3_600_000);
    const answer = await open(`/?_service_access=${data.token}`, {}, label);
    expect(answer.status).toBe(303);
    expect((await open('/', { cookie: cookieOf(answer) }, label)).text).toBe('a preview');
    expect((await open('/', { cookie: cookieOf(answer) })).status).toBe(401);
    for (const seconds of [59, 2_592_001, 1.5, '60'])
      expect(codeOf(await share({ expires_in: seconds }))).toEqual([400, 'invalid_request']);
    const reader = await make.key(ada, { scopes: ['deploys:read'] });
    expect(codeOf(await share({}, reader))).toEqual([403, 'insufficient_scopes']);
  });
});

describe('a host with a password', () => {
  beforeEach(() => protectAndSee({ previews: 'password', password: PASSWORD }));

  it('asks for it with a page, and then shows the app under any path', async () => {
    const page = await open('/a/page?x=%22%3E<b>');
    expect(page.status).toBe(401);
    expect(page.text).toContain('name="to" value="/a/page?x=%22%3E&lt;b&gt;"');
    expect((await open('/a/page?x=1&y=2')).text).toContain('name="to" value="/a/page?x=1&amp;y=2"');
    expect(page.headers).toMatchObject({
      'cache-control': 'private, no-store',
      'content-security-policy': expect.stringContaining("form-action 'self'"),
      'www-authenticate': 'Form',
    });
    const entered = await enter(PASSWORD, {}, shop.label, '/app-3f2a9c1d.js');
    expect([entered.status, entered.headers.location]).toEqual([303, '/app-3f2a9c1d.js']);
    const shown = await open('/app-3f2a9c1d.js', { cookie: cookieOf(entered) });
    expect([shown.text, shown.headers['cache-control']]).toEqual([
      'code',
      expect.stringMatching(/^private, max-age=\d+/),
    ]);
    // The production host is open to everybody.
    expect((await open('/', {}, production)).text).toBe('the shop');
    expect((await open('/app-3f2a9c1d.js', {}, production)).headers['cache-control']).toContain('public');
  });

  it('shows nothing for HEAD, ranges, conditions, other methods and other spellings', async () => {
    const cookie = await cookieFor();
    const { etag } = (await open('/', { cookie })).headers;
    const attempts: [string, string, Record<string, string>][] = [
      ['HEAD', '/', {}],
      ['GET', '/', { range: 'bytes=0-3' }],
      ['GET', '/', { 'if-none-match': etag! }],
      ['OPTIONS', '/', {}],
      ['DELETE', '/', {}],
      ['GET', '/%69ndex.html', {}],
      ['GET', '//index.html', {}],
      ['GET', '/.well-known/acme-challenge', {}],
      ['GET', '/_service/access', {}],
      ['GET', '/_service/access/../', {}],
    ];
    for (const [method, path, headers] of attempts) {
      const { status, text } = await visit(app, shop.label, path, { method, headers });
      expect([method, path, status]).toEqual([method, path, 401]);
      expect(text).not.toContain('the shop');
    }
    expect((await visit(app, shop.label, '/', { host: `${shop.label.toUpperCase()}.LOCALHOST.:1` })).status).toBe(401);
  });

  it('serves a deployed challenge for a certificate, and nothing else below its path', async () => {
    expect((await open('/.well-known/acme-challenge/t0ken')).text).toBe('proof');
    for (const path of ['/.well-known/acme-challenge/other', '/.well-known/acme-challenge/../../index.html'])
      expect([401, 404]).toContain((await open(path)).status);
    expect((await open('/.well-known/acme-challenge/t0ken?x')).status).toBe(401);
  });

  it('refuses wrong passwords, and limits attempts of one visitor without locking out others', async () => {
    for (let count = 0; count < 10; count++) {
      const wrong = await enter('wrong-password', { headers: { 'x-forwarded-for': '192.0.2.66' } });
      expect([wrong.status, wrong.headers['set-cookie']]).toEqual([401, undefined]);
    }
    const limited = await enter(PASSWORD, { headers: { 'x-forwarded-for': '192.0.2.66' } });
    expect([limited.status, limited.headers['set-cookie']]).toEqual([429, undefined]);
    expect(Number(limited.headers['retry-after'])).toBeGreaterThan(0);
    expect((await enter(PASSWORD, { headers: { 'x-forwarded-for': '192.0.2.67' } })).status).toBe(303);
  });

  it('refuses forms that are too large, incomplete or something else', async () => {
    expect((await enter('x'.repeat(10_000))).status).toBe(400);
    expect((await enter('')).status).toBe(400);
    expect((await enter(PASSWORD, { headers: { 'content-type': 'application/json' } })).status).toBe(400);
    expect((await enter(PASSWORD, { method: 'PUT' })).status).toBe(401);
  });

  it.each([
    '//evil.example/',
    '/\\evil.example',
    'https://evil.example',
    '/a\r\nset-cookie: x=y',
    ' /',
    '/_service/access',
  ])('never redirects to %j', async (to) => {
    const { status, headers } = await enter(PASSWORD, {}, shop.label, to);
    expect(status).toBe(303);
    expect(headers.location).toMatch(/^\/(?![/\\])[^\r\n]*$/);
    expect(headers.location).not.toContain('_service');
  });

  it('refuses forged cookies, and those of other hosts, projects and times', async () => {
    const cookie = await cookieFor();
    expect((await open('/', { cookie })).status).toBe(200);
    const [, token = ''] = cookie.split('=');
    const [kind, ends, until, mac = ''] = token.split('.');
    const later = (Number.parseInt(ends!, 36) + 9).toString(36);
    const key32 = Buffer.from(hkdfSync('sha256', 'a guess', '', 'app-protection', 32));
    const guess = createHmac('sha256', key32).update('["c"]').digest('base64url');
    const forged = [
      'service_access=',
      `service_access=${kind}.${later}.${until}.${mac}`,
      `service_access=${kind}.${ends}.${later}.${mac}`,
      `service_access=${kind}.${ends}.${until}.${guess}`,
      `service_access=l.${ends}.${until}.${mac}`,
      `service_access=${kind}.${ends}.${until}.${mac.slice(1)}`,
      `__Host-service_access=${token}`,
      `service_accesses=${token}`,
      Array.from({ length: 6 }, () => 'service_access=x')
        .concat(cookie)
        .join('; '),
    ];
    for (const text of forged) expect([text, (await open('/', { cookie: text })).status]).toEqual([text, 401]);
    // A link is not taken as a cookie, nor a cookie as a link.
    expect((await open(`/?_service_access=${token}`)).status).toBe(401);
    expect((await open('/', { 'x-service-protection-bypass': token })).status).toBe(401);

    const other = await deploy(app, built({ 'index.html': 'theirs' }), { projectId: await newProject() });
    await protect({ previews: 'password', password: PASSWORD }, other.projectId);
    await eventually(async () => (await open('/', {}, other.label)).status === 401, 'the other is protected');
    expect((await open('/', { cookie }, other.label)).status).toBe(401);
    // The label of another project that an attacker controls never makes the cookie valid.
    await app.get(Database).transaction(() => app.get(AliasesService).release(shop.label));
    await point(app, shop.label, other, 'deploy');
    await eventually(async () => (await open('/', { cookie })).status === 401, 'the host belongs to the other project');
  });

  it('accepts its cookie beside one that a neighbor has set', async () => {
    const cookie = await cookieFor();
    expect((await open('/', { cookie: `service_access=x; ${cookie}` })).text).toBe('the shop');
  });

  it('ends all cookies and links when the password changes', async () => {
    const cookie = await cookieFor();
    const { token } = await accessLink(`${shop.label}.localhost`);
    expect((await open('/', { cookie })).status).toBe(200);
    await protect({ password: 'another-password' });
    await eventually(async () => (await open('/', { cookie })).status === 401, 'the cookie has ended');
    expect((await open('/', { 'x-service-protection-bypass': token })).status).toBe(401);
    expect((await open(`/?_service_access=${token}`)).text).toContain('no longer valid');
    expect((await enter(PASSWORD)).status).toBe(401);
    expect((await enter('another-password')).status).toBe(303);
    await protect({ previews: 'none' });
    await eventually(async () => (await open()).status === 200, 'the host is open again');
  });
});

describe('a domain of a project with protected production', () => {
  const domain = `${uniqueName('shop')}.example.com`;
  const openDomain = (headers: Record<string, string> = {}): Promise<Page> =>
    visit(app, '', '/', { host: domain, headers });

  it('asks for access as production does, with cookies and links of its own', async () => {
    const served = { projectId, orgId: ada.organization.id, redirectTo: null, httpsRedirect: false, hsts: false };
    await app.get(Database).transaction(() => app.get(CustomHostsService).serve(domain, served));
    await eventually(async () => (await openDomain()).text === 'the shop', 'the domain serves production');
    // The protection of previews leaves it open.
    await protectAndSee({ previews: 'password', password: PASSWORD });
    expect((await openDomain()).status).toBe(200);

    await protect({ production: 'password' });
    await eventually(async () => (await openDomain()).status === 401, 'the domain is protected');
    await eventually(async () => (await open('/', {}, production)).status === 401, 'production is protected');
    expect((await openDomain()).text).not.toContain('the shop');
    const entered = await enter(PASSWORD, { host: domain });
    expect(entered.status).toBe(303);
    const shown = await openDomain({ cookie: cookieOf(entered) });
    expect([shown.text, shown.headers['cache-control']]).toEqual(['the shop', expect.stringMatching(/^private/)]);
    // A cookie opens only the host that has set it.
    expect((await open('/', { cookie: cookieOf(entered) }, production)).status).toBe(401);
    expect((await openDomain({ cookie: await cookieFor(production) })).status).toBe(401);

    const { url, token } = await accessLink(domain);
    expect(url.hostname).toBe(domain);
    expect((await openDomain({ 'x-service-protection-bypass': token })).text).toBe('the shop');
    expect((await open('/', { 'x-service-protection-bypass': token }, production)).status).toBe(401);
    const others = `/api/v1/projects/${await newProject()}/access-links`;
    expect(codeOf(await app.post(others, { host: domain }, as(key)))).toEqual([409, 'project_not_live']);
    await protect({ production: 'none' });
    await eventually(async () => (await openDomain()).status === 200, 'the domain is open again');
  });

  it('asks before a connection is upgraded', async () => {
    const server = new FakeAppServer();
    await server.listen();
    try {
      const deployed = await deployBehind(app, server);
      const host = `ws.${domain}`;
      const served = {
        projectId: deployed.projectId,
        orgId: deployed.orgId,
        redirectTo: null,
        httpsRedirect: false,
        hsts: false,
      };
      await point(app, uniqueName('ws'), deployed, 'production');
      await app.get(Database).transaction(() => app.get(CustomHostsService).serve(host, served));
      await app
        .get(Database)
        .transaction(() => app.get(ProtectionsService).change(deployed.projectId, { production: 'members' }));
      const answered = async (): Promise<string> => {
        const connection = await RawConnection.open(app.appsPort);
        connection.write(`GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`);
        await eventually(() => connection.received.includes('\r\n\r\n'), 'an answer');
        connection.close();
        return connection.received.toString('latin1').split('\r\n', 1)[0]!;
      };
      await eventually(async () => (await answered()) === 'HTTP/1.1 401 Unauthorized', 'the domain is protected');
      expect(server.requests).toEqual([]);
    } finally {
      await server.close();
    }
  });
});

describe('a protected app with a server', () => {
  const server = new FakeAppServer();
  let label: string;

  beforeEach(async () => {
    const deployed = await deployBehind(app, server);
    ({ label } = deployed);
    await point(app, label, { ...deployed, projectId }, 'deploy').catch(() => undefined);
    await make.sql('UPDATE host_aliases SET project_id = $2 WHERE label = $1', [label, projectId]);
    await protectAndSee({ previews: 'password', password: PASSWORD }, label);
    server.requests.length = 0;
  });
  beforeAll(() => server.listen());
  afterAll(() => server.close());

  const upgrade = async (headers: string): Promise<string> => {
    const connection = await RawConnection.open(app.appsPort);
    connection.write(
      `GET /socket HTTP/1.1\r\nHost: ${label}.localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${headers}\r\n`,
    );
    await eventually(() => connection.received.includes('\r\n\r\n'), 'an answer');
    connection.close();
    return connection.received.toString('latin1').split('\r\n', 1)[0]!;
  };

  it('passes on neither requests nor upgrades of outsiders, and hides from the app what opens it', async () => {
    server.play = (answer) => {
      if (/upgrade: websocket/i.test(answer.request))
        answer.send('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
      else
        answer.send(
          'HTTP/1.1 200 OK\r\nCache-Control: public, s-maxage=60, max-age=5\r\n' +
            'CDN-Cache-Control: max-age=9\r\nContent-Length: 2\r\n\r\nhi',
        );
    };
    expect((await visit(app, label, '/', { method: 'POST', body: 'x' })).status).toBe(401);
    expect(await upgrade('')).toBe('HTTP/1.1 401 Unauthorized');
    expect(await upgrade('Cookie: service_access=c.1.1.x\r\n')).toBe('HTTP/1.1 401 Unauthorized');
    expect(server.requests).toEqual([]);

    const cookie = await cookieFor(label);
    const { token } = await accessLink(`${label}.localhost`);
    const answer = await open('/', { cookie: `a=b; ${cookie}`, 'x-service-protection-bypass': token }, label);
    expect([answer.text, answer.headers['cache-control'], answer.headers['cdn-cache-control']]).toEqual([
      'hi',
      'private, max-age=5',
      undefined,
    ]);
    expect(await upgrade(`Cookie: ${cookie}\r\n`)).toBe('HTTP/1.1 101 Switching Protocols');
    expect(server.requests).toHaveLength(2);
    expect(server.requests[0]).toMatch(/^cookie: a=b$/im);
    for (const request of server.requests) expect(request).not.toMatch(/service_access|protection-bypass/i);
  });
});
