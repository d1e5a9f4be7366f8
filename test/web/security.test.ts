import { codeOf, stepAt } from '../../src/modules/factors/totp/totp.js';
import { inChromium } from '../support/browser.js';
import { freePorts } from '../support/free-port.js';
import { TestApp, WITHOUT_PROXY } from '../support/test-app.js';
import { fromBase32 } from '../support/totp.js';
import { expectAccessible, leaveBrowser, makeSessionsOld, PASSWORD, Visit } from './support.js';

jest.setTimeout(300_000);

/** Passkeys belong to a name, and never to a bare address, so this service is called by one. */
describe('second factors in the web app', () => {
  let app: TestApp;
  let url: string;

  beforeAll(async () => {
    const [port] = await freePorts();
    url = `http://localhost:${port}`;
    const settings = { ...WITHOUT_PROXY, PORT: String(port), PUBLIC_URL: url, ANONYMOUS_CALLS_PER_SECOND: '1000' };
    app = new TestApp(settings, 'api');
    await app.start({ keepRedis: true });
  });
  afterAll(async () => {
    await leaveBrowser();
    await app.stop();
  });

  inChromium('are set up, asked for and confirmed: an app, a passkey and recovery codes', async () => {
    const visit = await Visit.begin(url);
    const { page, context } = visit;
    const devtools = await context.newCDPSession(page);
    await devtools.send('WebAuthn.enable');
    const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    const username = await visit.signUp();

    // The app begins with its first code, and the recovery codes are shown once.
    await visit.open('/app/account/security');
    await page.getByRole('button', { name: 'Add an authenticator app' }).click();
    await page.getByRole('img', { name: 'QR code with the secret' }).waitFor();
    await expectAccessible(visit, 'security-app');
    const secret = fromBase32((await page.locator('dialog[open] code').first().textContent())!);
    const code = (apart = 0): string => codeOf(secret, stepAt(new Date()) + apart);
    await page.getByLabel('Code of the app').fill('000000');
    await page.getByRole('button', { name: 'Confirm the app' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Code of the app').fill(code());
    await page.getByRole('button', { name: 'Confirm the app' }).click();
    const codes = page.getByRole('list', { name: 'Recovery codes' });
    await codes.waitFor();
    const [recoveryCode] = await codes.getByRole('listitem').allTextContents();
    await expectAccessible(visit, 'security-codes');
    await page.getByRole('button', { name: 'I have kept them' }).click();
    await page.getByText('10 of 10 are left.').waitFor();

    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByLabel('Name').fill('Laptop');
    await page.getByRole('button', { name: 'Create the passkey' }).click();
    await page.getByText('Passkey Laptop').first().waitFor();
    const { credentials } = await devtools.send('WebAuthn.getCredentials', { authenticatorId });
    expect(credentials).toEqual([expect.objectContaining({ rpId: 'localhost', isResidentCredential: true })]);

    // The password alone no longer signs in.
    const signOut = async (): Promise<void> => {
      await visit.call('POST', 'auth/sign-out');
      await visit.open('/app/sign-in');
    };
    const showPassword = async (): Promise<void> => {
      await page.getByLabel('Username or email').fill(username);
      await page.getByLabel('Password').fill(PASSWORD);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Second factor' }).waitFor();
    };
    await signOut();
    await showPassword();
    await expectAccessible(visit, 'second-factor');
    await page.getByLabel('Code').fill(code(1));
    await page.keyboard.press('Enter');
    await visit.arrivesAt(`/app/${username}`);
    await signOut();
    await showPassword();
    await page.getByLabel('Code').fill(recoveryCode!);
    await page.keyboard.press('Enter');
    await visit.arrivesAt(`/app/${username}`);

    // A passkey signs in alone.
    await signOut();
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await visit.arrivesAt(`/app/${username}`);

    // After a while the session is confirmed, and what was asked for happens then.
    await makeSessionsOld(app);
    await visit.open('/app/account/security');
    await page.getByText('9 of 10 are left.').waitFor();
    await page.getByRole('button', { name: 'Create new codes' }).click();
    const question = page.getByRole('dialog', { name: 'Create new recovery codes?' });
    await question.getByRole('button', { name: 'Create new codes' }).click();
    const confirmation = page.getByRole('dialog', { name: 'Confirm that it is you' });
    await confirmation.getByRole('button', { name: 'Use a passkey' }).waitFor();
    await expectAccessible(visit, 'confirmation');
    await confirmation.getByRole('button', { name: 'Use a passkey' }).click();
    await codes.waitFor();
    await page.getByRole('button', { name: 'I have kept them' }).click();
    await page.getByText('10 of 10 are left.').waitFor();

    await page.getByRole('button', { name: 'Remove Passkey Laptop' }).click();
    await page.getByRole('button', { name: 'Remove it' }).click();
    await page.getByText('Passkey Laptop').first().waitFor({ state: 'hidden' });
    expect(visit.faults).toEqual([]);
    await visit.end();
  });
});
