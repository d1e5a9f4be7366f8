import type { Browser, Page } from 'playwright-core';
import { inChromium } from '../support/browser.js';
import { launchChromium } from '../support/chromium.js';
import { built, deploy, NO_ROUTING, point, giveEnvironment } from '../support/hosting.js';
import { eventually, useApp } from '../support/test-app.js';

jest.setTimeout(120_000);

const PAGE = (title: string): string =>
  `<!doctype html><html lang="en"><title>${title}</title><link rel="icon" href="data:,"><link ` +
  `rel="stylesheet" href="/style.css"><h1>${title}</h1><script type="module" src="/main.js"></script>`;
const SITE = {
  'index.html': PAGE('The first'),
  'about/index.html': PAGE('About'),
  '404.html': PAGE('Nothing here'),
  'style.css': 'h1 { color: rgb(1, 2, 3) }',
  'main.js': 'import { word } from "./word.js"; document.body.dataset.word = word;',
  'word.js': 'export const word = "imported";',
};

/** Speaks WebSocket as far as an echo of short texts needs, and sends events. */
const SERVER = `
const { createHash } = require('node:crypto');
const server = require('node:http').createServer((request, response) => {
  if (request.url === '/events') {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('data: one\\n\\n');
    setTimeout(() => response.write('data: two\\n\\n'), 100);
  } else if (request.url === '/form') {
    let text = '';
    request.on('data', (chunk) => { text += chunk;
      }).on('end', () => response.writeHead(303, {
      location: '/?' + text, 'set-cookie': 'seen=yes; Path=/; HttpOnly; SameSite=Lax' }).end());
  } else response.writeHead(200, {
    'content-type': 'text/html' }).end('<!doctype html><title>' + request.url +
    '</title><link rel="icon" href="data:,"><form method="post" action="/form">' +
    '<input name="name" value="Ada"><button>Send</button></form><p>' +
    (request.headers.cookie ?? 'no cookie') + '</p>');
});
server.on('upgrade', (request, socket) => {
  const accept = createHash('sha1')
    .update(request.headers['sec-websocket-key'] + '258EAFA5-E914-47DA-95CA-C5AB0DC85B11').digest('base64');
  socket.write('HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: websocket\\r\\n' +
    'Connection: Upgrade\\r\\nSec-WebSocket-Accept: ' + accept + '\\r\\n\\r\\n');
  socket.on('error', () => undefined);
  socket.on('data', (frame) => {
    if ((frame[0] & 15) !== 1) return socket.end();
    const length = frame[1] & 127;
    const text = Buffer.from(frame.subarray(6, 6 + length).map((byte, index) => byte ^ frame[2 + index % 4]));
    socket.write(Buffer.concat([Buffer.from([129, text.length + 6]), Buffer.from('echo: '), text]));
  });
});
server.listen(process.env.PORT, process.env.HOSTNAME);
`;

