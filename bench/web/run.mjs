/**
 * `npm run bench:web [-- rounds]`: how soon the pages of the service are there, and what they cost the browser.
 *
 * Opens each page `rounds` times (5) in a fresh context of headless Chromium, without a cache. Each is followed by one
 * that is not of this project and does nothing: a heading, and a script with as many bytes as the page loaded in all,
 * from a bare `node:http`. Each round opens all pages, so that what else the machine does falls on all of them. The
 * table holds medians and, in brackets, their ratio to the empty page of the same bytes.
 *
 * Paint is the first contentful paint. A page is usable when what it is for is visible and no long task follows it.
 * Processor time is that of the main thread of the page alone. JS is what the page loads, compressed with gzip.
 */
import '../../scripts/on-pinned-node.mjs';
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer, get } from 'node:http';
import { availableParallelism, loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { chromium } from 'playwright-core';
import { median, startService } from '../service.mjs';

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
const USAGE_TOKEN = 'usage-of-the-bench-of-the-web-app';
const LOG_LINES = 20_000;
const READY_MS = 120_000;
/** After this time without a long task none belongs to the load any more. */
const QUIET_MS = 400;
const SECOND = 1_000;

const [rounds = 5] = process.argv.slice(2).map(Number);
const empty = await startEmpty();
const service = await startService({ settings: { USAGE_TOKEN } });
const browser = await chromium.launch({
  executablePath: CHROMIUM,
  args: ['--no-sandbox', '--disable-background-networking'],
});
try {
  const { project, deploy, state } = await prepare();
  const deployPage = `/app/ada/projects/${project}/deploys/${deploy}`;
  const lines = LOG_LINES.toLocaleString('en');
  const pages = [
    { name: 'landing', path: '/', ready: '#run' },
    { name: 'sign-in', path: '/app/sign-in', ready: 'form' },
    { name: 'projects', path: '/app/ada', ready: 'main li h2, main li a', state },
    { name: 'deploy', path: deployPage, ready: '[role=log] #L1', state },
    {
      name: `deploy, ${lines} lines`,
      path: deployPage,
      ready: `[role=log] #L${LOG_LINES}`,
      state,
      change: longLog,
      budgetMs: 2 * SECOND,
    },
    { name: 'usage', path: '/app/ada/usage', ready: 'figure canvas', state },
    { name: 'sandbox', path: '/app/ada/sandbox', ready: '.cm-content', state },
  ].map((page) => ({ budgetMs: SECOND, ...page, url: service.url + page.path, own: [], others: [] }));

  // The first load of all fills the caches of the machine, and says how many bytes each page has.
  for (const page of pages) page.loaded = await measure(page);
  console.warn('Measuring.');
  const loads = [];
  for (let round = 0; round < rounds; round++) {
    for (const page of pages) {
      page.own.push(await measure(page));
      page.others.push(await measure({ url: `${empty.url}/?bytes=${page.loaded.bytes}`, ready: 'h1' }));
    }
    loads.push(loadavg()[0] / availableParallelism());
  }

  console.log(
    `Node ${process.versions.node}, Chromium ${browser.version()}, ${availableParallelism()} processors with a load ` +
      `of ${median(loads).toFixed(1)} each; medians of ${rounds} (ratio to an empty page of the same bytes)\n`,
  );
  console.log('| Page | JS | Paint | Usable | Budget | Processor time |\n|---|---|---|---|---|---|');
  for (const { name, own, others, loaded, budgetMs } of pages) {
    const [paint, usable, cpu] = ['paint', 'usable', 'cpu'].map((what) => figure(own, others, what));
    const verdict = median(own.map((each) => each.usable)) <= budgetMs ? '' : ': **missed**';
    const js = ((await gzipBytes(loaded.scripts)) / 1_000).toFixed(1);
    console.log(`| ${name} | ${js} kB | ${paint} | ${usable} | ≤ ${budgetMs / SECOND} s${verdict} | ${cpu} |`);
  }
} finally {
  await browser.close();
  await service.stop();
  empty.stop();
}

function figure(own, others, what) {
  const [one, other] = [own, others].map((list) => median(list.map((each) => each[what])));
  return `${Math.round(one)} ms (${(one / other).toFixed(1)})`;
}

async function measure({ url, ready, state, change }) {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 860 },
    reducedMotion: 'reduce',
    ...(state && { storageState: state }),
  });
  const page = await context.newPage();
  await change?.(page);
  await page.addInitScript((selector) => {
    globalThis.longEnd = 0;
    new PerformanceObserver((list) => {
      for (const { startTime, duration } of list.getEntries()) globalThis.longEnd = startTime + duration;
    }).observe({ type: 'longtask', buffered: true });
    // The editor is in a shadow root.
    const find = (root) =>
      root.querySelector(selector) ??
      [...root.querySelectorAll('main div')].map(({ shadowRoot }) => shadowRoot?.querySelector(selector)).find(Boolean);
    const look = () => {
      if (find(document)) globalThis.readyAt = performance.now();
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  }, ready);
  const session = await context.newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  await page.goto(url, { waitUntil: 'load' });
  await page.waitForFunction(() => globalThis.readyAt !== undefined, undefined, { timeout: READY_MS });
  await page.waitForFunction(
    (quiet) => performance.now() - Math.max(globalThis.readyAt, globalThis.longEnd) > quiet,
    QUIET_MS,
  );
  const { metrics } = await session.send('Performance.getMetrics');
  const times = await page.evaluate(() => {
    const files = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')];
    return {
      paint: performance.getEntriesByName('first-contentful-paint')[0].startTime,
      usable: Math.max(globalThis.readyAt, globalThis.longEnd),
      bytes: files.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0),
      scripts: files.map(({ name }) => name).filter((name) => new URL(name).pathname.endsWith('.js')),
    };
  });
  await context.close();
  return { ...times, cpu: SECOND * metrics.find(({ name }) => name === 'TaskDuration').value };
}

