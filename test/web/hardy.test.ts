import { inChromium } from '../support/browser.js';
import { deployedSite, deployFiles, leaveBrowser, PASSWORD, serviceUrl, type Site, Visit } from './support.js';

jest.setTimeout(300_000);

const LONG_NAME = `${'Shop 🛍️ '.repeat(11)}of a hundred`.slice(0, 100);
const RIGHT_TO_LEFT = 'متجر الكتب القديمة';

describe('the web app, where things go wrong', () => {
  let visit: Visit;
  let begun: Visit | undefined;
  let org: string;
  let site: Site;
  let preparing: Promise<void> | undefined;

  /** Not at all without a browser. */
  const prepared = (): Promise<void> =>
    (preparing ??= (async () => {
      begun = visit = await Visit.begin();
      org = await visit.signUp();
      site = await deployedSite(visit);
    })());

  afterEach(async () => {
    await begun?.page.unrouteAll({ behavior: 'ignoreErrors' });
    await begun?.page.setViewportSize({ width: 1280, height: 860 });
  });
  afterAll(leaveBrowser);

  inChromium('says that the API cannot be reached, and goes on when it is back', async () => {
    await prepared();
    const { page } = visit;
    await visit.open(`/app/${org}/keys`);
    await page.getByRole('button', { name: 'New key' }).first().click();
    await page.getByLabel('Name').fill('What was typed');
    await page.route('**/api/v1/**', (route) => route.abort());
    await page.getByRole('button', { name: 'Create the key' }).click();
    await page.getByText('The service cannot be reached.').waitFor();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await expect(page.getByLabel('Name').inputValue()).resolves.toBe('What was typed');
    await page.getByRole('button', { name: 'Create the key' }).click();
    await page.getByRole('dialog', { name: 'Your new key' }).waitFor();
  });

  inChromium('leads to the sign-in when the session has ended elsewhere, and back', async () => {
    await prepared();
    const other = await Visit.begin();
    const { page } = other;
    await other.call('POST', 'auth/sign-in', { login: org, password: PASSWORD });
    await other.open(`/app/${org}`);
    await page.getByText('Storefront').first().waitFor();
    // Another tab signs out, which leaves the cookie of this one without a session.
    const cookies = await other.context.cookies();
    await other.call('POST', 'auth/sign-out');
    await other.context.addCookies(cookies);
    // The page notices by itself, because its stream of events ends. What is opened meanwhile leads there, too.
    await other.open(`/app/${org}/keys`);
    await other.arrivesAt('/app/sign-in');
    await page.getByLabel('Username or email').fill(org);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await other.arrivesAt(`/app/${org}/keys`);
    await other.end();
  });

  inChromium('keeps what is typed when the session ends elsewhere, and goes on after signing in again', async () => {
    await prepared();
    const other = await Visit.begin();
    const { page } = other;
    await other.call('POST', 'auth/sign-in', { login: org, password: PASSWORD });
    const settings = `/app/${org}/projects/${site.project}/settings`;
    await other.open(settings);
    const name = page.getByRole('form', { name: 'Name' }).getByLabel('Name', { exact: true });
    const save = page.getByRole('button', { name: 'Save the name' });
    await name.fill('What was typed');
    const cookies = await other.context.cookies();
    await other.call('POST', 'auth/sign-out');
    await other.context.addCookies(cookies);
    // Something happens to the project, which makes the page ask.
    await deployFiles(visit, site.project, 'preview');
    await page.getByText('You are signed out.').waitFor();
    await expect(name.inputValue()).resolves.toBe('What was typed');
    await save.click();
    await page.getByRole('link', { name: 'Sign in in a new tab, then try again' }).waitFor();

    const [tab] = await Promise.all([
      other.context.waitForEvent('page'),
      page.getByRole('link', { name: 'sign in in a new tab', exact: true }).click(),
    ]);
    await tab.getByLabel('Username or email').fill(org);
    await tab.getByLabel('Password').fill(PASSWORD);
    await tab.keyboard.press('Enter');
    await tab.waitForURL((url) => url.pathname === settings);
    await tab.close();
    await page.getByText('You are signed out.').waitFor({ state: 'detached' });
    await save.click();
    await page.getByRole('heading', { name: 'What was typed' }).waitFor();
    await visit.call('PATCH', `projects/${site.project}`, { name: 'Storefront' });
    await other.end();
  });

  inChromium('says that an organization was deleted while its page was open', async () => {
    await prepared();
    const { page } = visit;
    const { slug } = await visit.call('POST', 'orgs', { name: 'Short-lived', slug: `${org}-short` });
    await visit.open(`/app/${slug}`);
    await page.getByRole('heading', { name: 'Your first project' }).waitFor();
    await visit.call('DELETE', `orgs/${slug}`);
    await page.getByRole('link', { name: 'Repositories' }).click();
    await page.getByRole('heading', { name: 'You are not in this organization any more' }).waitFor();
    await page.getByRole('link', { name: 'Go to your projects' }).click();
    await visit.arrivesAt(`/app/${org}`);
  });

  inChromium('says that an organization is unknown', async () => {
    await prepared();
    const { page } = visit;
    await visit.open(`/app/no-such-organization-${org}`);
    await page.getByRole('heading', { name: 'Not found' }).waitFor();
    // The way back is there.
    await page.getByRole('link', { name: 'Projects' }).waitFor();
  });

  inChromium('loads itself once more when an upgrade has taken its files', async () => {
    await prepared();
    const { page } = visit;
    await visit.open(`/app/${org}`);
    await page.getByText('Storefront').first().waitFor();
    let loads = 0;
    page.on('request', (request) => {
      if (request.isNavigationRequest()) loads++;
    });
    // The code of the screen is gone, as after an upgrade, until the page is loaded again.
    await page.route('**/audit-*.js', (route) => (loads === 0 ? route.fulfill({ status: 404 }) : route.continue()));
    await page.getByRole('link', { name: 'Audit log' }).click();
    await page.getByRole('heading', { name: 'Audit log' }).waitFor();
    expect(loads).toBe(1);
    expect(new URL(page.url()).pathname).toBe(`/app/${org}/audit`);
  });

  inChromium('shows names of a hundred characters, with emoji and from right to left, zoomed too', async () => {
    await prepared();
    const { page } = visit;
    const long = await visit.call('POST', 'projects', { name: LONG_NAME });
    await visit.call('POST', 'projects', { name: RIGHT_TO_LEFT });
    for (const [path, shown] of [
      [`/app/${org}`, RIGHT_TO_LEFT],
      [`/app/${org}/projects/${long.id}`, LONG_NAME.trim()],
      [`/app/${org}/projects/${site.project}`, 'Storefront'],
    ] as const) {
      await visit.open(path);
      await page.getByRole('heading', { name: shown }).first().waitFor();
      // A window of 390 px at 200 % has 195 px of its own.
      for (const width of [1280, 390, 320]) {
        await page.setViewportSize({ width, height: 860 });
        const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
        expect({ path, width, overflow }).toEqual({ path, width, overflow: 0 });
      }
    }
  });

  inChromium('opens a deploy by keyboard alone', async () => {
    await prepared();
    const { page } = visit;
    await visit.open(`/app/${org}/audit`);
    await page.getByRole('heading', { name: 'Audit log' }).waitFor();
    await Promise.all([page.keyboard.press('g'), page.keyboard.press('p')]);
    await visit.arrivesAt(`/app/${org}`);
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').waitFor();
    await page.keyboard.type('storefront');
    await page.getByRole('option', { name: 'Storefront' }).waitFor();
    await page.keyboard.press('Enter');
    await visit.arrivesAt(`/app/${org}/projects/${site.project}`);
    await page.locator(`a[href$="${site.deploy}"]`).first().waitFor();
    const isThere = `document.activeElement?.getAttribute('href')?.endsWith('${site.deploy}') === true`;
    for (let step = 0; step < 60 && !(await page.evaluate<boolean>(isThere)); step++) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await visit.arrivesAt(`/app/${org}/projects/${site.project}/deploys/${site.deploy}`);
    await page.locator('[role=log] #L1').waitFor();
  });

  inChromium('has public pages that work without JavaScript, where the sandbox says what it needs', async () => {
    const context = await visit.context.browser()!.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    for (const path of ['/', '/pricing', '/status', '/docs/deploys', '/docs/search?q=rollback']) {
      const response = await page.goto(serviceUrl() + path);
      expect({ path, status: response?.status() }).toEqual({ path, status: 200 });
      await expect(page.locator('main').innerText()).resolves.toMatch(/\w{3}/);
    }
    await page.goto(serviceUrl());
    await expect(page.locator('main').innerText()).resolves.toMatch(/JavaScript/);
    await context.close();
  });
});

