import { CHROMIUM } from '../support/chromium.js';
import { inChromium } from '../support/browser.js';
import { FakeGithub } from '../support/fake-github.js';
import { FakeStripe } from '../support/fake-stripe.js';
import { expectStatus } from '../support/make.js';
import { eventually, TestApp, WITHOUT_PROXY } from '../support/test-app.js';
import { testRedisUrl } from '../support/test-redis.js';
import { leaveBrowser, Visit } from './support.js';

jest.setTimeout(300_000);

/** The service of the other tests has the first databases. */
const REDIS_DATABASE = 63;

/** A service of its own, which is connected to a GitHub and to a Stripe that run here. */
describe('the web app with other services', () => {
  const settings: NodeJS.ProcessEnv = {
    ...WITHOUT_PROXY,
    ANONYMOUS_CALLS_PER_SECOND: '1000',
    SANDBOX_ENABLED: 'false',
  };
  const github = FakeGithub.use(settings);
  const stripe = new FakeStripe();
  let app: TestApp;

  beforeAll(async () => {
    await stripe.start();
    app = new TestApp({ ...settings, ...stripe.settings }, 'all');
    if (CHROMIUM !== undefined) await app.start({ redisUrl: testRedisUrl(REDIS_DATABASE), keepRedis: true });
  });
  afterAll(async () => {
    await leaveBrowser();
    await app.stop();
    await stripe.stop();
  });

  inChromium('connects a GitHub account, and deploys a private repository of it', async () => {
    const visit = await Visit.begin(app.url);
    const { page } = visit;
    const org = await visit.signUp();
    github.account('ada-on-github');
    await github.repository('ada-on-github', 'shop', { files: { 'index.html': '<h1>From GitHub</h1>' } });
    // GitHub asks there whether the app may be installed, and leads back.
    let installation = 0;
    await visit.context.route(`${github.url}/apps/**`, async (route) => {
      ({ id: installation } = github.install('ada-on-github'));
      const query = new URLSearchParams({
        state: new URL(route.request().url()).searchParams.get('state')!,
        code: github.codeFor('ada-on-github'),
        installation_id: String(installation),
        setup_action: 'install',
      });
      const location = `${app.url}/integrations/github/callback?${query.toString()}`;
      await route.fulfill({ status: 302, headers: { location } });
    });

    await visit.open(`/app/${org}/projects/new`);
    await page.getByText('GitHub', { exact: true }).click();
    await page.getByLabel('Name', { exact: true }).fill('Shop at GitHub');
    await page.getByText('No account is connected yet.').waitFor();
    await page.getByRole('button', { name: 'Connect an account' }).click();
    // In a tab of its own, so that what is typed stays.
    const [tab] = await Promise.all([
      visit.context.waitForEvent('page'),
      page.getByRole('link', { name: 'Install the app at GitHub' }).click(),
    ]);
    await tab.getByRole('link', { name: 'Continue in the web app' }).click();
    await tab.getByRole('button', { name: 'Connect the account' }).click();
    await tab.getByRole('heading', { name: 'ada-on-github is connected' }).waitFor();
    await tab.close();
    expect(await visit.call('GET', 'integrations/github')).toMatchObject({
      installations: [{ installation_id: installation, account: 'ada-on-github' }],
    });

    await page.getByText('Connected').waitFor();
    await expect(page.getByLabel('Name', { exact: true }).inputValue()).resolves.toBe('Shop at GitHub');
    await page.getByLabel('Address of the repository').fill(`${github.url}/ada-on-github/shop.git`);
    await page.getByRole('button', { name: 'Create the project' }).click();
    await visit.arrivesAt(/\/projects\/prj_\w+$/);
    await page.getByRole('heading', { name: 'Shop at GitHub' }).waitFor();

    // A push there is a deploy here.
    await github.push(app, ['ada-on-github', 'shop'], { 'index.html': '<h1>Changed</h1>' });
    const row = page.getByRole('row', { name: /Change index\.html/ });
    await row.getByText('Ready').waitFor({ timeout: 120_000 });
    expect(visit.faults).toEqual([]);
    await visit.end();
  });

  inChromium('leads to the checkout and back to the changed plan, and to the portal', async () => {
    const visit = await Visit.begin(app.url);
    const { page } = visit;
    const org = await visit.signUp();
    await visit.context.route('https://stripe.test/**', (route) =>
      route.fulfill({ contentType: 'text/html', body: '<title>Stripe</title><h1>Pay here</h1>' }),
    );
    await visit.open(`/app/${org}/billing`);
    // There is nothing to change yet, which the page says.
    await page.getByRole('button', { name: 'Change the payment method' }).click();
    await page.getByRole('main').getByRole('alert').waitFor();

    await page.getByRole('button', { name: 'Change to Builder' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Change the plan' }).click();
    await page.getByRole('heading', { name: 'Pay here' }).waitFor();
    stripe.completeCheckout(page.url());
    for (const event of stripe.events.splice(0)) expectStatus(200, await stripe.deliver(app, event));
    await eventually(
      async () => (await visit.call('GET', 'billing/subscription')).plan === 'builder',
      'the payment is noticed',
    );
    const { fields } = stripe.requests.findLast(({ path }) => path === '/v1/checkout/sessions')!;
    const back = new URL(fields['success_url']!);
    expect(back.pathname).toBe('/app/~/billing');
    await visit.open(back.pathname + back.search);
    await visit.arrivesAt(`/app/${org}/billing`);
    await page
      .getByRole('listitem')
      .filter({ hasText: 'Your plan' })
      .getByRole('heading', { name: 'Builder' })
      .waitFor();

    await page.getByRole('button', { name: 'Change the payment method' }).click();
    await page.waitForURL('https://stripe.test/portal/**');
    expect(visit.faults).toEqual([]);
    await visit.end();
  });
});
