import { createHash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { onThisMachine } from '../support/patience.js';
import { eventually } from '../support/test-app.js';

export const PASSWORD = 'a-long-enough-secret';
const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
const RULES_OF_COLOURS = ['color-contrast', 'link-in-text-block'];

/** How a page is looked at. The dark theme differs in its colours alone, so that no other rule can change its mind. */
export const LOOKS = [
  { name: 'light', colorScheme: 'light', width: 1280, rules: RULES },
  { name: 'dark', colorScheme: 'dark', width: 1280, rules: RULES_OF_COLOURS },
  { name: 'phone', colorScheme: 'light', width: 390, rules: RULES },
] as const;

export const serviceUrl = (): string => process.env['WEB_TEST_URL']!;

let browser: Browser | undefined;

/** The browser of all tests of the web app. */
export async function connectBrowser(): Promise<Browser> {
  return (browser ??= await chromium.connect(process.env['WEB_TEST_BROWSER']!));
}

export async function leaveBrowser(): Promise<void> {
  await browser?.close();
  browser = undefined;
}

/** A page of one person, and everything that the console and the policy had to complain of. */
export class Visit {
  readonly faults: string[] = [];

  private constructor(
    readonly context: BrowserContext,
    readonly page: Page,
  ) {
    page.on('console', (message) => {
      const isRefusal = message.text().startsWith('Failed to load resource');
      if (message.type() === 'error' && !isRefusal) this.faults.push(message.text());
    });
    page.on('pageerror', (error) => this.faults.push(String(error)));
  }

  static async begin(): Promise<Visit> {
    const context = await (
      await connectBrowser()
    ).newContext({ viewport: { width: 1280, height: 860 }, colorScheme: 'light', reducedMotion: 'reduce' });
    context.setDefaultTimeout(onThisMachine(30_000));
    return new Visit(context, await context.newPage());
  }

  /** A page of the operator of the installation: the setup of the tests has made the account. */
  static async asOperator(): Promise<Visit> {
    const visit = await Visit.begin();
    await visit.call('POST', 'auth/sign-in', { login: process.env['WEB_TEST_OPERATOR']!, password: PASSWORD });
    return visit;
  }

  /** Signs up without the forms. The cookie is in the browser afterwards. */
  async signUp(): Promise<string> {
    const username = `u${randomUUID().slice(0, 12)}`;
    await this.call('POST', 'auth/sign-up', { username, email: `${username}@example.com`, password: PASSWORD });
    return username;
  }

  /** A call as the app makes it. */
  async call(method: string, path: string, body?: object | Buffer): Promise<any> {
    const response = await this.context.request.fetch(`${serviceUrl()}/api/v1/${path}`, {
      method,
      headers: {
        'x-service-session': 'cookie',
        'sec-fetch-site': 'same-origin',
        ...(body === undefined
          ? {}
          : { 'content-type': Buffer.isBuffer(body) ? 'application/octet-stream' : 'application/json' }),
      },
      ...(body === undefined ? {} : { data: Buffer.isBuffer(body) ? body : JSON.stringify(body) }),
    });
    if (!response.ok()) throw new Error(`${method} ${path}: ${response.status()} ${await response.text()}`);
    const text = await response.text();
    return text === '' ? undefined : JSON.parse(text).data;
  }

  async open(path: string): Promise<void> {
    await this.page.goto(serviceUrl() + path);
  }

  /** Waits until the address of the page is this path, or matches it. */
  async arrivesAt(path: string | RegExp): Promise<void> {
    await this.page.waitForURL((url) => (typeof path === 'string' ? url.pathname === path : path.test(url.pathname)));
  }

  /** What axe finds, as `rule: element`. */
  async axe(rules: readonly string[]): Promise<string[]> {
    if (!(await this.page.evaluate('"axe" in globalThis'))) await this.page.evaluate(AXE);
    return this.page.evaluate(
      async (runOnly) => {
        const { axe } = globalThis as unknown as { axe: { run: (options: object) => Promise<AxeResults> } };
        const { violations } = await axe.run({ runOnly, resultTypes: ['violations'] });
        return violations.map(
          ({ id, nodes }) => `${id}: ${nodes[0]!.html.slice(0, 200)} ${nodes[0]!.failureSummary ?? ''}`,
        );
      },
      [...rules],
    );
  }

  async end(): Promise<void> {
    await this.context.close();
  }
}

interface AxeResults {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
  }[];
}

export interface Site {
  readonly project: string;
  readonly deploy: string;
}

/** A project whose files have been deployed. */
export async function deployedSite(visit: Visit, name = 'Storefront'): Promise<Site> {
  const page = Buffer.from('<!doctype html><title>Shop</title><h1>Hello</h1>');
  const sha256 = createHash('sha256').update(page).digest('hex');
  const { id: project } = await visit.call('POST', 'projects', { name });
  const file = { path: 'index.html', sha256, bytes: page.length, executable: false };
  const upload = await visit.call('POST', `projects/${project}/uploads`, { files: [file] });
  if (upload.missing.length > 0) {
    const framed = Buffer.concat([Buffer.from(`${sha256}\n`), page]);
    await visit.call('PUT', `projects/${project}/uploads/${upload.id}/blobs`, framed);
  }
  const { id: deploy } = await visit.call('POST', `projects/${project}/deploys`, {
    source: { upload_id: upload.id },
    // The Free plan has no production deploys.
    type: 'preview',
  });
  await eventually(
    async () => (await visit.call('GET', `deploys/${deploy}`)).state === 'ready',
    'the deploy is ready',
    60_000,
  );
  return { project, deploy };
}