describe('what people deploy, in a browser', () => {
  const app = useApp();
  let browser: Browser | undefined;
  afterAll(() => browser?.close());

  const urlOf = (label: string, path = '/'): string => `http://${label}.localhost:${app.appsPort}${path}`;

  /** A page that nobody has been at, and what went wrong in it. */
  async function open(): Promise<{ page: Page; faults: string[] }> {
    browser ??= await launchChromium();
    const page = await (await browser.newContext()).newPage();
    const faults: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') faults.push(message.text());
    });
    page.on('pageerror', (error) => {
      faults.push(error.message);
    });
    page.on('requestfailed', (request) => {
      faults.push(`${request.url()} ${request.failure()?.errorText ?? ''}`);
    });
    return { page, faults };
  }

  inChromium('a site is there with its style and its modules, and shows its own page for what is not', async () => {
    const { label } = await deploy(
      app,
      built(SITE, { routing: { ...NO_ROUTING, redirects: [{ source: '/old', destination: '/about' }] } }),
    );
    const { page, faults } = await open();
    await page.goto(urlOf(label));
    expect(await page.title()).toBe('The first');
    expect(await page.evaluate('getComputedStyle(document.querySelector("h1")).color')).toBe('rgb(1, 2, 3)');
    await page.waitForFunction('document.body.dataset.word === "imported"');
    await page.goto(urlOf(label, '/old'));
    expect([await page.title(), new URL(page.url()).pathname]).toEqual(['About', '/about/']);
    expect(faults).toEqual([]);
    const missing = await page.goto(urlOf(label, '/nowhere'));
    expect([missing?.status(), await page.title()]).toEqual([404, 'Nothing here']);
  });

  inChromium('shows the new deploy at the next look, whatever the browser has kept of the old one', async () => {
    const first = await deploy(app, built(SITE));
    const label = 'site-k3f9x2a7cd';
    await point(app, label, first);
    const { page } = await open();
    await page.goto(urlOf(label));
    await page.waitForFunction('document.body.dataset.word === "imported"');
    const second = await deploy(
      app,
      built({ ...SITE, 'index.html': PAGE('The second'), 'word.js': 'export const word = "changed";' }),
      { projectId: first.projectId },
    );
    await point(app, label, second);
    await eventually(
      async () => {
        await page.reload();
        return (await page.title()) === 'The second';
      },
      'the second is shown',
      30_000,
    );
    await page.waitForFunction('document.body.dataset.word === "changed"');
  });

  inChromium(
    'is of another site than its neighbours and the platform: no cookie and nothing kept passes between them',
    async () => {
      const [one, other] = [await deploy(app, built(SITE)), await deploy(app, built(SITE))];
      const { page } = await open();
      await page.goto(urlOf(one.label));
      await page.evaluate(
        'document.cookie = "own=1; path=/"; document.cookie = "wide=1; path=/; domain=localhost"; ' +
          'localStorage.setItem("kept", "1")',
      );
      await page.goto(urlOf(other.label));
      expect(await page.evaluate('[document.cookie, localStorage.getItem("kept")]')).toEqual(['', null]);
      await page.goto(`http://localhost:${app.port}/docs`);
      expect(await page.evaluate('[document.cookie, localStorage.getItem("kept")]')).toEqual(['', null]);
      // A page of an app does not get to read what the platform answers a person.
      await page.goto(urlOf(one.label));
      expect(
        await page.evaluate(
          `fetch('http://localhost:${app.port}/docs', { credentials: 'include' }).then(() => 'read', ` +
            `() => 'kept from it')`,
        ),
      ).toBe('kept from it');
    },
  );

  inChromium('a server takes forms and cookies, sends events as they come and speaks WebSocket', async () => {
    giveEnvironment(app);
    const { label } = await deploy(
      app,
      built(
        { 'server.js': SERVER },
        { kind: 'server', framework: 'node', server: { command: ['node', 'server.js'], directory: '' }, static: [] },
      ),
    );
    const { page, faults } = await open();
    await page.goto(urlOf(label), { timeout: 60_000 });
    await page.click('button');
    await page.waitForURL(urlOf(label, '/?name=Ada'));
    expect(await page.textContent('p')).toBe('seen=yes');
    expect(
      await page.evaluate(`new Promise((resolve) => {
      const [source, seen] = [new EventSource('/events'), []];
      source.onmessage = ({ data }) => { seen.push(data); if (seen.length === 2) { source.close(); resolve(seen); } };
    })`),
    ).toEqual(['one', 'two']);
    expect(
      await page.evaluate(`new Promise((resolve, reject) => {
      const socket = new WebSocket(location.origin.replace('http', 'ws') + '/socket');
      socket.onopen = () => socket.send('hello');
      socket.onmessage = ({ data }) => { resolve(data); socket.close(); };
      socket.onerror = () => reject(new Error('refused'));
    })`),
    ).toBe('echo: hello');
    // The page itself has ended the events.
    expect(faults.filter((fault) => !fault.includes('/events'))).toEqual([]);
  });
});
