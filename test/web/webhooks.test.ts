import { inChromium } from '../support/browser.js';
import { leaveBrowser, Visit } from './support.js';

jest.setTimeout(300_000);

describe('webhooks in the web app', () => {
  afterAll(leaveBrowser);

  inChromium('are made, tested, replayed, paused and deleted, and show the secret once', async () => {
    const visit = await Visit.begin();
    const { page } = visit;
    const org = await visit.signUp();
    await visit.open(`/app/${org}/webhooks`);
    await page.getByRole('button', { name: 'New endpoint' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'New endpoint' });
    await dialog.getByLabel('Address').fill('http://127.0.0.1/');
    await dialog.getByLabel('deploy.ready').check();
    await page.getByRole('button', { name: 'Create the endpoint' }).click();
    await dialog.locator('[name=url][aria-invalid=true]').waitFor();
    await dialog.getByLabel('Address').fill('https://hooks.invalid/service');
    await page.getByRole('button', { name: 'Create the endpoint' }).click();
    await page.getByText(/^whsec_/).waitFor();
    await page.getByRole('button', { name: 'I have it' }).click();
    await visit.arrivesAt(/\/webhooks\/whe_/);
    expect(await page.getByText(/whsec_/).count()).toBe(0);
    await page.getByText('deploy.ready').waitFor();

    await page.getByRole('button', { name: 'Send a test' }).click();
    const row = page.getByRole('row').filter({ hasText: 'webhook_endpoint.test' });
    await row.getByText('Trying again').waitFor();
    await row.getByRole('button', { name: 'Details' }).click();
    // Which error it is depends on the name server of the machine.
    await page.getByText(/^1 attempt, the last/).waitFor();
    await page.getByText('"type": "webhook_endpoint.test"').waitFor();
    await page.getByRole('button', { name: 'Send it again' }).click();
    await row.nth(1).waitFor();

    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('Paused', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByText('Active', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Rotate the secret' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate the secret' }).click();
    await page.getByText(/^whsec_/).waitFor();
    await page.getByRole('button', { name: 'I have it' }).click();
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete the endpoint' }).click();
    await page.getByRole('heading', { name: 'No endpoints yet' }).waitFor();
    expect(visit.faults).toEqual([]);
    await visit.end();
  });
});
