import { inChromium } from '../support/browser.js';
import { visitWithResources } from './resource-answers.js';
import { leaveBrowser, typeSql } from './support.js';

jest.setTimeout(300_000);

describe('databases in the web app', () => {
  afterAll(leaveBrowser);

  inChromium('are created, and followed until they are ready', async () => {
    const { visit, page, org, answers } = await visitWithResources();
    await visit.open(`/app/${org}/databases`);
    await page.getByRole('button', { name: 'New database' }).click();
    const form = page.getByRole('form', { name: 'New database' });
    await form.getByLabel('Name').fill('orders');
    answers.refusals.set('POST databases', {
      status: 403,
      error: { type: 'auth_error', code: 'plan_limit_reached', message: 'Database limit reached: Free allows 2.' },
    });
    await form.getByRole('button', { name: 'Create the database' }).click();
    await form.getByRole('alert').getByText('Free allows 2').waitFor();
    expect(await form.getByLabel('Name').inputValue()).toBe('orders');

    answers.refusals.clear();
    await form.getByRole('button', { name: 'Create the database' }).click();
    await visit.arrivesAt(/\/databases\/db_3$/);
    await page.getByText('Asleep').first().waitFor();
    expect(answers.bodiesOf('POST databases').at(-1)).toEqual({ name: 'orders' });
    expect(visit.faults).toEqual([]);
    await visit.end();
  });

  inChromium('show the URL of a new credential once', async () => {
    const { visit, page, org } = await visitWithResources();
    await visit.open(`/app/${org}/databases/db_shop`);
    await page.getByRole('button', { name: 'Create a connection URL' }).click();
    await page.getByRole('form', { name: 'New credential' }).getByRole('button', { name: 'Create the URL' }).click();
    const dialog = page.getByRole('dialog', { name: 'Your connection URL' });
    await dialog.getByText('postgres://owner_k3:s3cret@localhost:5433/shop-k3v9x2ma').first().waitFor();
    await dialog.getByRole('button', { name: 'Node.js' }).click();
    // Code that is copied into a repository has no secret in it.
    expect(await dialog.getByRole('group', { name: 'Connect with Node.js' }).textContent()).not.toContain('s3cret');
    await dialog.getByRole('button', { name: 'I have it' }).click();
    expect(await page.content()).not.toContain('s3cret');
    expect(await page.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage })')).not.toContain('s3cret');
    expect(visit.faults).toEqual([]);
    await visit.end();
  });

  inChromium('rotate a credential with a grace, and revoke another', async () => {
    const { visit, page, org, answers } = await visitWithResources();
    await visit.open(`/app/${org}/databases/db_shop/credentials`);
    await page.getByRole('button', { name: 'Rotate Laptop of Ada' }).click();
    const rotate = page.getByRole('form', { name: 'Rotate' });
    await rotate.getByLabel('The old one').selectOption('3600');
    await rotate.getByRole('button', { name: 'Rotate the credential' }).click();
    await page.getByRole('dialog', { name: 'Your connection URL' }).getByRole('button', { name: 'I have it' }).click();
    expect(answers.bodiesOf('POST databases/db_shop/credentials/cred_1/rotate')).toEqual([{ grace_seconds: 3_600 }]);
    await page.getByRole('button', { name: 'Revoke reader_m2' }).click();
    await page.getByRole('button', { name: 'Revoke the credential' }).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    expect(answers.bodiesOf('DELETE databases/db_shop/credentials/cred_2')).toHaveLength(1);
    expect(visit.faults).toEqual([]);
    await visit.end();
  });

  inChromium('answer queries that can change nothing, until changes are allowed', async () => {
    const { visit, page, org, answers } = await visitWithResources();
    await visit.open(`/app/${org}/databases/db_shop/query`);
    await typeSql(page, 'SELECT * FROM orders');
    await page.keyboard.press('Control+Enter');
    await page.getByText('SELECT, 3 rows in 2 ms').waitFor();
    await page.getByRole('region', { name: 'Rows' }).getByText('NULL').waitFor();

    await page.getByRole('switch', { name: 'Allow changes' }).check();
    await page.getByText('Changes happen at once, as the owner of shop.').waitFor();
    await page.getByRole('button', { name: 'Run with changes' }).click();
    await page.getByText('SELECT, 3 rows in 2 ms').waitFor();
    const accesses = answers.bodiesOf('POST databases/db_shop/query').map((body) => (body as any).access);
    expect(accesses).toEqual(['read', 'write']);

    await page.getByRole('button', { name: 'Open row 3' }).click();
    await page.getByRole('dialog', { name: 'Row 3' }).getByText('NULL').waitFor();
    expect(visit.faults).toEqual([]);
    await visit.end();
  });

  inChromium('show where a query is wrong, keep its text, and forget it with the tab', async () => {
    const { visit, page, org, answers } = await visitWithResources();
    await visit.open(`/app/${org}/databases/db_shop/query`);
    answers.refusals.set('POST databases/db_shop/query', {
      status: 400,
      error: {
        type: 'validation_error',
        code: 'query_failed',
        message: 'column "nmae" does not exist',
        details: { sql_state: '42703', position: 15 },
      },
    });
    await typeSql(page, 'SELECT id,\n   nmae FROM orders');
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByRole('alert').getByText('column "nmae" does not exist').waitFor();
    await page.getByText('SQLSTATE 42703').waitFor();
    await page.getByRole('button', { name: 'Go to line 2, column 4' }).click();
    await page.keyboard.type('x');
    expect(await page.locator('.cm-content').innerText()).toBe('SELECT id,\n   xnmae FROM orders');
    const history = page.getByRole('region', { name: 'History' });
    await history.getByText('SELECT id, nmae FROM orders').waitFor();
    expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain('nmae');
    expect(visit.faults).toEqual([]);
    await visit.end();
  });

  inChromium('cancel a query that takes long', async () => {
    const { visit, page, org } = await visitWithResources();
    await visit.open(`/app/${org}/databases/db_shop/query`);
    await page.locator('.cm-content').waitFor();
    // It never answers.
    await page.route('**/databases/db_shop/query', () => undefined);
    await page.getByRole('button', { name: 'Run' }).click();
    const gone = page.waitForEvent('requestfailed');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await gone;
    await page.getByText('Cancelled.').waitFor();
    expect(visit.faults).toEqual([]);
    await visit.end();
  });

  inChromium('page through the rows of a table in the order of a column', async () => {
    const { visit, page, org, answers } = await visitWithResources();
    await visit.open(`/app/${org}/databases/db_shop/tables`);
    await page.getByText('Rows 1 to 50').waitFor();
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText('Rows 51 to 100').waitFor();
    await page.getByRole('button', { name: 'customer' }).click();
    await page.getByText('Rows 1 to 50').waitFor();
    const asked = answers.bodiesOf('POST databases/db_shop/query').map((body) => (body as any).sql);
    expect(asked).toEqual([
      'SELECT * FROM "public"."orders" ORDER BY "id" LIMIT 51 OFFSET 0',
      'SELECT * FROM "public"."orders" ORDER BY "id" LIMIT 51 OFFSET 50',
      'SELECT * FROM "public"."orders" ORDER BY "customer", "id" LIMIT 51 OFFSET 0',
    ]);
    await page.getByRole('button', { name: 'Columns', exact: true }).click();
    await page.getByRole('cell', { name: 'bigint' }).waitFor();
    expect(visit.faults).toEqual([]);
    await visit.end();
  });

  inChromium('are restored to a moment that a slider chooses', async () => {
    const { visit, page, org, answers } = await visitWithResources();
    await visit.open(`/app/${org}/databases/db_shop/backups`);
    const slider = page.getByRole('slider', { name: 'Moment' });
    await slider.focus();
    await page.keyboard.press('Home');
    await page.getByRole('button', { name: 'Restore this moment' }).click();
    const form = page.getByRole('form', { name: 'Restore' });
    expect(await form.getByLabel('Name').inputValue()).toBe('shop-restored');
    await form.getByRole('button', { name: 'Restore into a new database' }).click();
    await visit.arrivesAt(/\/databases\/db_restored$/);
    const [{ at }] = answers.bodiesOf('POST databases/db_shop/restore') as { at: string }[] as [{ at: string }];
    const from = Date.parse((answers.databases[0]!['restorable'] as { from: string }).from);
    // The first whole second that can be restored.
    expect(Date.parse(at) - from).toBeGreaterThanOrEqual(0);
    expect(Date.parse(at) - from).toBeLessThan(1_000);
    expect(visit.faults).toEqual([]);
    await visit.end();
  });

  inChromium('show branches as a tree, make one, and swap two', async () => {
    const { visit, page, org, answers } = await visitWithResources();
    await visit.open(`/app/${org}/databases/db_shop/branches`);
    const rows = page.getByRole('region', { name: 'Branches' }).getByRole('row');
    await rows.nth(2).waitFor();
    // The heading, the database and its branch; databases of another origin are not there.
    expect(await rows.count()).toBe(3);
    await page.getByRole('button', { name: 'Swap with shop-try' }).click();
    await page.getByRole('button', { name: 'Swap the data' }).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    expect(answers.bodiesOf('POST databases/db_shop/swap')).toEqual([{ with: 'db_try' }]);
    await page.getByRole('button', { name: 'New branch' }).click();
    const form = page.getByRole('form', { name: 'New branch' });
    await form.getByLabel('Name').fill('shop-next');
    await form.getByRole('button', { name: 'Create the branch' }).click();
    await visit.arrivesAt(/\/databases\/db_new$/);
    expect(visit.faults).toEqual([]);
    await visit.end();
  });

  inChromium('are attached to projects, deleted by their name, and taken back', async () => {
    const { visit, page, org, answers } = await visitWithResources();
    const other = await visit.call('POST', 'projects', { name: 'Blog' });
    await visit.open(`/app/${org}/databases/db_shop`);
    await page.getByRole('button', { name: 'Attach to a project' }).click();
    const attach = page.getByRole('form', { name: 'Attachment' });
    await attach.getByLabel('Project').selectOption('Blog');
    await attach.getByLabel('Preview deploys').uncheck();
    await attach.getByLabel('Access').selectOption('reader');
    await attach.getByRole('button', { name: 'Attach' }).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    expect(answers.bodiesOf(`PUT databases/db_shop/attachments/${other.id}`)).toEqual([
      { prefix: 'DATABASE', targets: ['production'], previews: 'branch', access: 'reader' },
    ]);

    await page.getByRole('button', { name: 'Delete the database' }).click();
    const ask = page.getByRole('form', { name: 'Delete shop?' });
    await ask.getByLabel('Type shop to go on').fill('shop');
    await ask.getByRole('button', { name: 'Delete the database' }).click();
    await visit.arrivesAt(`/app/${org}/databases`);
    await visit.open(`/app/${org}/databases/db_shop`);
    await page.getByRole('button', { name: 'Take it back' }).click();
    await page.getByRole('heading', { name: 'Connect' }).waitFor();
    expect(visit.faults).toEqual([]);
    await visit.end();
  });
});
