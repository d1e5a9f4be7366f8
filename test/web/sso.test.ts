import { randomUUID } from 'node:crypto';
import { inChromium } from '../support/browser.js';
import { DnsServer } from '../support/dns-server.js';
import { settingsOf } from '../support/domains.js';
import { FakeGoogle, type GooglePerson } from '../support/fake-google.js';
import { freePorts } from '../support/free-port.js';
import { Make, type Org, type Person, uniqueName } from '../support/make.js';
import { eventually, TestApp, WITHOUT_PROXY } from '../support/test-app.js';
import { expectAccessible, leaveBrowser, Visit } from './support.js';

jest.setTimeout(300_000);

/** Browsers hash the verifier only for pages of this machine by its name, or over TLS. */
describe('single sign-on in the web app', () => {
  const dns = new DnsServer();
  const settings = settingsOf(dns);
  const issuer = FakeGoogle.useForSso(settings);
  let app: TestApp;
  let make: Make;
  let url: string;

  beforeAll(async () => {
    const [port] = await freePorts();
    url = `http://localhost:${port}`;
    const own = { ...WITHOUT_PROXY, PORT: String(port), PUBLIC_URL: url, ANONYMOUS_CALLS_PER_SECOND: '1000' };
    app = new TestApp({ ...settings, ...own }, 'api');
    await app.start({ keepRedis: true });
    make = new Make(app);
  });
  afterAll(async () => {
    await leaveBrowser();
    await app.stop();
  });

  const personThere = (email: string): GooglePerson => ({ sub: randomUUID(), email, name: 'Ada Lovelace' });

  inChromium('is set up by clicks, brings people in, and is what an organization requires', async () => {
    const owner = await Visit.begin(url);
    const { page } = owner;
    await owner.signUp();
    const slug = uniqueName('acme');
    const org: Org = await owner.call('POST', 'orgs', { name: 'Acme', slug });
    const [domain, here] = [`${slug}.com`, `/app/${slug}/sso`];

    // Only a plan includes it.
    await owner.open(here);
    await page.getByRole('heading', { name: 'SSO is included in the Enterprise plan' }).waitFor();
    await expectAccessible(owner, 'sso-upgrade');
    await make.sql(`UPDATE organizations SET plan = 'enterprise' WHERE id = $1`, [org.id]);

    // A domain.
    await owner.open(`/app/${slug}/settings`);
    await page.getByRole('link', { name: 'Single sign-on' }).click();
    await owner.arrivesAt(here);
    await page.getByRole('heading', { name: 'No connections yet' }).waitFor();
    await page.getByRole('textbox', { name: 'Domain' }).fill('gmail.com');
    await page.getByRole('button', { name: 'Add the domain' }).click();
    await page.locator('[aria-invalid=true]').waitFor();
    await page.getByRole('textbox', { name: 'Domain' }).fill(domain);
    await page.getByRole('button', { name: 'Add the domain' }).click();
    const card = page.getByRole('listitem', { name: domain });
    await card.getByRole('button', { name: 'Verify' }).click();
    await card.getByText('The record was not found.').waitFor();
    const value = (name: string): Promise<string> => card.getByRole('group', { name, exact: true }).innerText();
    dns.set(await value('Name'), (await value('Type')) as 'TXT', await value('Value'));
    await card.getByRole('button', { name: 'Verify' }).click();
    await card.getByText('Verified', { exact: true }).waitFor();

    // A connection.
    await page.getByRole('link', { name: 'New connection' }).click();
    await page.getByRole('button', { name: 'Microsoft Entra ID' }).waitFor();
    await expectAccessible(owner, 'sso-providers');
    await page.getByRole('button', { name: 'Another provider OpenID Connect' }).click();
    await page.getByLabel('Name').fill('Acme ID');
    await page.getByLabel('Issuer').fill(`${issuer.url}/other`);
    await page.getByLabel('Client ID').fill(issuer.clientId);
    await page.getByLabel('Client secret').fill(issuer.clientSecret);
    await page.getByRole('button', { name: 'Create a draft' }).click();
    await page.getByText('The issuer cannot be read').waitFor();
    await expectAccessible(owner, 'sso-new-connection');
    await page.getByLabel('Issuer').fill(issuer.url);
    await page.getByRole('button', { name: 'Create a draft' }).click();
    await owner.arrivesAt(/\/sso\/sso_/);
    const connection = new URL(page.url()).pathname.split('/').pop()!;
    await page.getByText(`${url}/sign-in/sso/${connection}/callback`).waitFor();
    await expect(page.getByRole('button', { name: 'Activate the connection' }).isDisabled()).resolves.toBe(true);

    // A test that fails, and one that succeeds.
    const ownerThere = personThere(`ada@${domain}`);
    issuer.visitor = ownerThere;
    issuer.forgery = { claims: { aud: 'another client' } };
    await page.getByRole('button', { name: 'Test the connection' }).click();
    await page.getByRole('alert').filter({ hasText: 'did not say who you are' }).waitFor();
    issuer.forgery = undefined;
    await page.getByRole('button', { name: 'Test the connection' }).click();
    await page
      .getByRole('status')
      .filter({ hasText: `ada@${domain}` })
      .waitFor();
    expect(new URL(page.url()).search).toBe('');
    await page.getByRole('button', { name: 'Activate the connection' }).click();
    await page.getByText('People sign in through it.').waitFor();

    // Whom it lets in.
    await page.getByRole('button', { name: 'Add a group' }).click();
    await page.getByLabel('Group 1', { exact: true }).fill('platform-admins');
    await page.getByLabel('Role of group 1').selectOption('admin');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByLabel('Groups', { exact: true }).fill('teams');
    await page.getByRole('button', { name: 'Save the mapping' }).click();
    const shown = async (): Promise<any> => owner.call('GET', `orgs/${slug}/sso/connections/${connection}`);
    await expectEventually(shown, { status: 'active', mapping: { groups: 'teams' } });
    expect(await shown()).toMatchObject({ group_roles: [{ group: 'platform-admins', role: 'admin' }] });
    await expectAccessible(owner, 'sso-connection');

    // What adds people at the provider.
    await page.getByRole('button', { name: 'New token' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Provisioning');
    await page.getByRole('button', { name: 'Create the token' }).click();
    const token = await page.getByRole('dialog').getByRole('group', { name: 'Token', exact: true }).innerText();
    await expectAccessible(owner, 'sso-token');
    const users = (): Promise<number> =>
      fetch(`${url}/scim/v2/${connection}/Users`, { headers: { authorization: `Bearer ${token}` } }).then(
        ({ status }) => status,
      );
    expect(await users()).toBe(200);
    await page.getByRole('button', { name: 'I have it' }).click();
    await page.getByRole('button', { name: 'Revoke Provisioning' }).click();
    await page.getByRole('button', { name: 'Revoke the token' }).click();
    await page.getByText('No tokens yet.').waitFor();
    expect(await users()).toBe(401);

    // A member from before it, with a key.
    const member = await Visit.begin(url);
    const username = await member.signUp();
    const { user } = await member.call('GET', 'me');
    await make.member(org, { user } as Person, 'member');
    await member.call('POST', 'keys', { name: 'Old key', kind: 'personal' });

    // It is required by an owner who came through it.
    await page.getByRole('link', { name: 'Single sign-on' }).click();
    await page.getByRole('button', { name: 'Require SSO' }).click();
    const dialog = page.getByRole('dialog', { name: 'Require SSO?' });
    await dialog.getByText('members who signed in with a password').waitFor();
    await expectAccessible(owner, 'sso-require');
    await dialog.getByRole('button', { name: 'Require SSO' }).click();
    await throughProvider(owner, () => dialog.getByRole('button', { name: 'Sign in with SSO' }).click());
    await owner.arrivesAt(here);
    await page.getByLabel('Hours that a sign-in with SSO counts').fill('8');
    await page.getByRole('button', { name: 'Save the hours' }).click();
    await page.getByRole('group', { name: 'Owners who may come in without SSO' }).getByRole('checkbox').check();
    await page.getByRole('button', { name: 'Save the owners' }).click();
    const policy = async (): Promise<any> => (await owner.call('GET', `orgs/${slug}`)).sso;
    await expectEventually(policy, { session_hours: 8, exempt_owners: [expect.stringMatching(/^usr_/)] });
    await page.getByRole('button', { name: 'Require SSO' }).click();
    await dialog.getByRole('button', { name: 'Require SSO' }).click();
    await page.getByText('Required', { exact: true }).waitFor();
    await expectAccessible(owner, 'sso');
    expect(owner.faults).toEqual([]);

    // Who has no account comes in from the sign-in.
    const newcomer = await Visit.begin(url);
    issuer.visitor = personThere(`grace@${domain}`);
    await newcomer.open(`/app/sign-in?next=${encodeURIComponent(`/app/${slug}/members`)}`);
    await newcomer.page.getByRole('link', { name: 'Sign in with SSO' }).click();
    await newcomer.page.getByLabel('Work email').fill('grace@nowhere.example');
    await newcomer.page.getByRole('button', { name: 'Go on' }).click();
    await newcomer.page.getByRole('alert').filter({ hasText: 'No organization signs in with this.' }).waitFor();
    await expectAccessible(newcomer, 'sign-in-sso');
    await newcomer.page.getByLabel('Work email').fill(`grace@${domain}`);
    await newcomer.page.getByRole('button', { name: 'Go on' }).click();
    await newcomer.arrivesAt(`/app/${slug}/members`);
    await newcomer.page
      .getByRole('cell', { name: /^Ggrace/ })
      .or(newcomer.page.getByText('you'))
      .first()
      .waitFor();
    await newcomer.open('/app/account/security');
    await newcomer.page
      .getByRole('cell', { name: `SSO grace@${domain}`, exact: true })
      .or(newcomer.page.getByText(/^SSO /))
      .first()
      .waitFor();
    expect(newcomer.faults).toEqual([]);

    // Who signed in with a password is asked to, and comes back to where they were.
    const there = personThere(`other@${domain}`);
    issuer.visitor = there;
    await member.open('/app');
    await member.page.getByRole('button', { name: 'Switch the organization' }).click();
    await member.page.getByRole('menuitem', { name: /Acme.*needs SSO/ }).click();
    await member.page.getByRole('heading', { name: 'This organization requires SSO' }).waitFor();
    await member.open(`/app/${slug}/keys`);
    await member.page.getByRole('heading', { name: 'This organization requires SSO' }).waitFor();
    await expectAccessible(member, 'sso-required');
    await member.page.getByText('Is your account not under your work email?').click();
    await throughProvider(member, () => member.page.getByRole('button', { name: 'Connect this account' }).click());
    await member.arrivesAt(`/app/${slug}/keys`);
    await throughProvider(member, () => member.page.getByRole('button', { name: 'Sign in with SSO' }).click());
    await member.arrivesAt(`/app/${slug}/keys`);
    const row = member.page.getByRole('row').filter({ hasText: 'Old key' });
    await row.getByText('Not authorized for SSO').waitFor();
    await expectAccessible(member, 'sso-keys');
    await row.getByRole('button', { name: 'Authorize for SSO Old key' }).click();
    await member.page.getByRole('button', { name: 'Authorize the key' }).click();
    await row.getByText('Authorized for SSO', { exact: true }).waitFor();
    expect((await member.call('GET', 'me')).user.username).toBe(username);
    expect(member.faults).toEqual([]);

    // A link that names the organization needs nothing typed.
    await member.call('POST', 'auth/sign-out');
    await member.open(`/app/sign-in/sso?org=${slug}&next=%2Fapp%2F${slug}`);
    await member.page.getByRole('button', { name: 'Go on' }).click();
    await member.arrivesAt(`/app/${slug}`);

    // Paused, nothing is required any more; then it goes.
    await owner.open(`${here}/${connection}`);
    await page.getByRole('button', { name: 'Pause the connection' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Pause the connection' }).click();
    await page.getByText('Paused', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Delete the connection' }).click();
    await page.getByLabel('Type Acme ID to go on').fill('Acme ID');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete the connection' }).click();
    await owner.arrivesAt(here);
    await page.getByRole('heading', { name: 'No connections yet' }).waitFor();
    await page.getByRole('button', { name: `Remove ${domain}` }).click();
    await page.getByRole('button', { name: 'Remove the domain' }).click();
    await page.getByRole('heading', { name: 'No domains yet' }).waitFor();
    expect(owner.faults).toEqual([]);
    for (const visit of [owner, member, newcomer]) await visit.end();
  });
});

/** The browser leaves the app, and comes back to the screen that ends a sign-in. */
async function throughProvider({ page }: Visit, leave: () => Promise<void>): Promise<void> {
  const back = page.waitForURL((url) => url.pathname === '/app/sign-in/done');
  await leave();
  await back;
}

/** Waits until something has these facts. */
async function expectEventually(ask: () => Promise<any>, facts: object): Promise<void> {
  let last: unknown;
  const isSo = async (): Promise<boolean> => {
    last = await ask();
    try {
      expect(last).toMatchObject(facts);
      return true;
    } catch {
      return false;
    }
  };
  await eventually(isSo, JSON.stringify(facts));
}
