import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type Page } from 'playwright-core';
import { inChromium } from '../support/browser.js';
import { launchChromium } from '../support/chromium.js';
import { GitClient } from '../support/git-client.js';
import { as, expectStatus, Make, send } from '../support/make.js';
import { eventually, useApp } from '../support/test-app.js';
import { filesOf, type Fixture, rangeOf, selectedFixtures } from './fixture.js';

interface Tested {
  readonly version?: string;
  readonly date: string;
}

const LONG = 900_000;
jest.setTimeout(2 * LONG);

const TESTED = join(__dirname, 'tested.json');
/** What a manifest says and no page of a fixture does. */
const ONLY_IN_MANIFEST = /"(?:devD|d)ependencies"\s*:/;

const ICON = /\/favicon\.(ico|png|svg)$/;

/** Whether an address leads to a site on the internet. Deploys and what runs on this machine do not. */
const isElsewhere = (address: string): boolean =>
  address.startsWith('https://') && !/(^|\.)localhost$|^[\d.]+$/.test(new URL(address).hostname);

const npm = (...args: string[]): string =>
  execFileSync('npm', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();

/** Builds use the registry that npm is configured with on this machine, which may be on an internal network. */
const registry = new URL(npm('config', 'get', 'registry'));

/** The index of Python packages: the one of PIP_INDEX_URL, or else the public one. */
const pythonIndex = new URL(process.env['PIP_INDEX_URL'] ?? 'https://pypi.org/simple/');

const fixtures = selectedFixtures({
  names: process.env['FRAMEWORKS'],
  short: process.env['FRAMEWORKS_SHORT'] === '1',
});
const needsPython = fixtures.some(({ index }) => index === 'python');
const canInstallPython = needsPython && answers(new URL('pip/', pythonIndex));
if (needsPython && !canInstallPython)
  process.stderr.write(`The fixtures of Python are left out: ${pythonIndex.href} does not answer.\n`);
const run = fixtures.filter(({ index }) => index !== 'python' || canInstallPython);

const allowedHosts = [registry.host, ...(pythonIndex.hostname === 'pypi.org' ? [] : [pythonIndex.host])].join(',');

/** Nothing is replaced: projects as their authors push them, packages from the registry, isolated builds, a browser. */
describe('a project that is pushed as it is', () => {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'frameworks-'));
  chmodSync(dataDirectory, 0o711);
  const app = useApp({ DATA_DIR: dataDirectory, BUILD_ALLOWED_HOSTS: allowedHosts });
  const make = new Make(app);
  const git = new GitClient();
  let browser: Browser | undefined;

  beforeAll(async () => {
    browser = await launchChromium();
  });

  afterAll(async () => {
    await browser?.close();
    git.remove();
    rmSync(dataDirectory, { recursive: true, force: true });
  });

  inChromium.each(run.map((fixture) => [fixture.name, fixture] as const))('%s', async (name, fixture) => {
    // Jest reports a file when all of it is over, which takes an hour here.
    const from = performance.now();
    const report = (outcome: string): void => {
      process.stderr.write(`${name}: ${outcome}, ${Math.round((performance.now() - from) / 1000)} s\n`);
    };
    try {
      await comesUp(fixture);
      report(fixture.refused === undefined ? 'came up' : 'was refused');
    } catch (error) {
      report(`failed: ${String(error).replace(/\s+/g, ' ').slice(0, 300)}`);
      throw error;
    }
  });

  async function comesUp(fixture: Fixture): Promise<void> {
    const deploy = await pushed(fixture);
    if (fixture.refused !== undefined) {
      expect(deploy).toMatchObject({ state: 'error', error: { code: fixture.refused.code } });
      expect(deploy.error.message).toContain(fixture.refused.says);
      return;
    }
    expect(deploy).toMatchObject({
      state: 'ready',
      live: true,
      output: { framework: fixture.framework, kind: fixture.kind },
    });
    const url = new URL(deploy.aliases[0] as string);
    url.port = String(app.appsPort);
    await visited(fixture, url.href);
    if (process.env['UPDATE_FRAMEWORKS'] === '1') keep(fixture, deploy.output.node_version);
  }

  /** The deploy of a fixture when it is over. @throws {Error} with its log when it failed and should not have. */
  async function pushed(fixture: Fixture): Promise<any> {
    const { name, settings = {} } = fixture;
    const key = await make.key(await make.person({ plan: 'pro' }));
    const repoUrl = expectStatus(201, await app.post('/api/v1/repositories', { name }, as(key))).body.data
      .repo_url as string;
    const project = expectStatus(
      201,
      await app.post('/api/v1/projects', { name, repo_url: repoUrl, ...settings }, as(key)),
    ).body.data.id as string;
    if (fixture.index === 'python' && pythonIndex.hostname !== 'pypi.org') await useIndex(project, key);
    const remote = repoUrl.replace(app.config.publicUrl, app.url.replace('//', `//any:${key}@`));
    await git.run(['clone', '--quiet', remote, name]);
    await git.run(['checkout', '--quiet', '-B', 'main'], { cwd: name });
    cpSync(filesOf(fixture), git.path(name), {
      recursive: true,
      filter: (path) => !/\/(node_modules|\.git|\.next|dist)$/.test(path),
    });
    useRegistry(git.path(name));
    await git.run(['add', '--all', '--force', '.'], { cwd: name });
    await git.run(['commit', '--quiet', '-m', name], { cwd: name });
    await git.run(['push', '--quiet', 'origin', 'HEAD'], { cwd: name });
    const sha = await git.run(['rev-parse', 'HEAD'], { cwd: name });
    rmSync(git.path(name), { recursive: true });
    let deploy: any;
    await eventually(
      async () => {
        const { data } = expectStatus(200, await app.fetch(`/api/v1/projects/${project}/deploys`, as(key))).body;
        // One whose commit could not be found out has none.
        deploy = data.find(
          ({ commit, state, finished_at: finishedAt }: any) =>
            finishedAt !== undefined && (commit?.sha === sha || (commit === undefined && state === 'error')),
        );
        return deploy !== undefined;
      },
      `the deploy of ${name} is over`,
      LONG,
    );
    if (deploy.state !== 'ready' && fixture.refused === undefined)
      throw new Error(
        `${JSON.stringify(deploy.error)}\n` +
          (await app.fetch(`/api/v1/deploys/${deploy.id}/logs`, as(key))).text.slice(-12_000),
      );
    return deploy;
  }

  async function useIndex(project: string, key: string): Promise<void> {
    const variables = [{ name: 'PIP_INDEX_URL', value: pythonIndex.href, targets: ['production'], secret: false }];
    expectStatus(200, await send(app, ['PUT', `/api/v1/projects/${project}/env`], { variables }, as(key)));
  }

  async function visited(fixture: Fixture, url: string): Promise<void> {
    const context = await browser!.newContext();
    try {
      const page = await context.newPage();
      const errors: string[] = [];
      page.on('pageerror', (error) => errors.push(error.message));
      page.on('console', (message) => {
        const from = message.location().url;
        // Icons are asked for whether or not a project has one, and what another site answers is not the service's.
        if (message.type() === 'error' && !ICON.test(from) && !isElsewhere(from))
          errors.push(`${message.text()} (${from})`);
      });
      await shown(page, url, '/', fixture.shows!);
      if (fixture.deepLink !== undefined) {
        const { path, shows } = fixture.deepLink;
        await shown(page, url, path, shows);
        expect((await page.reload())?.status()).toBe(200);
        await says(page, shows);
      }
      expect(errors).toEqual([]);
      if (fixture.api !== undefined) expect(await asked(page, fixture.api.path)).toEqual(fixture.api.answers);
      expect((await page.goto(new URL('/no/such/page', url).href))?.status()).toBe(fixture.missing);
      await page.goto(new URL('/package.json', url).href);
      expect(await page.content()).not.toMatch(ONLY_IN_MANIFEST);
    } finally {
      await context.close();
    }
  }
});

