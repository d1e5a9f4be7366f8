import { randomUUID } from 'node:crypto';
import { inChromium } from '../support/browser.js';
import { FakeGithub } from '../support/fake-github.js';
import { FakeGoogle } from '../support/fake-google.js';
import { freePorts } from '../support/free-port.js';
import { TestApp, WITHOUT_PROXY } from '../support/test-app.js';
import { expectAccessible, leaveBrowser, Visit } from './support.js';

jest.setTimeout(300_000);

/** Browsers hash the verifier only for pages of this machine by its name, or over TLS. */
describe('GitHub and Google in the web app', () => {
  const settings: NodeJS.ProcessEnv = {};
  const github = FakeGithub.use(settings);
  const google = FakeGoogle.use(settings);
  let app: TestApp;
  let url: string;

  beforeAll(async () => {
    const [port] = await freePorts();
    url = `http://localhost:${port}`;
    app = new TestApp({ ...settings, ...WITHOUT_PROXY, PORT: String(port), PUBLIC_URL: url }, 'api');
    await app.start({ keepRedis: true });
  });
  afterAll(async () => {
    await leaveBrowser();
    await app.stop();
  });

  inChromium('sign up, are connected and disconnected, and sign in', async () => {
    const visit = await Visit.begin(url);
    const { page } = visit;
    const login = `u${randomUUID().slice(0, 12)}`;
    const email = `${login}@example.org`;
    github.account(login).emails = [{ email, primary: true, verified: true }];
    github.visitor = login;
    google.visitor = { sub: randomUUID(), email: `${randomUUID()}@example.org`, email_verified: true };

    // Back where the person wanted to go, and nothing of the way there is left in the address.
    await visit.open('/app/sign-up?next=%2Fapp%2Faccount%2Fsecurity');
    await page.getByRole('button', { name: 'Sign up with Google' }).waitFor();
    await expectAccessible(visit, 'sign-up-with-providers');
    await page.getByRole('button', { name: 'Sign up with GitHub' }).click();
    await visit.arrivesAt('/app/account/security');
    expect(new URL(page.url()).search).toBe('');
    await page.getByRole('cell', { name: `GitHub ${login}`, exact: true }).waitFor();

    // The only way to sign in stays.
    await page.getByRole('button', { name: `Disconnect GitHub ${login}` }).click();
    await page.getByRole('button', { name: 'Disconnect it' }).click();
    await page.getByRole('alert').filter({ hasText: 'no password and no other identity' }).waitFor();
    await page.keyboard.press('Escape');

    await page.getByRole('button', { name: 'Connect Google' }).click();
    await page.getByRole('cell', { name: `Google ${google.visitor.email}`, exact: true }).waitFor();
    await visit.arrivesAt('/app/account/security');
    await expectAccessible(visit, 'connected-accounts');
    await page.getByRole('button', { name: `Disconnect GitHub ${login}` }).click();
    await page.getByRole('button', { name: 'Disconnect it' }).click();
    await page.getByRole('cell', { name: `GitHub ${login}`, exact: true }).waitFor({ state: 'hidden' });

    await visit.call('POST', 'auth/sign-out');
    await visit.open('/app/sign-in');
    await page.getByRole('button', { name: 'Sign in with Google' }).click();
    await visit.arrivesAt(`/app/${login}`);

    // There is no password to change, and the way to one is a mail.
    await visit.open('/app/account');
    await page.getByText(`the link that we send to ${email}`).waitFor();
    expect(await page.getByLabel('Current password').count()).toBe(0);
    await page.getByRole('button', { name: 'Send the link' }).click();
    await page.getByRole('status').filter({ hasText: 'Sent' }).waitFor();

    // The address of the account connects nothing.
    await visit.call('POST', 'auth/sign-out');
    await visit.open('/app/sign-in');
    await page.getByRole('button', { name: 'Sign in with GitHub' }).click();
    await page.getByRole('alert').filter({ hasText: 'already exists' }).waitFor();
    await expectAccessible(visit, 'account-exists');
    await page.getByRole('link', { name: 'Go to the sign-in' }).click();
    await visit.arrivesAt('/app/sign-in');
    expect(visit.faults).toEqual([]);
    await visit.end();
  });
});
