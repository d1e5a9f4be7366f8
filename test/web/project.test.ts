import { inChromium } from '../support/browser.js';
import { eventually } from '../support/test-app.js';
import { deployedSite, deployFiles, leaveBrowser, serviceUrl, subscribe, Visit } from './support.js';

jest.setTimeout(300_000);

describe('a project in the web app', () => {
  afterAll(leaveBrowser);

  inChromium('has settings, variables and domains that are changed and taken back', async () => {
    const visit = await Visit.begin();
    const { page } = visit;
    const org = await visit.signUp();
    const { id: project } = await visit.call('POST', 'projects', { name: 'Shop' });

    await visit.open(`/app/${org}/projects/${project}/settings/build`);
    const row = page.getByRole('listitem', { name: 'Build command' });
    await row.getByRole('button', { name: 'Change' }).click();
    await page.getByRole('textbox', { name: 'Build command' }).fill('make site');
    await page.getByRole('button', { name: 'Save' }).click();
    await row.getByText('Set here').waitFor();
    await row.getByText('make site').waitFor();
    await row.getByRole('button', { name: 'Reset' }).click();
    await row.getByText('Set here').waitFor({ state: 'detached' });
    expect(await visit.call('GET', `projects/${project}`)).not.toHaveProperty('build_command');

    await page.getByRole('link', { name: 'Variables' }).click();
    await page.getByRole('button', { name: 'Add a variable' }).click();
    const form = page.getByRole('form', { name: 'Variable' });
    await form.getByLabel('Name', { exact: true }).fill('not a name');
    await form.getByLabel('Value', { exact: true }).fill('s3cret-value');
    await form.getByLabel('Development').uncheck();
    await form.getByRole('button', { name: 'Save' }).click();
    // The fault stands beside its field, and what was typed stays.
    await form.locator('[name="variables[0].name"][aria-invalid=true]').waitFor();
    await form.getByLabel('Name', { exact: true }).fill('DATABASE_URL');
    await form.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('row', { name: /DATABASE_URL.*production, preview.*Secret/ }).waitFor();
    expect(await page.content()).not.toContain('s3cret-value');
    await page.getByRole('button', { name: 'Paste a .env file' }).click();
    await page.getByLabel('Content of the file').fill('# Of the shop\nONE=1\nTWO="2"');
    await page.getByRole('button', { name: 'Set 2 variables' }).click();
    await page.getByRole('row', { name: /TWO/ }).waitFor();

    await page.getByRole('link', { name: 'Domains' }).click();
    await page.getByLabel('Domain', { exact: true }).fill(`${project.slice(-10)}.example.com`);
    await page.getByRole('button', { name: 'Add the domain' }).click();
    const card = page.getByRole('listitem', { name: `${project.slice(-10)}.example.com` });
    await card.getByText('Not proved yet').waitFor();
    await card.getByRole('button', { name: /Copy the value service-verification=/ }).waitFor();
    await visit.end();
    expect(visit.faults).toEqual([]);
  });

  inChromium('is rolled back at once, and not at all where the service refuses', async () => {
    const visit = await Visit.begin();
    const { page } = visit;
    const org = await visit.signUp();
    await subscribe(org);
    const { project, deploy: first } = await deployedSite(visit, 'Shop', 'production');
    await deployFiles(visit, project, 'production');
    const rollback = `${serviceUrl()}/api/v1/projects/${project}/rollback`;

    await visit.open(`/app/${org}/projects/${project}`);
    const [latest, earlier] = [page.getByRole('row').nth(1), page.getByRole('row').nth(2)];
    await latest.getByText('Live', { exact: true }).waitFor();
    const rollBack = async (): Promise<void> => {
      await earlier.getByRole('button', { name: /Roll back/ }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Roll back' }).click();
    };

    // It is shown while the answer is awaited, and taken back with the error.
    let answer = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route(rollback, async (route) => {
      await held;
      const error = { type: 'conflict_error', code: 'deploy_not_ready', message: 'The deploy is not ready.' };
      await route.fulfill({ status: 409, json: { error } });
    });
    await rollBack();
    await earlier.getByText('Live', { exact: true }).waitFor();
    answer();
    await page.getByRole('alert').getByText('The deploy is not ready.').waitFor();
    await latest.getByText('Live', { exact: true }).waitFor();

    await page.unroute(rollback);
    await rollBack();
    await earlier.getByText('Live', { exact: true }).waitFor();
    await eventually(async () => (await visit.call('GET', `deploys/${first}`)).live === true, 'the first is live');
    expect(visit.faults).toEqual([]);
    await visit.end();
  });
});
