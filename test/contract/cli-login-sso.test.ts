import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { useCommandLine } from '../support/command-line.js';
import { FakeBrowser, locationOf } from '../support/external-sign-in.js';
import { FakeGoogle, type GooglePerson } from '../support/fake-google.js';
import { as, expectStatus, Make } from '../support/make.js';
import { type SsoTenant, SsoTenants } from '../support/sso.js';
import { eventually, useApp } from '../support/test-app.js';
import { addTotp, codeFor } from '../support/totp.js';

describe('service login --sso', () => {
  const settings: NodeJS.ProcessEnv = {};
  const issuer = FakeGoogle.useForSso(settings);
  const app = useApp(settings);
  const make = new Make(app);
  const tenants = new SsoTenants(app, make, issuer);
  const service = useCommandLine(() => app.url);
  let acme: SsoTenant;
  let opened: string;
  let env: { BROWSER: string };

  beforeAll(async () => {
    acme = await tenants.create();
    opened = join(service.home, 'opened');
    env = { BROWSER: join(service.home, 'browser') };
    // It opens nothing: the tests do what a person would do there.
    writeFileSync(env.BROWSER, `#!/bin/sh\nprintf %s "$1" > '${opened}.new' && mv '${opened}.new' '${opened}'\n`, {
      mode: 0o755,
    });
  });
  beforeEach(() => {
    for (const file of [opened, service.credentialsFile]) rmSync(file, { force: true });
  });

  /** Signs in at the provider, and comes back to the command. */
  async function signInAsked(there: GooglePerson): Promise<void> {
    await eventually(() => existsSync(opened), 'an opened address', 20_000);
    const browser = new FakeBrowser(app);
    const location = locationOf(await browser.open(readFileSync(opened, 'utf8')));
    const page = await fetch(await browser.comeBack(issuer.authorize(location, there)));
    expect(await page.text()).toContain('You can close this window.');
  }

  it('stores a key that reaches the organization, and ends its session', async () => {
    const there = tenants.person(acme.domain);
    const ended = service.run(['login', '--sso', there.email!], { env });
    await signInAsked(there);
    expect(await ended).toMatchObject({ code: 0, stdout: `You are logged in at ${app.url}.\n` });
    expect(JSON.parse((await service.run(['whoami', '--json'])).stdout)).toMatchObject({
      user: { email: there.email },
    });
    const person = await tenants.enter(acme, there);
    const [key] = expectStatus(200, await app.fetch('/api/v1/keys', as(person))).body.data;
    expect(key.sso_org_ids).toEqual([acme.org.id]);
    expect((await app.fetch('/api/v1/auth/sessions', as(person))).body.data).toHaveLength(1);
  });

  it('takes the organization, also that of --org, or asks', async () => {
    const there = tenants.person(acme.domain);
    for (const options of [['--sso', acme.org.slug], ['--sso', '--org', acme.org.slug], ['--sso']]) {
      rmSync(opened, { force: true });
      const input = `${acme.org.id}\n`;
      const ended = service.run(['login', ...options], { env, input });
      await signInAsked(there);
      expect((await ended).code).toBe(0);
    }
  });

  it('stores a key that reaches the organization while it requires SSO', async () => {
    const inside = await tenants.enter(acme, acme.ownerThere);
    const required = { headers: { 'content-type': 'application/json' }, body: JSON.stringify({ sso_required: true }) };
    expectStatus(200, await app.call('PATCH', `/api/v1/orgs/${acme.org.id}`, as(inside, required)));
    const ended = service.run(['login', '--sso', acme.org.slug], { env });
    await signInAsked(tenants.person(acme.domain));
    const { code, stderr } = await ended;
    expect(code).toBe(0);
    expect(stderr).not.toContain('svc_');
    const listed = await service.run(['projects', 'list', '--org', acme.org.slug, '--json']);
    expect({ code: listed.code, stderr: listed.stderr }).toEqual({ code: 0, stderr: '' });
  });

  it('refuses an address outside of the domains of the organization, and stores nothing', async () => {
    const ended = service.run(['login', '--sso', acme.org.slug], { env });
    await signInAsked(tenants.person('elsewhere.example'));
    const { code, stderr } = await ended;
    expect(code).toBe(6);
    expect(stderr).toContain('has not verified the domain');
    expect(existsSync(service.credentialsFile)).toBe(false);
  });

  it('asks for a second factor of an account that has one', async () => {
    const there = tenants.person(acme.domain);
    const { secret } = await addTotp(app, await tenants.enter(acme, there));
    const ended = service.run(['login', '--sso', there.email!], { env, input: `${codeFor(app, secret)}\n` });
    await signInAsked(there);
    const { code, stderr } = await ended;
    expect(code).toBe(0);
    expect(stderr).toContain('Code of your authenticator app');
  });

  it('exits with 5 where there is no connection, and stores nothing', async () => {
    const { code, stderr } = await service.run(['login', '--sso', 'ada@nowhere.example'], { env });
    expect(code).toBe(5);
    expect(stderr).toContain('SSO connection not found.');
    expect(existsSync(opened)).toBe(false);
    expect(existsSync(service.credentialsFile)).toBe(false);
  });

  it('exits with 3 when the provider does not say who the person is', async () => {
    for (const [error, words] of [
      ['access_denied', 'You did not approve the login in the browser.'],
      ['provider_refused', 'The identity provider did not say who you are.'],
      ['provider_unavailable', 'The identity provider did not respond.'],
    ] as const) {
      rmSync(opened, { force: true });
      const ended = service.run(['login', '--sso', acme.org.slug], { env });
      await eventually(() => existsSync(opened), 'an opened address', 20_000);
      const id = new URL(readFileSync(opened, 'utf8')).pathname.split('/').pop()!;
      const [row] = await make.sql<{ place: string }>(
        'SELECT return_to AS place FROM external_sign_ins WHERE id = $1',
        [id],
      );
      const returned = new URL(row!.place);
      returned.searchParams.set('error', error);
      await fetch(returned);
      const { code, stderr } = await ended;
      expect(code).toBe(3);
      expect(stderr).toContain(words);
    }
  });

  it('exits with 2 together with another way to log in', async () => {
    for (const other of [['--browser'], ['--passkey'], ['--key', '-']])
      expect((await service.run(['login', '--sso', 'acme', ...other], { env })).code).toBe(2);
  });
});