async function gzipBytes(urls) {
  const sizes = urls.map(async (url) => {
    const [response] = await once(get(url, { headers: { 'accept-encoding': 'gzip' } }), 'response');
    let bytes = 0;
    for await (const chunk of response) bytes += chunk.length;
    return bytes;
  });
  return (await Promise.all(sizes)).reduce((sum, bytes) => sum + bytes, 0);
}

/**
 * The log of the deploy is made long on its way to the page. What the browser takes to hand that over is measured with
 * it.
 */
async function longLog(page) {
  await page.route('**/logs*', async (route) => {
    const response = await route.fetch();
    const lines = (await response.text()).split('\n').filter(Boolean);
    const first = lines.map((line) => JSON.parse(line)).find((line) => 'seq' in line);
    const end = lines.filter((line) => 'end' in JSON.parse(line));
    const long = Array.from({ length: LOG_LINES }, (_, index) =>
      JSON.stringify({ ...first, seq: index + 1, text: `line ${index + 1} of a long build \u001b[32mok\u001b[0m` }),
    );
    await route.fulfill({ response, body: `${[...long, ...end].join('\n')}\n` });
  });
}

/** A deploy of uploaded files, usage of today, and the cookie of a page of their owner. */
async function prepare() {
  const file = Buffer.from('<!doctype html><title>Shop</title><h1>Hello</h1>');
  const sha256 = createHash('sha256').update(file).digest('hex');
  const context = await browser.newContext();
  const call = async (method, path, body, headers) => {
    const response = await context.request.fetch(`${service.url}/api/v1${path}`, {
      method,
      headers: {
        'content-type': Buffer.isBuffer(body) ? 'application/octet-stream' : 'application/json',
        ...(headers ?? { 'x-service-session': 'cookie', 'sec-fetch-site': 'same-origin' }),
      },
      ...(body === undefined ? {} : { data: Buffer.isBuffer(body) ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok()) throw new Error(`${method} ${path}: ${response.status()} ${text}`);
    return text === '' ? undefined : JSON.parse(text).data;
  };
  await call('POST', '/auth/sign-in', { login: 'ada', password: 'a-long-enough-secret' });
  const { organization } = await call('GET', '/me');
  const { id: project } = await call('POST', '/projects', { name: 'Storefront' });
  const entry = { path: 'index.html', sha256, bytes: file.length, executable: false };
  const upload = await call('POST', `/projects/${project}/uploads`, { files: [entry] });
  const blobs = Buffer.concat([Buffer.from(`${sha256}\n`), file]);
  if (upload.missing.length > 0) await call('PUT', `/projects/${project}/uploads/${upload.id}/blobs`, blobs);
  const source = { upload_id: upload.id };
  const { id: deploy } = await call('POST', `/projects/${project}/deploys`, { source, type: 'preview' });

  const used = {
    source: 'bench',
    id: randomUUID(),
    org_id: organization.id,
    meter: 'sandbox_compute',
    quantity: '36000000',
    occurred_at: new Date().toISOString(),
  };
  // Without the cookie, which a call with a token may not carry.
  const state = await context.storageState();
  await context.clearCookies();
  await call('POST', '/billing/events', { events: [used] }, { authorization: `Bearer ${USAGE_TOKEN}` });
  await context.addCookies(state.cookies);
  while ((await call('GET', `/deploys/${deploy}`)).state !== 'ready') await sleep(200);
  while ((await call('GET', '/billing/usage')).length === 0) await sleep(SECOND);
  await context.close();
  return { project, deploy, state };
}

/** A page that does nothing, with a script of as many bytes as it is asked for. */
async function startEmpty() {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url, 'http://empty');
    if (pathname === '/script.js') {
      response.setHeader('content-type', 'text/javascript');
      response.end(`//${'x'.repeat(Number(searchParams.get('bytes')))}`);
      return;
    }
    response.setHeader('content-type', 'text/html');
    const script = `<script type="module" src="/script.js?bytes=${searchParams.get('bytes')}"></script>`;
    response.end(`<!doctype html><html lang="en"><title>Empty</title>${script}<h1>Empty</h1></html>`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