/**
 * A machine that has no other registry than its own gives it to what it pushes, as its users would. Yarn 2 and later
 * ask a name of their own, registry.yarnpkg.com, so that they are always given the registry to use.
 */
function useRegistry(directory: string): void {
  const isOfNpm = registry.host === 'registry.npmjs.org';
  if (!isOfNpm) writeFileSync(join(directory, '.npmrc'), `registry=${registry.href}\n`, { flag: 'a' });
  if (!isOfNpm || existsSync(join(directory, '.yarnrc.yml')))
    writeFileSync(join(directory, '.yarnrc.yml'), `npmRegistryServer: ${JSON.stringify(registry.href)}\n`, {
      flag: 'a',
    });
}

async function shown(page: Page, url: string, path: string, text: string): Promise<void> {
  const response = await page.goto(new URL(path, url).href, { waitUntil: 'load' });
  expect({ path, status: response?.status() }).toEqual({ path, status: 200 });
  await says(page, text);
}

async function says(page: Page, text: string): Promise<void> {
  try {
    await page.locator('body').filter({ hasText: text }).waitFor({ timeout: 30_000 });
  } catch (cause) {
    throw new Error(`${page.url()} does not say "${text}", but: ${(await page.innerText('body')).slice(0, 2_000)}`, {
      cause,
    });
  }
}

const asked = (page: Page, path: string): Promise<unknown> =>
  page.evaluate(async (at) => (await fetch(at)).json(), path);

function answers(url: URL): boolean {
  try {
    execFileSync('curl', ['--silent', '--fail', '--location', '--max-time', '10', '--output', '/dev/null', url.href]);
    return true;
  } catch {
    return false;
  }
}

/** The newest version that the fixture's package.json allows, or null when it does not say which package was tested. */
function newestOf(fixture: Fixture): string | null {
  const range = rangeOf(fixture);
  if (range === null) return null;
  const found = [
    JSON.parse(npm('view', `${fixture.package!}@${range}`, 'version', '--json')) as string | string[],
  ].flat();
  return found.sort((a, b) => a.localeCompare(b, 'en', { numeric: true })).at(-1)!;
}

/** What is noted of a fixture that came up, or null when it says nothing about its preset. */
function versionOf(fixture: Fixture, nodeVersion: string | undefined): Tested | null {
  const date = new Date().toISOString().slice(0, 10);
  if (fixture.runtime === 'none') return { date };
  if (fixture.runtime === 'node') return { version: `Node.js ${nodeVersion!}`, date };
  if (fixture.runtime === 'python')
    return { version: execFileSync('python3', ['--version'], { encoding: 'utf8' }).trim(), date };
  const version = fixture.version ?? newestOf(fixture);
  return version === null ? null : { version, date };
}

/** Notes what has just come up. Of two fixtures of a framework, the one with the newer version counts. */
function keep(fixture: Fixture, nodeVersion: string | undefined): void {
  const now = versionOf(fixture, nodeVersion);
  if (now === null) return;
  const tested = JSON.parse(readFileSync(TESTED, 'utf8')) as Record<string, Tested>;
  const before = tested[fixture.framework]?.version;
  if (before !== undefined && now.version?.localeCompare(before, 'en', { numeric: true }) === -1) return;
  tested[fixture.framework] = now;
  const sorted = Object.fromEntries(Object.entries(tested).sort(([a], [b]) => a.localeCompare(b)));
  writeFileSync(TESTED, `${JSON.stringify(sorted, null, 2)}\n`);
}
