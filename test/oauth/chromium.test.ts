import { inChromium } from '../support/browser.js';
import { launchChromium } from '../support/chromium.js';
import { HttpPeer } from '../support/http-peer.js';
import { expectStatus, Make } from '../support/make.js';
import { callMcp, OAuthFlow } from '../support/oauth.js';
import { eventually, TestApp } from '../support/test-app.js';
import { freePort } from '../support/free-port.js';

describe('connecting an OAuth client in a browser', () => {
  const client = new HttpPeer();
  let app: TestApp;
  let url: string;

  beforeAll(async () => {
    await client.listen();
    // The pages name the address of the service before it listens.
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    app = new TestApp({ PORT: String(port), PUBLIC_URL: url, ANONYMOUS_CALLS_PER_SECOND: '1000' }, 'all');
    await app.start();
  });
  afterAll(async () => {
    await app.stop();
    client.close();
  });

  inChromium('signs in on the way, chooses, and is led back to the client with a code', async () => {
    const person = await new Make(app).person();
    const flow = new OAuthFlow(app);
    const redirectUri = client.at('/callback');
    const clientId = await flow.register({ client_name: 'Browser tool', redirect_uris: [redirectUri] });
    const browser = await launchChromium();
    try {
      const page = await browser.newPage();
      const faults: string[] = [];
      page.on('console', (message) => {
        if (message.type() === 'error' && !message.text().startsWith('Failed to load')) faults.push(message.text());
      });
      await page.goto(url + flow.authorizeUrl({ clientId, redirectUri, change: { resource: `${url}/mcp` } }));
      await page.getByLabel('Username or email').fill(person.user.username);
      await page.getByLabel('Password').fill(person.password);
      await page.getByRole('button', { name: 'Sign in' }).click();

      await page.getByRole('heading', { name: 'Connect Browser tool?' }).waitFor();
      expect(await page.getByLabel('Read projects').isChecked()).toBe(true);
      expect(await page.getByLabel('Change projects').isChecked()).toBe(false);
      await page.getByText('Continue only if you have just started it yourself.').waitFor();
      await page.getByRole('button', { name: 'Allow' }).click();
      await eventually(() => client.seen.some(({ path }) => path.startsWith('/callback')), 'the client is called back');

      const called = new URL(client.at(client.seen.find(({ path }) => path.startsWith('/callback'))!.path));
      expect(called.searchParams.get('iss')).toBe(url);
      const code = called.searchParams.get('code')!;
      const answer = await flow.exchange(code, { client_id: clientId, redirect_uri: redirectUri });
      const { access_token: token } = expectStatus(200, answer).body;
      expectStatus(200, await callMcp(app, token as string));
      expect(faults).toEqual([]);
    } finally {
      await browser.close();
    }
  });

  inChromium('shows the page in no frame of another site', async () => {
    const flow = new OAuthFlow(app);
    const clientId = await flow.register();
    const framed = url + flow.authorizeUrl({ clientId, change: { resource: `${url}/mcp` } });
    client.handlers.set('/frame', (response) => {
      response.setHeader('content-type', 'text/html');
      response.end(`<iframe src="${framed.replaceAll('&', '&amp;')}"></iframe>`);
    });
    const browser = await launchChromium();
    try {
      const page = await browser.newPage();
      const refusals: string[] = [];
      page.on('console', (message) => refusals.push(message.text()));
      await page.goto(client.at('/frame'));
      await eventually(() => refusals.some((text) => text.includes('frame')), 'the browser refuses the frame');
      expect(await page.frames().at(-1)!.getByLabel('Password').count()).toBe(0);
    } finally {
      await browser.close();
    }
  });
});
