import { randomUUID } from 'node:crypto';
import { inChromium } from '../support/browser.js';
import { eventually } from '../support/test-app.js';
import { leaveBrowser, PASSWORD, subscribe, Visit } from './support.js';

jest.setTimeout(900_000);

/** The template names the registry of npm. Where that cannot be reached, there is nothing to build with. */
const withRegistry = process.env['WITHOUT_REGISTRY'] === undefined ? inChromium : it.skip;

/** Nothing but a browser, from the landing page to a rollback. Packages come from the registry. */
describe('a newcomer', () => {
  afterAll(leaveBrowser);

  withRegistry('runs code, signs up, deploys, makes a key, sees what it costs, invites and rolls back', async () => {
    const visit = await Visit.begin();
    const { page } = visit;
    const username = `u${randomUUID().slice(0, 12)}`;

    // Code runs before there is an account.
    await visit.open('/');
    await page.selectOption('#language', 'python');
    await page.fill('#code', 'print(6 * 7)');
    await page.click('#run:enabled');
    await page.locator('#output', { hasText: '42' }).waitFor();
    await page.getByRole('link', { name: 'Create an account' }).first().click();
    await page.getByLabel('Username').fill(username);
    await page.getByLabel('Email').fill(`${username}@example.com`);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await visit.arrivesAt(`/app/${username}`);

    // Three clicks from there to the first deploy.
    await page.getByRole('link', { name: 'New project' }).first().click();
    await page.getByRole('radio', { name: /^Next\.js(?! with)/ }).check();
    await page.getByRole('button', { name: 'Create the project' }).click();
    await visit.arrivesAt(/\/deploys\/dpl_\w+$/);
    const project = new URL(page.url()).pathname.replace(/\/deploys\/.*/, '');
    await page.getByRole('log').getByText('Framework: nextjs').waitFor();
    const open = page.getByRole('link', { name: 'Open', exact: true });
    await open.waitFor({ timeout: 600_000 });
    const address = new URL((await open.getAttribute('href'))!);
    address.port = process.env['WEB_TEST_APPS_PORT']!;
    const site = await visit.context.newPage();
    await site.goto(address.href);
    await site.getByText('It runs.').waitFor();
    await site.close();

    // From here on in the dark, and below on a phone.
    await page.emulateMedia({ colorScheme: 'dark' });
    await goTo('Usage');
    await page.getByRole('heading', { name: 'Limits of the plan Free' }).waitFor();

    await goTo('API keys');
    await page.getByRole('button', { name: 'New key' }).first().click();
    await page.getByLabel('Name').fill('CI');
    await page.getByRole('button', { name: 'Create the key' }).click();
    await page
      .getByText(/svc_\w+/)
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'I have it' }).click();
    await page
      .getByText(/svc_\w+…/)
      .first()
      .waitFor();

    await page.setViewportSize({ width: 390, height: 860 });
    await goTo('Members');
    await page.getByRole('link', { name: 'Create an organization' }).click();
    await page.getByLabel('Name').fill('Acme');
    await page.getByLabel('Slug').fill(`${username}-acme`);
    await page.getByRole('button', { name: 'Create the organization' }).click();
    await visit.arrivesAt(`/app/${username}-acme/members`);
    await page.getByRole('button', { name: 'Invite' }).first().click();
    await page.getByLabel('Email').fill('friend@example.com');
    await page.getByRole('button', { name: 'Send the invitation' }).click();
    await page.getByText('friend@example.com', { exact: true }).waitFor();

    // With a plan that has production: two deploys, and back to the first.
    await subscribe(username);
    await eventually(
      async () => (await visit.call('GET', 'me')).organization.plan === 'builder',
      'the plan has changed',
      60_000,
    );
    for (let deploy = 0; deploy < 2; deploy++) {
      await visit.open(project);
      await page.getByRole('button', { name: 'Deploy main' }).click();
      await visit.arrivesAt(/\/deploys\/dpl_\w+$/);
      await page.getByText(/^Production, by/).waitFor();
      await page.getByRole('status').getByText('Live', { exact: true }).waitFor({ timeout: 600_000 });
    }
    await visit.open(project);
    const earlier = page.getByRole('row').nth(2);
    await earlier.getByRole('button', { name: /Roll back/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Roll back' }).click();
    await earlier.getByText('Live', { exact: true }).waitFor();

    expect(visit.faults).toEqual([]);
    await visit.end();

    async function goTo(place: string): Promise<void> {
      await page.getByRole('navigation').getByRole('link', { name: place, exact: true }).click();
      await page.getByRole('heading', { name: place, level: 1 }).waitFor();
    }
  });
});
