import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inChromium } from '../support/browser.js';
import { type Ended, useCommandLine } from '../support/command-line.js';
import { freePorts } from '../support/free-port.js';
import { eventually, TestApp, WITHOUT_PROXY } from '../support/test-app.js';
import { expectAccessible, leaveBrowser, makeSessionsOld, Visit } from './support.js';

jest.setTimeout(300_000);

/** Passkeys belong to a name, and never to a bare address, so this service is called by one. */
describe('the login of the command line in the web app', () => {
  let app: TestApp;
  let url: string;
  const service = useCommandLine(() => app.url);

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

  /** Starts a login, and returns the path that it opens. */
  async function begin(option: string): Promise<{ readonly path: string; readonly ended: Promise<Ended> }> {
    const [opened, browser] = [join(service.home, 'opened'), join(service.home, 'browser')];
    rmSync(opened, { force: true });
    writeFileSync(browser, `#!/bin/sh\nprintf %s "$1" > '${opened}.new' && mv '${opened}.new' '${opened}'\n`, {
      mode: 0o755,
    });
    const ended = service.run(['login', option], { env: { BROWSER: browser } });
    await eventually(() => existsSync(opened), 'an opened address', 30_000);
    const { pathname, search } = new URL(readFileSync(opened, 'utf8'));
    return { path: pathname + search, ended };
  }

  inChromium('is approved after a sign-in with a passkey, confirmed where that is old, and denied', async () => {
    const visit = await Visit.begin(url);
    const { page, context } = visit;
    const devtools = await context.newCDPSession(page);
    await devtools.send('WebAuthn.enable');
    await devtools.send('WebAuthn.addVirtualAuthenticator', {
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
    await visit.open('/app/account/security');
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByLabel('Name').fill('Laptop');
    await page.getByRole('button', { name: 'Create the passkey' }).click();
    await page.getByRole('button', { name: 'I have kept them' }).click();
    await visit.call('POST', 'auth/sign-out');

    // Signed out: the sign-in begins with a passkey, and comes back to the question.
    const first = await begin('--passkey');
    await visit.open(first.path);
    await visit.arrivesAt('/app/sign-in');
    const passkey = page.getByRole('button', { name: 'Use a passkey' });
    await passkey.waitFor();
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Use a passkey');
    await expectAccessible(visit, 'sign-in-with-passkey-first');
    await passkey.click();
    await visit.arrivesAt('/app/sign-in/approve');
    await page.getByText('Command line on').waitFor();
    await page.getByText(username).waitFor();
    await expectAccessible(visit, 'approve-sign-in');
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('heading', { name: 'You can close this window.' }).waitFor();
    await expectAccessible(visit, 'command-line-page');
    expect(await first.ended).toMatchObject({ code: 0, stdout: expect.stringContaining('You are logged in') });
    const who = await service.run(['whoami', '--json']);
    expect(JSON.parse(who.stdout)).toMatchObject({ user: { username }, credential: { type: 'api_key' } });

    // Signed in a while ago: the person shows the passkey again.
    await makeSessionsOld(app);
    const second = await begin('--browser');
    await visit.open(second.path);
    await page.getByRole('button', { name: 'Approve' }).click();
    const confirmation = page.getByRole('dialog', { name: 'Confirm that it is you' });
    await confirmation.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByRole('heading', { name: 'You can close this window.' }).waitFor();
    expect((await second.ended).code).toBe(0);

    const third = await begin('--browser');
    await visit.open(third.path);
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.getByRole('heading', { name: 'The command is not logged in.' }).waitFor();
    expect((await third.ended).code).toBe(3);
    await visit.open(third.path);
    await page.getByRole('heading', { name: 'This sign-in is over' }).waitFor();
    expect(visit.faults).toEqual([]);
    await visit.end();
  });
});
