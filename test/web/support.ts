import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { Client, type QueryResultRow } from 'pg';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { onThisMachine } from '../support/patience.js';
import { eventually, type TestApp } from '../support/test-app.js';

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
    private readonly url: string,
  ) {
    page.on('console', (message) => {
      const isRefusal = message.text().startsWith('Failed to load resource');
      if (message.type() === 'error' && !isRefusal) this.faults.push(message.text());
    });
    page.on('pageerror', (error) => this.faults.push(String(error)));
  }

  /** A page of nobody yet, at this service or another one. */
  static async begin(url = serviceUrl()): Promise<Visit> {
    const context = await (
      await connectBrowser()
    ).newContext({ viewport: { width: 1280, height: 860 }, colorScheme: 'light', reducedMotion: 'reduce' });
    context.setDefaultTimeout(onThisMachine(30_000));
    return new Visit(context, await context.newPage(), url);
  }

  /** A page of the operator of the installation: the setup of the tests has made the account. */
  static async asOperator(): Promise<Visit> {
    const visit = await Visit.begin();
    await visit.call('POST', 'auth/sign-in', { login: process.env['WEB_TEST_OPERATOR']!, password: PASSWORD });
    return visit;
  }

  /**
   * Signs up without the forms, from an address of its own, because few accounts may come from one. The cookie is in
   * the browser afterwards.
   */
  async signUp(): Promise<string> {
    const username = `u${randomUUID().slice(0, 12)}`;
    const person = { username, email: `${username}@example.com`, password: PASSWORD };
    const cookie = await cookieOfSignUp(this.url, person);
    const [name, value] = cookie.split(';', 1)[0]!.split('=') as [string, string];
    await this.context.addCookies([{ name, value, url: this.url, httpOnly: true, sameSite: 'Lax' }]);
    return username;
  }

  /** A call as the app makes it. */
  async call(
    method: string,
    path: string,
    body?: object | Buffer,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<any> {
    const response = await this.context.request.fetch(`${this.url}/api/v1/${path}`, {
      method,
      headers: {
        'x-service-session': 'cookie',
        'sec-fetch-site': 'same-origin',
        ...(body === undefined
          ? {}
          : { 'content-type': Buffer.isBuffer(body) ? 'application/octet-stream' : 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { data: Buffer.isBuffer(body) ? body : JSON.stringify(body) }),
    });
    if (!response.ok()) throw new Error(`${method} ${path}: ${response.status()} ${await response.text()}`);
    const text = await response.text();
    return text === '' ? undefined : JSON.parse(text).data;
  }

  async open(path: string): Promise<void> {
    await this.page.goto(this.url + path);
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

/** Replaces the text of the editor in one change, so that it completes neither brackets nor indents. */
export async function typeSql(page: Page, text: string): Promise<void> {
  await page.locator('.cm-content').click();
  await page.keyboard.press('ControlOrMeta+a');
  // Chromium gives text that replaces coloured text its style, which the policy refuses.
  await page.keyboard.press('Delete');
  await page.keyboard.insertText(text);
}

/** A directory for pictures, to look at. */
export const SCREENSHOTS = process.env['SCREENSHOTS'];

/** Requires that axe finds nothing in what is shown now, and keeps pictures of it where they are wanted. */
export async function expectAccessible(visit: Visit, name: string): Promise<void> {
  expect({ name, axe: await visit.axe(RULES) }).toEqual({ name, axe: [] });
  if (SCREENSHOTS === undefined) return;
  mkdirSync(SCREENSHOTS, { recursive: true });
  for (const { name: look, colorScheme, width } of [...LOOKS].reverse()) {
    await visit.page.setViewportSize({ width, height: 860 });
    await visit.page.emulateMedia({ colorScheme });
    await visit.page.screenshot({ path: join(SCREENSHOTS, `${name}-${look}.png`) });
  }
}

function cookieOfSignUp(url: string, person: object): Promise<string> {
  const part = (): number => 1 + Math.floor(Math.random() * 250);
  return new Promise((resolve, reject) => {
    const call = request(`${url}/api/v1/auth/sign-up`, {
      method: 'POST',
      localAddress: `127.${part()}.${part()}.${part()}`,
      headers: {
        'x-service-session': 'cookie',
        'sec-fetch-site': 'same-origin',
        'content-type': 'application/json',
      },
    });
    call.once('error', reject);
    call.once('response', (response) => {
      response.resume();
      const [cookie] = response.headers['set-cookie'] ?? [];
      if (cookie === undefined) reject(new Error(`The sign-up answered ${response.statusCode}.`));
      else resolve(cookie);
    });
    call.end(JSON.stringify(person));
  });
}

interface AxeResults {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
  }[];
}

/**
 * An invoice of last month for the plan Builder, as the close of a month leaves it. The close itself works on all
 * organizations at a time of its own, and has its tests in `test/billing`.
 */
export async function finalizedInvoice(visit: Visit): Promise<{ readonly id: string; readonly number: string }> {
  const { org_id: org } = await visit.call('GET', 'billing/subscription');
  const id = `ivc_${randomUUID().replaceAll('-', '').slice(0, 26)}`;
  const client = new Client({ connectionString: process.env['WEB_TEST_DATABASE']! });
  await client.connect();
  try {
    const month = `date_trunc('month', now(), 'UTC')`;
    await client.query(
      `INSERT INTO invoices (id, org_id, period_from, period_to, state, bill_to, cutoff_at, total_cents, created_at)
        VALUES ($1, $2, ${month} - interval '1 month', ${month}, 'draft', '{"name":"Shop","slug":"shop"}', now(),
          4900, now())`,
      [id, org],
    );
    await client.query(
      `INSERT INTO invoice_lines (invoice_id, position, kind, plan, quantity, unit, period_from, period_to, amount_nano)
        VALUES ($1, 1, 'base_fee', 'builder', 2592000, 's', ${month} - interval '1 month', ${month}, 49000000000)`,
      [id],
    );
    const numbered = await client.query<{ number: string }>(
      `WITH next AS (UPDATE document_numbers SET last = last + 1 WHERE series = 'invoice' RETURNING last)
        UPDATE invoices SET state = 'finalized', number = next.last, finalized_at = now(),
          due_at = now() + interval '14 days' FROM next WHERE id = $1 RETURNING number`,
      [id],
    );
    return { id, number: `INV-${numbered.rows[0]!.number.padStart(6, '0')}` };
  } finally {
    await client.end();
  }
}

/** Usage of today of two meters, one of them in a project. */
export async function reportedUsage(visit: Visit, project: string): Promise<void> {
  const { org_id: org } = await visit.call('GET', 'billing/subscription');
  const event = { source: 'test', org_id: org, occurred_at: new Date().toISOString() };
  const response = await fetch(`${serviceUrl()}/api/v1/billing/events`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${process.env['WEB_TEST_USAGE_TOKEN']!}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({
      events: [
        { ...event, id: randomUUID(), meter: 'sandbox_compute', quantity: '36000000', project_id: project },
        { ...event, id: randomUUID(), meter: 'object_storage', quantity: '9000000000000' },
      ],
    }),
  });
  const { data } = (await response.json()) as { data?: { accepted: number } };
  if (data?.accepted !== 2) throw new Error(`The usage was not accepted: ${response.status} ${JSON.stringify(data)}`);
  await eventually(async () => (await visit.call('GET', 'billing/usage')).length === 2, 'the usage is shown', 60_000);
}

/** Calls of two models, a key, and a budget for each of them and for the project. Returns the last generation. */
export async function calledModels(visit: Visit, project: string): Promise<string> {
  const messages = [{ role: 'user', content: 'How do I debounce a function in TypeScript?' }];
  for (const model of ['birch/birch-3-70b', 'acorn/oak-large', 'acorn/oak-mini'])
    await visit.call('POST', 'ai/chat/completions', { model, messages, max_tokens: 500 });
  const key = await visit.call('POST', 'keys', { name: 'Shop assistant', kind: 'personal', scopes: ['ai:invoke'] });
  await visit.call('PUT', `billing/budgets/key:${key.id}`, { window: 'day', limit: '2.5' });
  await visit.call('PUT', `billing/budgets/project:${project}`, { window: 'month', limit: '25' });
  const used = async (): Promise<boolean> =>
    (await visit.call('GET', 'billing/usage?group_by=model')).some(({ model }: { readonly model?: string }) =>
      model?.startsWith('acorn/oak-mini:'),
    );
  await eventually(used, 'the tokens are in the usage', 60_000);
  return (await visit.call('GET', 'ai/generations'))[0].id;
}

export interface AgentsAtWork {
  readonly agent: string;
  readonly run: string;
  readonly schedule: string;
  readonly swarm: string;
}

/** An agent with two versions, a run that ended and one that waits for an approval, a schedule, and a swarm. */
export async function workingAgents(visit: Visit, slug: string): Promise<AgentsAtWork> {
  await subscribe(slug);
  const { id: agent } = await visit.call('POST', 'agents', {
    name: 'Shop helper',
    description: 'Answers customers of the shop.',
    instructions: 'Help with the shop.\nBe brief.',
    models: ['test/agent'],
    tools: [{ name: 'remember' }],
    memory: { blocks: [{ label: 'persona', description: 'How it speaks', value: 'Kind.' }], archive: true },
  });
  await visit.call('PUT', `agents/${agent}/secrets/SHOP_TOKEN`, { value: 'a-secret-of-the-shop' });
  const { id: run } = await visit.call('POST', `agents/${agent}/runs`, {
    input: 'Please remember when the shop ships.',
  });
  await reaches(visit, run, 'succeeded');
  // The agent of before keeps its run; from now on its calls are approved first.
  await visit.call('PATCH', `agents/${agent}`, { tools: [{ name: 'remember', approval: 'always' }] });
  const waiting = await visit.call('POST', `agents/${agent}/runs`, { input: 'Please remember it again.' });
  await reaches(visit, waiting.id, 'waiting');
  const last = await visit.call('POST', `agents/${agent}/runs`, { input: 'Do nothing.' });
  await reaches(visit, last.id, 'succeeded');
  const { id: schedule } = await visit.call('POST', 'schedules', {
    agent_id: agent,
    name: 'Morning report',
    cron: '0 5 * * *',
    time_zone: 'Europe/Berlin',
    input: 'Do nothing.',
  });
  const { id: swarm } = await visit.call('POST', 'swarms', {
    name: 'Market research',
    goal: 'Compare the prices of three hosts.',
    coordinator: { agent_id: agent },
    workers: [{ agent_id: agent, count: 1 }],
    budget: { cost: '1.00' },
  });
  return { agent, run, schedule, swarm };
}

const reaches = (visit: Visit, run: string, state: string): Promise<void> =>
  eventually(async () => (await visit.call('GET', `runs/${run}`)).state === state, `${run} is ${state}`, 60_000);

export interface Site {
  readonly project: string;
  readonly deploy: string;
}

/** A project whose files have been deployed. The Free plan has no production deploys. */
export async function deployedSite(
  visit: Visit,
  name = 'Storefront',
  type: 'preview' | 'production' = 'preview',
): Promise<Site> {
  const { id: project } = await visit.call('POST', 'projects', { name });
  return { project, deploy: await deployFiles(visit, project, type) };
}

/** Deploys a page, and returns the deploy once it is ready. */
export async function deployFiles(visit: Visit, project: string, type: 'preview' | 'production'): Promise<string> {
  const page = Buffer.from('<!doctype html><title>Shop</title><h1>Hello</h1>');
  const sha256 = createHash('sha256').update(page).digest('hex');
  const file = { path: 'index.html', sha256, bytes: page.length, executable: false };
  const upload = await visit.call('POST', `projects/${project}/uploads`, { files: [file] });
  if (upload.missing.length > 0) {
    const framed = Buffer.concat([Buffer.from(`${sha256}\n`), page]);
    await visit.call('PUT', `projects/${project}/uploads/${upload.id}/blobs`, framed);
  }
  const { id: deploy } = await visit.call('POST', `projects/${project}/deploys`, {
    source: { upload_id: upload.id },
    type,
  });
  await eventually(
    async () => (await visit.call('GET', `deploys/${deploy}`)).state === 'ready',
    'the deploy is ready',
    60_000,
  );
  return deploy;
}

/** Production deploys begin with the Builder plan. */
export async function subscribe(slug: string): Promise<void> {
  await sql("UPDATE organizations SET plan = 'builder' WHERE slug = $1", [slug]);
}

/** For what no caller can make: what others report, or what takes its time. */
export async function sql<Row extends QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
  const client = new Client({ connectionString: process.env['WEB_TEST_DATABASE']! });
  await client.connect();
  try {
    return (await client.query<Row>(text, values)).rows;
  } finally {
    await client.end();
  }
}

/** Makes every sign-in an hour older. */
export async function makeSessionsOld(app: TestApp): Promise<void> {
  const { Database } = await import('../../src/platform/database/database.js');
  const { manager } = app.get(Database);
  await manager.query("UPDATE sessions SET authenticated_at = authenticated_at - interval '1 hour'");
  // Callers are remembered for ten seconds.
  const { RememberedCallers } = await import('../../src/modules/auth/callers/remembered-callers.js');
  Reflect.get(app.get(RememberedCallers), 'callers').clear();
}
