import { inChromium } from '../support/browser.js';
import { leaveBrowser, Visit } from './support.js';

jest.setTimeout(900_000);

/** The templates name the registry of npm. Where that cannot be reached, there is nothing to build with. */
const withRegistry = process.env['WITHOUT_REGISTRY'] === undefined ? inChromium : it.skip;

/** From the dashboard to a page that stores something, with what the template needs attached on the way. */
describe('a project from a template that needs', () => {
  afterAll(leaveBrowser);

  /** Chooses the template, and opens the address of the deploy when it is there. */
  async function deployed(visit: Visit, template: string): Promise<string> {
    const { page } = visit;
    const username = await visit.signUp();
    await visit.open(`/app/${username}/projects/new`);
    await page.getByText(template, { exact: true }).click();
    await page.getByRole('button', { name: 'Create the project' }).click();
    await visit.arrivesAt(/\/deploys\/dpl_\w+$/);
    const open = page.getByRole('link', { name: 'Open', exact: true });
    await open.waitFor({ timeout: 600_000 });
    const address = new URL((await open.getAttribute('href'))!);
    address.port = process.env['WEB_TEST_APPS_PORT']!;
    await page.goto(address.href);
    return address.href;
  }

  withRegistry('a database keeps what is written there', async () => {
    const visit = await Visit.begin();
    const { page } = visit;
    const address = await deployed(visit, 'Next.js with PostgreSQL');
    await page.getByText('Nobody has signed yet.').waitFor();
    await page.getByLabel('Name').fill('Ada');
    await page.getByLabel('Message').fill('The first entry');
    await page.getByRole('button', { name: 'Sign' }).click();
    await page.getByRole('listitem').getByText('The first entry').waitFor();
    await page.goto(address);
    await page.getByRole('listitem').getByText('The first entry').waitFor();
    await visit.end();
  });

  withRegistry('a bucket keeps what is uploaded there', async () => {
    const visit = await Visit.begin();
    const { page } = visit;
    const address = await deployed(visit, 'Next.js with uploads');
    await page.getByText('No files yet.').waitFor();
    await page.getByLabel(/^Files/).setInputFiles({
      name: 'note.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from('Kept in a bucket'),
    });
    await page.getByRole('button', { name: 'Upload' }).click();
    await page.getByRole('link', { name: 'note.txt' }).waitFor();
    await page.goto(address);
    const path = await page.getByRole('link', { name: 'note.txt' }).getAttribute('href');
    const text = await page.evaluate(async (file) => (await fetch(file)).text(), path!);
    expect(text).toBe('Kept in a bucket');
    await visit.end();
  });
});
