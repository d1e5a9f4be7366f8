import { Client } from 'pg';
import type { Page } from 'playwright-core';
import { inChromium } from '../support/browser.js';
import { eventually } from '../support/test-app.js';
import { expectAccessible, leaveBrowser, subscribe, typeSql, Visit } from './support.js';

jest.setTimeout(300_000);

const SECOND_MS = 1_000;

/** With the clusters, the gateway and the backups behind; what single screens do is in `databases.test.ts`. */
describe('a PostgreSQL database of the service itself', () => {
  afterAll(leaveBrowser);

  inChromium('is created, filled, read, branched, restored and deleted in the web app', async () => {
    const { visit, page, org } = await visitWith();
    await page.getByRole('button', { name: 'New database' }).first().click();
    await expectAccessible(visit, 'real-new-database');
    const create = page.getByRole('form', { name: 'New database' });
    await create.getByLabel('Name').fill('shop');
    await create.getByLabel('Project').selectOption('Storefront');
    await create.getByRole('button', { name: 'Create the database' }).click();
    await visit.arrivesAt(/\/databases\/db_\w+$/);
    const id = idIn(page);
    await isReady(page);
    await page.getByText(/^Nothing stored yet of 10 GB$/).waitFor();
    await page.getByText(/^\d+ of 50$/).waitFor();
    await expectAccessible(visit, 'real-database');

    await openTab(page, 'Query');
    await typeSql(page, 'CREATE TABLE orders (id int PRIMARY KEY, customer text)');
    await page.getByRole('button', { name: 'Run' }).click();
    const alert = page.getByRole('alert');
    await alert.getByText('cannot execute CREATE TABLE in a read-only transaction').waitFor();
    await page.getByText('SQLSTATE 25006').waitFor();
    await page.getByText('until “Allow changes” is switched on').waitFor();
    await expectAccessible(visit, 'real-query-refused');
    await page.getByRole('switch', { name: 'Allow changes' }).check();
    await page.getByRole('button', { name: 'Run with changes' }).click();
    await page.getByText('CREATE TABLE, 0 rows').waitFor();
    await typeSql(page, "INSERT INTO orders SELECT n, 'Customer ' || n FROM generate_series(1, 120) n");
    await page.getByRole('button', { name: 'Run with changes' }).click();
    await page.getByText('INSERT, 120 rows').waitFor();

    await openTab(page, 'Tables');
    await page.getByText('Rows 1 to 50').waitFor();
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText('Rows 51 to 100').waitFor();
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText('Rows 101 to 120').waitFor();
    await page.getByRole('cell', { name: 'Customer 120', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Open row 120' }).waitFor();
    expect(await page.getByRole('button', { name: 'Next' }).isDisabled()).toBe(true);
    await expectAccessible(visit, 'real-tables');
    await openTab(page, 'Stats');
    await page.getByRole('region', { name: 'Tables by size' }).getByText('orders').waitFor();
    await expectAccessible(visit, 'real-stats');

    await openTab(page, 'Backups');
    await page.getByText('The first backup is not there yet.').waitFor();
    await page.getByRole('button', { name: 'Back up now' }).click();
    await page.getByRole('cell', { name: 'Complete' }).waitFor();
    // The first whole second that can be restored has 120 rows, and what comes later has none.
    const { restorable } = await visit.call('GET', `databases/${id}`);
    const first = Math.ceil(Date.parse(restorable.from) / SECOND_MS) * SECOND_MS;
    await eventually(() => Date.now() > first, 'the first moment is over');
    await visit.call('POST', `databases/${id}/query`, { sql: 'DELETE FROM orders', access: 'write' });

    await openTab(page, 'Branches');
    await page.getByRole('button', { name: 'New branch' }).first().click();
    const branch = page.getByRole('form', { name: 'New branch' });
    await branch.getByLabel('Name').fill('shop-try');
    await branch.getByRole('button', { name: 'Create the branch' }).click();
    await page.getByRole('heading', { name: 'shop-try', level: 1 }).waitFor();
    await isReady(page);
    const branchId = idIn(page);
    expect(await rowsOf(visit, branchId)).toBe(0);
    await visit.call('POST', `databases/${branchId}/query`, { sql: 'DROP TABLE orders', access: 'write' });
    expect(await rowsOf(visit, id)).toBe(0);
    await openTab(page, 'Branches');
    await page.getByRole('region', { name: 'Branches' }).getByRole('link', { name: 'shop', exact: true }).waitFor();
    await expectAccessible(visit, 'real-branches');

    await visit.open(`/app/${org}/databases/${id}/backups`);
    await page.getByRole('slider', { name: 'Moment' }).focus();
    await page.keyboard.press('Home');
    await expectAccessible(visit, 'real-backups');
    await page.getByRole('button', { name: 'Restore this moment' }).click();
    const restore = page.getByRole('form', { name: 'Restore' });
    await expectAccessible(visit, 'real-restore');
    await restore.getByRole('button', { name: 'Restore into a new database' }).click();
    await page.getByRole('heading', { name: 'shop-restored', level: 1 }).waitFor();
    await isReady(page);
    const restoredId = idIn(page);
    expect(await rowsOf(visit, restoredId)).toBe(120);

    // What was restored takes the place of what it comes from.
    await visit.open(`/app/${org}/databases/${id}/branches`);
    await page.getByRole('button', { name: 'Choose a database' }).click();
    const swap = page.getByRole('form', { name: 'Swap' });
    await swap.getByLabel('With').selectOption('shop-restored');
    await expectAccessible(visit, 'real-swap');
    await swap.getByRole('button', { name: 'Swap the data' }).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    expect(await rowsOf(visit, id)).toBe(120);

    // Branches go with the data.
    await visit.open(`/app/${org}/databases/${restoredId}`);
    await deletes(page, 'shop-restored');
    await alert.getByText('This database has branches.').waitFor();
    await expectAccessible(visit, 'real-not-deleted');
    for (const [each, name] of [
      [branchId, 'shop-try'],
      [restoredId, 'shop-restored'],
    ] as const) {
      await visit.open(`/app/${org}/databases/${each}`);
      await deletes(page, name);
      await visit.arrivesAt(`/app/${org}/databases`);
      await page.getByRole('link', { name }).waitFor({ state: 'hidden' });
    }
    await page.getByRole('link', { name: 'shop', exact: true }).waitFor();
    expect(visit.faults).toEqual([]);
    await visit.end();
  });

  inChromium('answers clients with the URLs that the web app shows, until they are rotated', async () => {
    const { visit, page, org } = await visitWith();
    const { id } = await visit.call('POST', 'databases', { name: 'shop' });
    await visit.open(`/app/${org}/databases/${id}`);
    await isReady(page);
    await page.getByRole('button', { name: 'Create a connection URL' }).click();
    await page.getByRole('form', { name: 'New credential' }).getByRole('button', { name: 'Create the URL' }).click();
    const url = await urlShown(visit, 'real-url');
    const client = await connected(url);
    expect((await client.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    await page.getByText('1 of 50').waitFor();

    await openTab(page, 'Credentials');
    await page.getByRole('button', { name: 'Rotate' }).click();
    const rotate = page.getByRole('form', { name: 'Rotate' });
    await rotate.getByLabel('The old one').selectOption('Ends at once');
    await rotate.getByRole('button', { name: 'Rotate the credential' }).click();
    const next = await urlShown(visit, 'real-rotated');
    await client.end();
    await expect(connected(url)).rejects.toThrow(/password authentication failed|does not exist|expired/);
    await (await connected(next)).end();
    await expectAccessible(visit, 'real-credentials');

    await openTab(page, 'Overview');
    await page.getByRole('button', { name: 'Attach to a project' }).click();
    const attach = page.getByRole('form', { name: 'Attachment' });
    await expectAccessible(visit, 'real-attach');
    await attach.getByLabel('Project').selectOption('Storefront');
    await attach.getByRole('button', { name: 'Attach' }).click();
    await page.getByRole('region', { name: 'Attachments' }).getByRole('link', { name: 'Storefront' }).click();
    await page.getByRole('link', { name: 'Attached' }).click();
    await page.getByRole('cell', { name: 'DATABASE_URL' }).waitFor();
    await expectAccessible(visit, 'real-attached');
    await page.getByRole('button', { name: 'Detach shop' }).click();
    await page.getByRole('form', { name: 'Detach shop?' }).getByRole('button', { name: 'Detach' }).click();
    await page.getByRole('cell', { name: 'DATABASE_URL' }).waitFor({ state: 'hidden' });
    expect(visit.faults).toEqual([]);
    await visit.end();
  });
});

const idIn = (page: Page): string => /db_\w+/.exec(new URL(page.url()).pathname)![0];

/** What connects to it is shown once it is ready. */
const isReady = (page: Page): Promise<void> => page.getByRole('heading', { name: 'Connect' }).waitFor();

const openTab = (page: Page, name: string): Promise<void> =>
  page.getByRole('navigation', { name: 'Database' }).getByRole('link', { name }).click();

async function rowsOf(visit: Visit, id: string): Promise<number> {
  const sql = 'SELECT count(*)::int FROM orders';
  return (await visit.call('POST', `databases/${id}/query`, { sql, access: 'read' })).rows[0][0];
}

async function deletes(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Delete the database' }).click();
  const ask = page.getByRole('form', { name: `Delete ${name}?` });
  await ask.getByLabel(`Type ${name} to go on`).fill(name);
  await ask.getByRole('button', { name: 'Delete the database' }).click();
}

/** The URL of the dialog, which is closed then. */
async function urlShown(visit: Visit, name: string): Promise<string> {
  const dialog = visit.page.getByRole('dialog', { name: 'Your connection URL' });
  const url = await dialog.getByRole('group', { name: 'The connection URL' }).textContent();
  await expectAccessible(visit, name);
  await dialog.getByRole('button', { name: 'I have it' }).click();
  return url!;
}

/** A client of the URL, at the port that the service under test listens on. */
async function connected(text: string): Promise<Client> {
  const { username, password, pathname } = new URL(text);
  const client = new Client({
    host: '127.0.0.1',
    port: Number(process.env['WEB_TEST_DATABASES_PORT']),
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    database: pathname.slice(1),
    // The service makes its certificate itself.
    ssl: { rejectUnauthorized: false },
  });
  // A rotation ends its connections.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/** A person with a project, at the databases. */
async function visitWith(): Promise<{ readonly visit: Visit; readonly page: Page; readonly org: string }> {
  const visit = await Visit.begin();
  const org = await visit.signUp();
  await subscribe(org);
  await visit.call('POST', 'projects', { name: 'Storefront' });
  await visit.open(`/app/${org}/databases`);
  return { visit, page: visit.page, org };
}
