import { inChromium } from '../support/browser.js';
import { finalizedInvoice, leaveBrowser, Visit } from './support.js';

jest.setTimeout(300_000);

describe('the pages of operators', () => {
  afterAll(leaveBrowser);

  inChromium('find an organization, mark its invoice as paid and set its plan', async () => {
    const customer = await Visit.begin();
    const org = await customer.signUp();
    const { number } = await finalizedInvoice(customer);
    const visit = await Visit.asOperator();
    const { page } = visit;
    await visit.open('/app/operator/organizations');
    await page.getByLabel('Find an organization').fill(`${org}@example.com`);
    await page.getByRole('link', { name: org }).click();
    await visit.arrivesAt(/^\/app\/operator\/organizations\/org_/);

    await page.getByRole('button', { name: `Mark as paid ${number}` }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('How it was paid').fill('Transfer 4711');
    await dialog.getByRole('button', { name: 'Mark as paid' }).click();
    await page.getByRole('row', { name: number }).getByText('Paid', { exact: true }).waitFor();

    const form = page.getByRole('form', { name: 'Plan of the organization' });
    await form.getByLabel('Plan').selectOption('pro');
    await form.getByLabel('Reason').fill('Contract 17');
    await form.getByRole('button', { name: 'Set the plan' }).click();
    await page.getByText('$299.00 a month').waitFor();
    expect((await customer.call('GET', 'billing/invoices'))[0]).toMatchObject({ number, state: 'paid' });
    expect(await customer.call('GET', 'billing/subscription')).toMatchObject({ plan: 'pro' });
    expect(visit.faults).toEqual([]);
    await Promise.all([visit.end(), customer.end()]);
  });
});
