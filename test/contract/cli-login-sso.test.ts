import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Ended, useCommandLine } from '../support/command-line.js';
import { FakeBrowser } from '../support/external-sign-in.js';
import { FakeGoogle, type GooglePerson } from '../support/fake-google.js';
import { as, expectStatus, Make } from '../support/make.js';
import { allowIssuer, type SsoTenant, SsoTenants } from '../support/sso.js';
import { eventually, useApp } from '../support/test-app.js';

describe('service login --sso', () => {
  const settings: NodeJS.ProcessEnv = {};
  const issuer = FakeGoogle.use(settings);
  allowIssuer(settings);
  const app = useApp(settings);
  const make = new Make(app);
  const tenants = new SsoTenants(app, make, issuer);
  const service = useCommandLine(() => app.url);
  let acme: SsoTenant;
  let opened: string;
  let browser: string;

  beforeAll(async () => {
    acme = await tenants.create();
    opened = join(service.home, 'opened');
    browser = join(service.home, 'browser');
    // It opens nothing: the tests do what a person would do there.
    writeFileSync(browser, `#!/bin/sh\nprintf %s "$1" > '${opened}.new' && mv '${opened}.new' '${opened}'\n`, {
      mode: 0o755,
    });
  });
  beforeEach(() => {
    for (const file of [opened, service.credentialsFile]) rmSync(file, { force: true });
  });

  const login = (...options: string[]): Promise<Ended> =>
    service.run(['login', '--sso', ...options], { env: { BROWSER: browser } });

  /** Goes to the provider and comes back, as the browser that was opened. */
  async function comeBackAs(person: GooglePerson): Promise<URL> {
    await eventually(() => existsSync(opened), 'an opened address', 20_000);
    const path = new URL(readFileSync(opened, 'utf8')).pathname;
    const visitor = new FakeBrowser(app);
    return visitor.comeBack(issuer.authorize(await visitor.start({ id: '', path, verifier: '' }), person));
  }

  it('signs in at the provider, and stores a key that reaches an organization which requires SSO', async () => {
    const inside = await tenants.enter(acme, acme.ownerThere);
    const patch = { headers: { 'content-type': 'application/json' }, body: JSON.stringify({ sso_required: true }) };
    expectStatus(200, await app.call('PATCH', `/api/v1/orgs/${acme.org.id}`, as(inside, patch)));
    const there = tenants.person(acme.domain);
    for (const named of [acme.org.slug, there.email!]) {
      rmSync(opened, { force: true });
      const ended = login(named);
      expect((await fetch(await comeBackAs(there))).status).toBe(200);
      const { code, stdout, stderr } = await ended;
      expect({ code, stdout }).toEqual({ code: 0, stdout: `You are logged in at ${app.url}.\n` });
      expect(stderr).not.toContain('svc_');
      const shown = await service.run(['whoami', '--json']);
      expect(JSON.parse(shown.stdout)).toMatchObject({ user: { email: there.email } });
      const listed = await service.run(['projects', 'list', '--org', acme.org.slug, '--json']);
      expect({ code: listed.code, stderr: listed.stderr }).toEqual({ code: 0, stderr: '' });
    }
  });

  it('says what is wrong, and stores nothing', async () => {
    const unknown = await login('nobody-has-this');
    expect(unknown.code).not.toBe(0);
    expect(unknown.stderr).toContain('SSO connection not found.');
    const ended = login(acme.org.slug);
    const elsewhere = tenants.person('elsewhere.example');
    await fetch(await comeBackAs(elsewhere));
    const { code, stderr } = await ended;
    expect(code).not.toBe(0);
    expect(stderr).toContain('has not verified the domain');
    expect(existsSync(service.credentialsFile)).toBe(false);
  });
});
