import type { Page } from 'playwright-core';
import { inChromium } from '../support/browser.js';
import { connectBrowser, expectAccessible, leaveBrowser, Visit } from './support.js';

jest.setTimeout(300_000);

const TEXT = 'Hello <b>there</b>';
/** One pixel. */
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** With the files and the S3 endpoint behind; what single screens do is in `storage.test.ts`. */
describe('a bucket of the service itself', () => {
  afterAll(leaveBrowser);

  inChromium('is created, filled, shown, shared, set up, emptied and deleted in the web app', async () => {
    const visit = await Visit.begin();
    const { page } = visit;
    const org = await visit.signUp();
    await visit.open(`/app/${org}/storage`);
    await page.getByRole('button', { name: 'New bucket' }).first().click();
    await expectAccessible(visit, 'real-new-bucket');
    const form = page.getByRole('form', { name: 'New bucket' });
    await form.getByLabel('Name').fill('media');
    await form.getByRole('button', { name: 'Create the bucket' }).click();
    await visit.arrivesAt(/\/storage\/bkt_\w+$/);
    const bucket = new URL(page.url()).pathname.split('/').at(-1)!;
    await page.locator('input[data-files]').setInputFiles([
      { name: 'a b.txt', mimeType: 'text/plain', buffer: Buffer.from(TEXT) },
      { name: 'dot.png', mimeType: 'image/png', buffer: PICTURE },
    ]);
    await page.getByText('2 of 2 done').waitFor();
    await expectAccessible(visit, 'real-uploaded');

    await page.getByRole('button', { name: 'dot.png', exact: true }).click();
    await page.getByRole('img', { name: 'dot.png, 1 by 1 pixels' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'a b.txt', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'a b.txt' });
    await dialog.getByText(TEXT).waitFor();
    await dialog.getByRole('button', { name: 'Copy a link' }).click();
    await dialog.getByRole('button', { name: 'Create the link' }).click();
    const link = await dialog.getByRole('group', { name: 'The signed link' }).textContent();
    await expectAccessible(visit, 'real-object');
    expect(await readElsewhere(link!)).toEqual([200, TEXT]);
    // Another key, without a signature of its own.
    expect((await readElsewhere(link!.replace('a%20b.txt', 'dot.png')))[0]).toBe(403);
    await page.keyboard.press('Escape');

    await openTab(page, 'Settings');
    await allowsOrigin(page, 'https://shop.example.com');
    const general = page.getByRole('form', { name: 'Bucket' });
    await general.getByLabel('Delete objects after days').fill('30');
    const saved = page.waitForResponse((answer) => answer.request().method() === 'PATCH' && answer.ok());
    await general.getByRole('button', { name: 'Save' }).click();
    await saved;
    await expectAccessible(visit, 'real-bucket-settings');
    expect(await visit.call('GET', `storage/buckets/${bucket}`)).toMatchObject({
      expire_after_days: 30,
      cors: [{ origins: ['https://shop.example.com'], methods: ['GET', 'HEAD'] }],
    });
    await deletes(page);
    await page.getByRole('alert').waitFor();
    await expectAccessible(visit, 'real-bucket-not-empty');
    await page.getByRole('button', { name: 'Cancel' }).click();

    await openTab(page, 'Objects');
    await page.getByLabel('Choose all that are shown').check();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('form', { name: 'Delete' }).getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('No objects yet').waitFor();
    expect((await readElsewhere(link!))[0]).toBe(404);
    await openTab(page, 'Settings');
    await deletes(page);
    await visit.arrivesAt(`/app/${org}/storage`);
    await page.getByText('No buckets yet').waitFor();

    await page.getByRole('link', { name: 'Access keys' }).click();
    await page.getByRole('button', { name: 'New access key' }).first().click();
    const key = page.getByRole('form', { name: 'New access key' });
    await key.getByLabel('Name').fill('CI');
    await expectAccessible(visit, 'real-new-access-key');
    await key.getByRole('button', { name: 'Create the access key' }).click();
    await page.getByRole('dialog', { name: 'Your new access key' }).getByText('AWS_SECRET_ACCESS_KEY=').waitFor();
    expect(visit.faults).toEqual([]);
    await visit.end();
  });
});

const openTab = (page: Page, name: string): Promise<void> =>
  page.getByRole('navigation', { name: 'Bucket' }).getByRole('link', { name }).click();

/** Reads an address in a browser that has no account, as the reader of a mail does. */
async function readElsewhere(url: string): Promise<[status: number, text: string]> {
  const context = await (await connectBrowser()).newContext();
  try {
    const page = await context.newPage();
    const answer = await page.goto(url);
    return [answer!.status(), await answer!.text()];
  } finally {
    await context.close();
  }
}

async function allowsOrigin(page: Page, origin: string): Promise<void> {
  const rules = page.getByRole('form', { name: 'Other origins' });
  await rules.getByRole('button', { name: 'Add a rule' }).click();
  await rules.getByLabel('Origins').fill(origin);
  await rules.getByRole('button', { name: 'Save the rules' }).click();
  await rules.getByText('Saved').waitFor();
}

async function deletes(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Delete the bucket' }).click();
  const ask = page.getByRole('form', { name: 'Delete media?' });
  await ask.getByLabel('Type media to go on').fill('media');
  await ask.getByRole('button', { name: 'Delete the bucket' }).click();
}
