import { randomUUID } from 'node:crypto';
import { inChromium } from '../support/browser.js';
import { leaveBrowser, PASSWORD, Visit } from './support.js';

jest.setTimeout(900_000);

/** The template names the registry of npm. Where that cannot be reached, there is nothing to build with. */
const withRegistry = process.env['WITHOUT_REGISTRY'] === undefined ? inChromium : it.skip;

const LOOKS = [
  { name: 'light', colorScheme: 'light', width: 1280 },
  { name: 'dark, on a phone', colorScheme: 'dark', width: 390 },
] as const;

/** Nothing but a browser, from the landing page on. Packages come from the registry. */
describe('a newcomer', () => {
  afterAll(leaveBrowser);

  withRegistry.each(LOOKS)(
    'signs up, runs code, deploys, makes a key and invites, $name',
    async ({ colorScheme, width }) => {
      const visit = await Visit.begin();
      const { page } = visit;
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 860 });
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
      await page.locator('label', { hasText: 'Next.js' }).click();
      await page.getByRole('button', { name: 'Create the project' }).click();
      await visit.arrivesAt(/\/deploys\/dpl_\w+$/);
      await page.getByRole('log').getByText('Framework: nextjs').waitFor();
      const open = page.getByRole('link', { name: 'Open', exact: true });
      await open.waitFor({ timeout: 600_000 });
      const address = new URL((await open.getAttribute('href'))!);
      address.port = process.env['WEB_TEST_APPS_PORT']!;
      const site = await visit.context.newPage();
      await site.goto(address.href);
      await site.getByText('It runs.').waitFor();
      await site.close();

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

      expect(visit.faults).toEqual([]);
      await visit.end();

      async function goTo(place: string): Promise<void> {
        await page.getByRole('navigation').getByRole('link', { name: place, exact: true }).click();
        await page.getByRole('heading', { name: place, level: 1 }).waitFor();
      }
    },
  );
});
