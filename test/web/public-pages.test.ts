import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { PROJECT_ROOT } from '../../src/platform/version.js';
import { inChromium } from '../support/browser.js';
import { eventually } from '../support/test-app.js';
import { connectBrowser, leaveBrowser, LOOKS, serviceUrl, Visit } from './support.js';

jest.setTimeout(300_000);

const SCREENSHOTS = process.env['SCREENSHOTS'];
const PAGES = [
  '/',
  '/pricing',
  '/status',
  '/docs',
  '/docs/deploys',
  '/docs/search?q=rollback',
  '/docs/errors/invalid_request',
  '/no-such',
];

interface Chunk {
  readonly file: string;
  readonly imports?: readonly string[];
  readonly dynamicImports?: readonly string[];
  readonly css?: readonly string[];
}

describe('the public pages', () => {
  let visit: Visit;
  beforeAll(async () => {
    visit = await Visit.begin();
  });
  afterAll(leaveBrowser);

  inChromium('are accessible and keep to the policy, light, dark and on a phone', async () => {
    const { page, faults } = visit;
    for (const path of PAGES) {
      await visit.open(path);
      for (const { name: look, colorScheme, width, rules } of LOOKS) {
        await page.setViewportSize({ width, height: 860 });
        await page.emulateMedia({ colorScheme });
        if (SCREENSHOTS !== undefined) {
          mkdirSync(SCREENSHOTS, { recursive: true });
          await page.screenshot({ path: join(SCREENSHOTS, `public${path.replace(/\W+/g, '-')}-${look}.png`) });
        }
        expect({ path, look, axe: await visit.axe(rules) }).toEqual({ path, look, axe: [] });
        const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
        expect({ path, look, overflow }).toEqual({ path, look, overflow: 0 });
      }
    }
    expect(faults).toEqual([]);
  });

  inChromium('run code without an account, and share it by a link that no server sees', async () => {
    const { page } = visit;
    await visit.open('/');
    await page.selectOption('#language', 'python');
    await page.fill('#code', 'print("ümlaut " + "x" * 3)');
    await page.click('#run:enabled');
    await page.locator('#output', { hasText: 'ümlaut xxx' }).waitFor();
    expect(await page.locator('#facts').textContent()).toMatch(/^succeeded in \d+ ms; calls left today: \d+$/);

    await page.click('#share');
    await page.locator('#facts', { hasText: /[Ll]ink/ }).waitFor();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.goto('about:blank');
    await page.goBack();
    await page.locator('#run:enabled').waitFor();
    await eventually(async () => (await page.inputValue('#code')).includes('ümlaut'), 'the program is there');
    expect(await page.inputValue('#language')).toBe('python');
    expect(asked.filter((url) => new URL(url).search !== '')).toEqual([]);
  });

  inChromium('show what a program prints while it runs, also where no stream comes through', async () => {
    const { page } = visit;
    const address = '**/api/v1/sandbox/try';
    await visit.open('/');
    await page.selectOption('#language', 'python');
    const run = async (code: string): Promise<void> => {
      await page.fill('#code', code);
      await page.click('#run:enabled');
    };
    const shows = async (text: string): Promise<void> => {
      await page.locator('#run:enabled').waitFor();
      expect(await page.locator('#output').textContent()).toBe(text);
    };
    await run('import time\nprint("begun", flush=True)\ntime.sleep(5)\nprint("over")');
    await page.locator('#output', { hasText: 'begun' }).waitFor();
    expect(await page.locator('#run:disabled').count()).toBe(1);
    await shows('begun\nover\n');
    await run('pass');
    await shows('It printed nothing.');

    // Something that stands between leaves out what the page accepts.
    await page.route(address, (route) =>
      route.continue({ headers: { ...route.request().headers(), accept: 'application/json' } }),
    );
    await run('import sys\nprint("plain")\nprint("aside", file=sys.stderr)');
    await shows('plain\naside\n');
    expect(await page.locator('#facts').textContent()).toMatch(/^succeeded in \d+ ms; calls left today: \d+$/);
    await page.unroute(address);

    const begun = 'retry: 1000\n\nid: 1\nevent: stdout\ndata: {"text":"begun\\n"}\n\n';
    for (const [end, said] of [
      [
        'event: error\ndata: {"error":{"message":"The run was lost.","hint":"Run it again."}}\n\n',
        'The run was lost.\nRun it again.',
      ],
      ['', 'The connection broke off before the program ended. Try again.'],
    ] as const) {
      await page.route(address, (route) => route.fulfill({ contentType: 'text/event-stream', body: begun + end }));
      await run('pass');
      await shows(`begun\n\n${said}`);
      await page.unroute(address);
    }
    expect(visit.faults).toEqual([]);
  });

  inChromium('suggest pages while a person types, and remember the theme', async () => {
    const { page } = visit;
    await page.setViewportSize({ width: 1280, height: 860 });
    await visit.open('/docs');
    await page.locator('#theme:visible').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('rollback');
    await page.locator('#found a').first().waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.pathname !== '/docs');

    await page.click('#theme');
    const chosen = await page.evaluate('document.documentElement.dataset.theme');
    await visit.open('/pricing');
    expect(await page.evaluate('document.documentElement.dataset.theme')).toBe(chosen);
  });

  inChromium('are whole without scripts', async () => {
    const context = await (await connectBrowser()).newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(`${serviceUrl()}/`);
    await page.locator('noscript p').waitFor();
    await page.goto(`${serviceUrl()}/docs`);
    await page.fill('#q', 'rollback');
    await page.press('#q', 'Enter');
    await page.locator('.results a').first().waitFor();
    await context.close();
  });

  it('keep their budgets: 10 kB of scripts and 12 kB of styles', () => {
    const directory = join(PROJECT_ROOT, 'dist/web');
    const manifest = JSON.parse(readFileSync(join(directory, '.vite/manifest.json'), 'utf8')) as Record<string, Chunk>;
    const files = new Set<string>();
    const add = (key: string): void => {
      const { file, imports = [], dynamicImports = [], css = [] } = manifest[key]!;
      if (files.has(file)) return;
      for (const each of [file, ...css]) files.add(each);
      for (const each of [...imports, ...dynamicImports]) add(each);
    };
    add('src/site/site.ts');
    const bytesOf = (ending: string): number =>
      [...files]
        .filter((file) => file.endsWith(ending))
        .reduce((sum, file) => sum + gzipSync(readFileSync(join(directory, file)), { level: 9 }).length, 0);
    expect(bytesOf('.js')).toBeLessThan(10_000);
    expect(bytesOf('.css')).toBeLessThan(12_000);
  });
});
