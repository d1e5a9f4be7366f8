import { inChromium } from '../support/browser.js';
import { eventually } from '../support/test-app.js';
import { leaveBrowser, Visit } from './support.js';

jest.setTimeout(300_000);

describe('the sandbox of the web app', () => {
  afterAll(leaveBrowser);

  inChromium('runs what is typed, keeps it on errors and reloads, and opens a run again', async () => {
    const visit = await Visit.begin();
    const { page } = visit;
    const org = await visit.signUp();
    await visit.open(`/app/${org}/sandbox`);
    await page.getByText('Your plan allows 30 s and 256 MiB a run, and 2 runs at once.').waitFor();
    await page.getByLabel('Language').selectOption('python');
    const editor = page.getByRole('textbox', { name: 'Python program' });
    const result = page.getByRole('region', { name: 'Result' });
    const type = async (code: string): Promise<void> => {
      await editor.click();
      await page.keyboard.press('Control+a');
      await page.keyboard.insertText(code);
    };
    await type('print(input() + "!")');
    await page.getByText('Standard input').click();
    await page.locator('[name=stdin]').fill('ümlaut');
    await editor.click();
    await page.keyboard.press('Control+Enter');
    await result.getByText('ümlaut!').waitFor();
    await result.getByText('Succeeded').waitFor();
    await result.getByText('Exit code').waitFor();

    // The plan allows less: the fault stands beside its field, and the program stays.
    await page.getByLabel('Memory').selectOption('2048');
    await type('raise ValueError("no")');
    await page.keyboard.press('Control+Enter');
    await page.locator('[name=memory_mib][aria-invalid=true]').waitFor();
    // So it does when there is no sandbox, and after a reload.
    await page.getByLabel('Memory').selectOption('');
    await page.route('**/api/v1/sandbox/executions', async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      const error = { type: 'api_error', code: 'sandbox_unavailable', message: 'The sandbox is busy.' };
      await route.fulfill({ status: 503, headers: { 'retry-after': '30' }, json: { error } });
    });
    await page.keyboard.press('Control+Enter');
    await page.getByRole('alert').filter({ hasText: 'The sandbox is busy.' }).waitFor();
    await page.unroute('**/api/v1/sandbox/executions');
    await page.reload();
    await editor.getByText('raise ValueError').waitFor();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await result.getByText('Failed').waitFor();
    await result.getByText(/in line 1/).waitFor();

    // The older run, with its output and its program.
    await page.getByRole('row').filter({ hasText: 'Succeeded' }).getByRole('button', { name: 'Open' }).click();
    await result.getByText('ümlaut!').waitFor();
    await result.getByRole('button', { name: 'Open its program' }).click();
    await editor.getByText('print').waitFor();

    await page.getByRole('button', { name: 'Share' }).click();
    const link = await page.getByRole('group', { name: 'The link to the program' }).textContent();
    await page.goto(link!);
    await eventually(async () => (await page.inputValue('#code')).includes('input()'), 'the program is there');
    expect(visit.faults).toEqual([]);
    await visit.end();
  });
});
