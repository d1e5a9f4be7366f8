import { inChromium } from '../support/browser.js';
import { leaveBrowser, Visit } from './support.js';

jest.setTimeout(300_000);

describe('repositories in the web app', () => {
  afterAll(leaveBrowser);

  inChromium('are made from a template, become a project, and are deleted by name', async () => {
    const visit = await Visit.begin();
    const { page } = visit;
    const org = await visit.signUp();
    await visit.open(`/app/${org}/repositories`);
    await page.getByRole('button', { name: 'New repository' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'New repository' });
    await dialog.getByLabel('Name').fill('a..b');
    await dialog.getByLabel('Begin with').selectOption('nextjs');
    await page.keyboard.press('Enter');
    await dialog.locator('[name=name][aria-invalid=true]').waitFor();
    await dialog.getByLabel('Name').fill('shop');
    await page.keyboard.press('Enter');
    await visit.arrivesAt(/\/repositories\/repo_/);
    await page.getByText(new RegExp(`^git clone http.+/git/${org}/shop\\.git$`)).waitFor();

    const main = page.getByRole('region', { name: 'Branches' }).getByRole('row', { name: /main/ });
    await main.getByText('Start from the template nextjs').waitFor();

    await page.getByRole('link', { name: 'New project' }).click();
    await page.locator('label:has-text("shop") input:checked').waitFor();
    await page.getByText('GitHub', { exact: true }).click();
    await page.getByText('The operator has not set up GitHub here.').waitFor();
    await page.getByLabel('Address of the repository').waitFor();
    await page.goBack();

    await page.getByRole('button', { name: 'Delete' }).click();
    const confirm = page.getByRole('dialog', { name: 'Delete this repository?' });
    await confirm.getByRole('textbox').fill('something');
    await page.keyboard.press('Enter');
    await confirm.getByRole('alert').waitFor();
    await confirm.getByRole('textbox').fill('shop');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'No repositories yet' }).waitFor();
    expect(visit.faults).toEqual([]);
    await visit.end();
  });
});