describe('the pages of operators', () => {
  afterAll(leaveBrowser);

  inChromium('claim and resolve a task, and ask before money moves', async () => {
    const visit = await Visit.asOperator();
    const { page } = visit;
    const username = process.env['WEB_TEST_OPERATOR']!;
    const { organization } = await visit.call('GET', 'me');
    await visit.context.request.post(`${serviceUrl()}/ops/alert`, {
      data: { title: 'The disk is nearly full', severity: 'critical' },
      headers: { 'x-service-session': 'cookie', 'sec-fetch-site': 'same-origin' },
    });
    await visit.open('/app/operator');
    await page.getByRole('button', { name: 'Claim The disk is nearly full' }).click();
    const claimed = page.getByText(`claimed by ${username}`);
    await claimed.or(page.getByRole('alert')).first().waitFor();
    await expect(page.getByRole('alert').allInnerTexts()).resolves.toEqual([]);
    await claimed.waitFor();
    await page.getByRole('button', { name: 'Resolve The disk is nearly full' }).click();
    await page.getByLabel('The cause, and the fix').fill('Old logs were deleted.');
    await page.getByRole('dialog').getByRole('button', { name: 'Resolve' }).click();
    await page.getByRole('cell', { name: 'resolved', exact: true }).waitFor();

    await page.getByRole('link', { name: 'Plans and money' }).click();
    const form = page.getByRole('form', { name: 'Plan of an organization' });
    await form.getByLabel('Organization').fill(organization.id);
    await form.getByLabel('Plan', { exact: true }).selectOption('builder');
    await form.getByLabel('Reason').fill('A test');
    await form.getByRole('button', { name: 'Set the plan' }).click();
    const dialog = page.getByRole('dialog', { name: 'Are you sure?' });
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect((await visit.call('GET', 'me')).organization.plan).toBe('free');
    await form.getByRole('button', { name: 'Set the plan' }).click();
    await dialog.getByRole('button', { name: 'Set the plan' }).click();
    await page.getByText('has the plan builder').waitFor();
    expect((await visit.call('GET', 'me')).organization.plan).toBe('builder');
    expect(visit.faults).toEqual([]);
    await visit.end();
  });

  inChromium('are neither shown nor open to others', async () => {
    const visit = await Visit.begin();
    const { page } = visit;
    const username = await visit.signUp();
    await visit.open('/app/operator');
    await page.getByText('Only operators of this installation can do this.').first().waitFor();
    await visit.open(`/app/${username}`);
    await page.getByRole('button', { name: 'Account and theme' }).last().click();
    await page.getByRole('menuitem', { name: 'Account' }).waitFor();
    await expect(page.getByRole('menuitem', { name: 'Operator' }).count()).resolves.toBe(0);
    await visit.end();
  });
});
