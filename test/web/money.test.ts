import { inChromium } from '../support/browser.js';
import { finalizedInvoice, leaveBrowser, PASSWORD, serviceUrl, sql, Visit } from './support.js';

jest.setTimeout(300_000);

describe('money in the web app', () => {
  afterAll(leaveBrowser);

  inChromium('has a spend cap that is set, refused with what was typed, and removed', async () => {
    const visit = await Visit.begin();
    const { page } = visit;
    const org = await visit.signUp();
    await visit.open(`/app/${org}/billing`);
    const amount = page.getByLabel('US dollars a month');
    await amount.fill('ten');
    await page.getByRole('button', { name: 'Set the cap' }).click();
    await page.locator('[name=amount][aria-invalid=true]').waitFor();
    await expect(amount.inputValue()).resolves.toBe('ten');
    await amount.fill('25.5');
    await page.keyboard.press('Enter');
    await page.getByText('$0.00 of $25.50').waitFor();
    expect(await visit.call('GET', 'billing/spend-cap')).toMatchObject({ amount: '25.5' });

    await page.getByRole('button', { name: 'Remove the cap' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove the cap' }).click();
    await page.getByText('There is no cap.').waitFor();
    expect(await visit.call('GET', 'billing/spend-cap')).toMatchObject({ amount: null });
    expect(visit.faults).toEqual([]);
    await visit.end();
  });

  inChromium('shows invoices, which open by link after signing in, and by no other cookie-only address', async () => {
    const visit = await Visit.begin();
    const { page } = visit;
    const org = await visit.signUp();
    const { id, number } = await finalizedInvoice(visit);
    await visit.open(`/app/${org}/billing`);
    await page.getByRole('link', { name: number }).click();
    await visit.arrivesAt(`/app/${org}/billing/${id}`);
    await page.getByRole('heading', { name: `Invoice ${number}` }).waitFor();
    await page.getByRole('cell', { name: 'Plan builder' }).waitFor();
    await page.getByText('$49.00').last().waitFor();

    // The page of the API stays closed to a navigation: another site can send people there, with their cookies.
    const direct = await page.context().newPage();
    const answer = await direct.goto(new URL(`/api/v1/billing/invoices/${id}/page`, page.url()).href);
    expect(answer!.status()).toBe(401);

    // Another person does not see it, by any address.
    const other = await Visit.begin();
    const elsewhere = await other.signUp();
    await other.open(`/app/${elsewhere}/billing/${id}`);
    await other.page.getByText('Not found').waitFor();
    expect([...visit.faults, ...other.faults]).toEqual([]);
    await Promise.all([visit.end(), other.end()]);
  });

  inChromium('shows what was taken off an invoice, and prints it without the navigation', async () => {
    const visit = await Visit.begin();
    const { page } = visit;
    const org = await visit.signUp();
    const { id, number } = await finalizedInvoice(visit);
    const operator = await Visit.asOperator();
    const noted = await operator.context.request.post(`${serviceUrl()}/ops/billing/invoices/${id}/credit-notes`, {
      data: { amountUsd: '9.50', reason: 'The sandbox was down', key: id },
      headers: { 'x-service-session': 'cookie', 'sec-fetch-site': 'same-origin' },
    });
    expect([noted.status(), await noted.text()]).toEqual([200, expect.any(String)]);
    await operator.end();

    await page.addInitScript('globalThis.printed = 0; globalThis.print = () => { globalThis.printed++; };');
    await visit.open(`/app/${org}/billing/${id}`);
    await page.getByRole('row', { name: /The sandbox was down.*−\$9\.50?/ }).waitFor();
    await page.getByText('Left to be paid').locator('..').getByText('$39.50').waitFor();
    await page.getByRole('button', { name: 'Print or save' }).click();
    expect(await page.evaluate('globalThis.printed')).toBe(1);
    await page.emulateMedia({ media: 'print' });
    await page.getByRole('navigation', { name: 'Main' }).waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Print or save' }).waitFor({ state: 'hidden' });
    await page.getByRole('heading', { name: `Invoice ${number}` }).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
    expect(visit.faults).toEqual([]);
    await visit.end();
  });

  inChromium('is not shown to a role that may not see it', async () => {
    const [owner, visit] = await Promise.all([Visit.begin(), Visit.begin()]);
    const { page } = visit;
    await owner.signUp();
    const username = await visit.signUp();
    const { slug } = await owner.call('POST', 'orgs', { name: 'Acme', slug: `${username}-acme` });
    await sql(
      `INSERT INTO memberships (org_id, user_id, role, created_at)
        SELECT o.id, u.id, 'member', now() FROM organizations o, users u WHERE o.slug = $1 AND u.username = $2`,
      [slug, username],
    );
    // What a session may do is known for a moment. A new one knows of the membership.
    await visit.call('POST', 'auth/sign-in', { login: username, password: PASSWORD });
    for (const path of ['usage', 'billing', `billing/ivc_${'0'.repeat(26)}`]) {
      await visit.open(`/app/${slug}/${path}`);
      await page.getByRole('heading', { name: 'Only owners and admins see costs and invoices' }).waitFor();
      for (const name of ['Plan and invoices', 'Usage', 'Print or save'])
        await expect(page.getByRole('main').getByRole('link', { name }).count()).resolves.toBe(0);
    }
    // The roles of the others are theirs to see, and not to change.
    await visit.open(`/app/${slug}/members`);
    await page.getByRole('row', { name: /owner/ }).waitFor();
    await expect(page.getByRole('button', { name: /Invite|Change|Remove/ }).count()).resolves.toBe(0);
    await visit.open(`/app/${slug}/settings`);
    // Forms are shown at once, before it is known who may change them.
    await page.getByLabel('Name').and(page.locator(':disabled')).waitFor();
    expect(visit.faults).toEqual([]);
    await Promise.all([owner.end(), visit.end()]);
  });

  inChromium('plans say what a change costs and takes away, and wait for the operator where nobody pays', async () => {
    const visit = await Visit.begin();
    const { page } = visit;
    await visit.signUp();
    // Links in errors do not know the organization.
    await visit.open('/app/~/billing');
    await visit.arrivesAt(/^\/app\/u[\w-]+\/billing$/);
    await page.getByRole('button', { name: 'Change to Builder' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('costs $49 a month').waitFor();
    await dialog.getByText('Production deploys').waitFor();
    await dialog.getByRole('button', { name: 'Change the plan' }).click();
    await page.getByText('Builder waits for the approval of the operator').waitFor();
    await page.getByRole('button', { name: 'Stay with Free' }).click();
    await dialog.getByRole('button', { name: 'Drop the change' }).click();
    await page.getByText('Builder waits for the approval').waitFor({ state: 'detached' });
    expect(await visit.call('GET', 'billing/subscription')).not.toHaveProperty('pending_change');
    expect(visit.faults).toEqual([]);
    await visit.end();
  });

  inChromium('that runs out in the middle of a form takes nothing that was typed, and leads to plans', async () => {
    const visit = await Visit.begin();
    const { page } = visit;
    const org = await visit.signUp();
    await visit.open(`/app/${org}/keys`);
    await page.getByRole('button', { name: 'New key' }).first().click();
    await page.getByLabel('Name').fill('CI of the shop');
    await page.getByLabel('Ends').selectOption('7');

    const refusals = [
      [402, 'insufficient_credits_error', 'credits_exhausted', 'Not enough credits: $1 required, $0 available.'],
      [429, 'rate_limit_error', 'daily_limit_exceeded', 'The organization has used its calls of today.'],
    ] as const;
    const form = page.getByRole('form', { name: 'New key' });
    for (const [status, type, code, message] of refusals) {
      await page.route('**/api/v1/keys', (route) =>
        route.fulfill({
          status,
          headers: status === 429 ? { 'retry-after': '7200' } : {},
          contentType: 'application/json',
          body: JSON.stringify({
            error: {
              type,
              code,
              status,
              message,
              hint: 'Choose a plan that bills usage.',
              dashboard_url: `${new URL(page.url()).origin}/app/~/billing`,
              docs_url: `${new URL(page.url()).origin}/docs/errors/${code}`,
              upgrade_url: `${new URL(page.url()).origin}/pricing`,
              ...(status === 429 && { retry_after: 7200 }),
            },
            meta: { request_id: 'req_01jd3m8yeqf5rb0xkq5ym8s6tn' },
          }),
        }),
      );
      await form.getByRole('button', { name: 'Create the key' }).click();
      const alert = form.getByRole('alert');
      await alert.getByText(message).waitFor();
      if (status === 429) await alert.getByText('Try again in 2 hours.').waitFor();
      for (const [name, path] of [
        ['See plans and prices', '/pricing'],
        ['Open billing', '/app/~/billing'],
        ['What to do', `/docs/errors/${code}`],
      ] as const) {
        const link = alert.getByRole('link', { name });
        expect(new URL((await link.getAttribute('href'))!, page.url()).pathname).toBe(path);
        // In a tab of its own, so that the form stays.
        await expect(link.getAttribute('target')).resolves.toBe('_blank');
      }
      await expect(page.getByLabel('Name').inputValue()).resolves.toBe('CI of the shop');
      await expect(page.getByLabel('Ends').inputValue()).resolves.toBe('7');
      await page.unroute('**/api/v1/keys');
    }

    // The same form goes through afterwards. Its secret is shown once, and the list has only its end.
    await form.getByRole('button', { name: 'Create the key' }).click();
    await page.getByText('it is not shown again').waitFor();
    const secret = /svc_\w{20,}/.exec(await page.getByRole('dialog').innerText())![0];
    await page.getByRole('button', { name: 'I have it' }).click();
    const row = page.getByRole('row', { name: /CI of the shop/ });
    await row.getByText('Never').waitFor();
    expect(await page.content()).not.toContain(secret);
    const called = await fetch(new URL('/api/v1/me', page.url()), { headers: { authorization: `Bearer ${secret}` } });
    expect(called.status).toBe(200);
    // The refused calls and nothing else are in the console.
    expect(visit.faults).toEqual([]);
    await visit.end();
  });
});
