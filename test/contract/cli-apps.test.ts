import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { AppLogStore, type NewAppLogLine } from '../../src/modules/hosting/persistence/app-log.store.js';
import { type Account, client, signUpWithKey } from '../support/built-client.js';
import { COMMAND, type Ended, type RunOptions, useCommandLine } from '../support/command-line.js';
import { DnsServer } from '../support/dns-server.js';
import { challengeOf, CNAME_TARGET, settingsOf } from '../support/domains.js';
import { FakeBuilds } from '../support/fake-builds.js';
import { useApp } from '../support/test-app.js';

jest.setTimeout(60_000);

const ABSENT = 'dpl_00000000000000000000000000';
const dns = new DnsServer();
const app = useApp(
  settingsOf(dns, { ANONYMOUS_CALLS_PER_SECOND: '1000', DEFAULT_PLAN: 'builder', SANDBOX_ENABLED: 'false' }),
);
const builds = new FakeBuilds(app);
const command = useCommandLine(() => app.url);
let account: Account;
let service: InstanceType<typeof client.Service>;
let project: string;

beforeAll(async () => {
  account = await signUpWithKey(app.url);
  service = new client.Service({ apiKey: account.apiKey, baseUrl: app.url });
  project = (await service.projects.create({ name: 'Shop', repo_url: 'https://github.com/acme/shop' })).id;
  await run(['link', project]);
});

const run = (args: readonly string[], { env = {}, ...options }: RunOptions = {}): Promise<Ended> =>
  command.run(args, { env: { SERVICE_API_KEY: account.apiKey, ...env }, ...options });
const json = async (args: readonly string[]): Promise<any> => {
  const { code, stdout, stderr } = await run([...args, '--json']);
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
};

describe('service domains', () => {
  it('adds a domain with its records, verifies it once they are set, lists and removes it', async () => {
    const added = await run(['domains', 'add', 'Bücher.example.com', '--hsts']);
    expect(added).toMatchObject({ code: 0, stderr: expect.stringContaining('service domains verify xn--bcher-kva.') });
    expect(added.stdout).toMatch(/^bücher\.example\.com is pending\.\n\nTYPE +NAME +VALUE +FOUND\nTXT +_service-ch/);
    const domain = await service.domains.get(project, 'bücher.example.com');
    expect(domain).toMatchObject({ hsts: true, https_redirect: true });

    dns.set(`_service-challenge.${domain.name}`, 'TXT', challengeOf(domain));
    dns.set(domain.name, 'CNAME', `\u001B[2Jelsewhere.test`);
    const checked = await run(['domains', 'verify', 'bücher.example.com']);
    expect(checked).toMatchObject({ code: 1, stderr: '' });
    expect(checked.stdout).toMatch(/ is verified\.\n.+\n\nTYPE[^]+TXT .+ found\nCNAME .+ other: .*elsewhere\.test/);
    expect(checked.stdout).not.toContain('\u001B');
    dns.set(domain.name, 'CNAME', CNAME_TARGET);
    expect(await json(['domains', 'verify', domain.id])).toMatchObject({ id: domain.id, state: 'active' });

    const { stdout } = await run(['domains', 'list'], { env: { FORCE_COLOR: '1' } });
    expect(stdout).toMatch(/^NAME +STATE +REDIRECTS TO +ADDED +PROBLEM\nbücher\.example\.com +\u001B\[32mactive\u001B/);
    expect(await run(['domains', 'remove', domain.name])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('bücher.example.com'),
    });
    expect((await service.domains.get(project, domain.id)).state).toBe('active');
    expect(await json(['domains', 'remove', domain.name, '--yes'])).toEqual({
      id: domain.id,
      name: domain.name,
      removed: true,
    });
    expect(await json(['domains', 'list'])).toEqual([]);
  });

  it('adds www as a redirect, and exits with the code of each refusal', async () => {
    const apex = await json(['domains', 'add', 'example.org', '--www', '--no-https-redirect']);
    expect(apex).toMatchObject({ name: 'example.org', https_redirect: false });
    expect(await json(['domains', 'list', '--project', 'shop'])).toEqual([
      expect.objectContaining({ name: 'www.example.org', redirect_to: 'example.org' }),
      expect.objectContaining({ name: 'example.org' }),
    ]);
    const refusals: [number, ...string[]][] = [
      [2, 'add'],
      [4, 'add', '*.example.org'],
      [5, 'verify', 'nowhere.test'],
      [6, 'add', 'example.org'],
      [6, 'add', 'not a domain'],
      [6, 'remove', 'example.org', '--yes'],
    ];
    for (const [code, ...args] of refusals)
      expect({ args, code: (await run(['domains', ...args])).code }).toEqual({ args, code });
  });
});

describe('service projects settings', () => {
  it('sets what servers and builds use, and shows each setting with its source', async () => {
    const set = await json([
      ...['projects', 'settings', '--start-command', 'node main.js', '--health-path', '/healthz'],
      ...['--start-timeout-ms', '30000', '--build-network', 'registries'],
    ]);
    expect(set).toMatchObject({
      project: { id: project, start_command: 'node main.js', start_timeout_ms: 30_000, build_network: 'registries' },
      settings: {
        start_command: { value: 'node main.js', source: 'set' },
        health_path: { value: '/healthz', source: 'set' },
        start_timeout_ms: { value: 30_000, source: 'set' },
      },
    });
    const { stdout } = await run(['projects', 'settings', '--clear', 'health-path', 'start-timeout-ms']);
    expect(stdout).toMatch(/^SETTING +VALUE +SOURCE\nname +Shop\nslug +shop\n/);
    expect(stdout).toMatch(/\nframework +known after a deploy +unknown\n/);
    expect(stdout).toMatch(/\nstart_command +node main\.js +set\nhealth_path +known after a deploy +unknown\n/);
    await service.deploys.waitUntilReady((await service.projects.deploy(project)).id);
    const { deploy_id: deployId, settings } = await json(['projects', 'settings']);
    expect({ deployId, framework: settings.framework }).toEqual({
      deployId: expect.stringMatching(/^dpl_/),
      framework: { value: 'static', source: 'detected' },
    });
    expect((await run(['projects', 'get'])).stdout).toMatch(/\nstart_timeout_ms +default of the service\n/);
  });

  it.each([
    [2, '--start-timeout-ms', 'soon'],
    [2, '--build-network', 'everything'],
    [6, '--start-timeout-ms', '1'],
  ])('exits with %s for %s %s', async (code, option, value) => {
    expect((await run(['projects', 'settings', option, value])).code).toBe(code);
  });
});

describe('service logs --runtime', () => {
  let first: string;
  let second: string;

  const print = (deployId: string, ...texts: string[]): Promise<void> =>
    app.get(AppLogStore).add(
      texts.map((text): NewAppLogLine => {
        const level = text.startsWith('careful') ? 'warn' : 'info';
        return { deployId, at: new Date(), stream: 'stdout', level, text };
      }),
      1_000,
    );
  const deployed = async (): Promise<string> => {
    builds.files = { 'index.html': String(Math.random()) };
    const { id } = await service.projects.deploy(project, { force: true });
    expect((await service.deploys.waitUntilReady(id)).state).toBe('ready');
    return id;
  };

  beforeAll(async () => {
    first = await deployed();
    second = await deployed();
    await print(first, 'listening', 'careful \u001B[31mthere\u001B]52;c;eA==\u0007');
    await print(second, 'listening too');
  });

  it('prints the lines with time and level, and says whose they are', async () => {
    const { code, stdout, stderr } = await run(['logs', '--runtime']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: `==> ${first} <==\n==> ${second} <==\n` });
    expect(stdout.split('\n').map((line) => line.replace(/^\S+Z /, ''))).toEqual([
      'info   listening',
      'warn   careful there\uFFFD]52;c;eA==\uFFFD',
      'info   listening too',
      '',
    ]);
  });

  it('keeps to the deploy, the levels and the number of lines that are asked for', async () => {
    const textsOf = async (...args: string[]): Promise<unknown> => {
      const { code, stdout, stderr } = await run(['logs', '--runtime', '--json', ...args]);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      return stdout
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => (JSON.parse(line) as { text: string }).text.slice(0, 13));
    };
    expect(await textsOf('--deploy', first)).toEqual(['listening', 'careful \u001B[31m']);
    expect(await textsOf(second)).toEqual(['listening too']);
    expect(await textsOf('--level', 'warn', 'error')).toEqual(['careful \u001B[31m']);
    expect(await textsOf('--limit', '1')).toEqual(['listening too']);
  });

  it('follows with --follow', async () => {
    const child = spawn(process.execPath, [COMMAND, 'logs', '--runtime', '--follow', '--level', 'warn'], {
      cwd: command.home,
      env: { ...command.environment, SERVICE_API_KEY: account.apiKey },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const ended = once(child, 'close');
    try {
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
      expect((await lines.next()).value).toContain('careful there');
      await print(second, 'unseen', 'careful again');
      expect((await lines.next()).value).toContain('careful again');
    } finally {
      child.kill();
      await ended;
    }
  });

  it.each([
    [2, ['--level', 'warn']],
    [2, ['--runtime', '--level', 'loud']],
    [2, ['--runtime', ABSENT, '--deploy', ABSENT]],
    [5, ['--runtime', '--deploy', ABSENT]],
    [6, ['--runtime', '--limit', '0']],
  ])('exits with %s for %j', async (code, args) => {
    expect((await run(['logs', ...args])).code).toBe(code);
  });
});
