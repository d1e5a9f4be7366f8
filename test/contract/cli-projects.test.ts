import { execFile } from 'node:child_process';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv, promisify } from 'node:util';
import { type Account, client, signUpWithKey } from '../support/built-client.js';
import { type Ended, type RunOptions, useCommandLine } from '../support/command-line.js';
import { FakeBuilds } from '../support/fake-builds.js';
import { useApp } from '../support/test-app.js';

jest.setTimeout(60_000);

const app = useApp({ ANONYMOUS_CALLS_PER_SECOND: '1000', DEFAULT_PLAN: 'builder' });
const builds = new FakeBuilds(app);
const command = useCommandLine(() => app.url);
const ABSENT = 'dpl_00000000000000000000000000';
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

describe('service env', () => {
  const file = (): string => join(command.home, '.env.local');

  it('sets variables from standard input and never prints a value', async () => {
    const set = await run(['env', 'set', 'API_KEY'], { input: 'sk_secret\n' });
    expect(set).toEqual({ code: 0, stdout: 'API_KEY is set for production, preview, development.\n', stderr: '' });
    const plain = await run(['env', 'set', 'GREETING', '--no-secret', '--target', 'development', 'preview', '--json'], {
      input: `it's "so"\nnice`,
    });
    expect(JSON.parse(plain.stdout)).toEqual({ name: 'GREETING', targets: ['development', 'preview'], secret: false });
    const list = await run(['env', 'list']);
    expect(list.stdout).toMatch(
      /^NAME +TARGETS +SECRET +UPDATED\nAPI_KEY +production,preview,dev.+ yes .+\nGREETING +preview,dev.+ no .+\n$/,
    );
    expect([await json(['env', 'list'])].flat()).toEqual([
      expect.objectContaining({ name: 'API_KEY', secret: true }),
      expect.not.objectContaining({ value: expect.anything() }),
    ]);
    expect(list.stdout + set.stdout + plain.stdout).not.toMatch(/sk_secret|nice/);
  });

  it('asks for a value on a terminal without an echo', async () => {
    const { code, stdout } = await command.runOnTerminal(
      ['env', 'set', 'ASKED', '--target', 'production'],
      [['Value of ASKED: ', 'typed value']],
      { SERVICE_API_KEY: account.apiKey },
    );
    expect(stdout).toContain('ASKED is set for production.');
    expect(stdout).not.toContain('typed value');
    expect(code).toBe(0);
  });

  it('refuses a value among the arguments, an unknown target and a reserved name', async () => {
    expect(await run(['env', 'set', 'A=1'])).toMatchObject({ code: 2, stderr: expect.stringContaining('pipe') });
    expect((await run(['env', 'set', 'A', '--target', 'staging'])).code).toBe(2);
    expect((await run(['env', 'set', 'PATH'], { input: 'x' })).code).toBe(6);
  });

  it('pulls the readable values into a private file, and names the secrets', async () => {
    const awkward = {
      QUOTES: `it's "so"\nnice`,
      DOUBLE: 'say "hi" $HOME #1',
      SINGLE: `it's \\n fine`,
      PLAIN: 'https://x.test/?a=1',
      SPACED: '  two  ',
      EMPTY: '',
    };
    await service.projects.setEnv(
      project,
      Object.entries(awkward).map(([name, value]) => ({ name, value, targets: ['development'], secret: false })),
    );
    const pulled = await run(['env', 'pull']);
    expect(pulled).toEqual({
      code: 0,
      stdout: '7 variables are in .env.local.\n',
      stderr: expect.stringContaining('API_KEY'),
    });
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    expect(parseEnv(readFileSync(file(), 'utf8'))).toEqual({ ...awkward, GREETING: `it's "so"\nnice` });
  });

  it('replaces a file that differs only with --yes, and asks on a terminal', async () => {
    writeFileSync(file(), 'MINE=1\n', { mode: 0o644 });
    expect(await run(['env', 'pull'])).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });
    const env = { SERVICE_API_KEY: account.apiKey };
    const asked = await command.runOnTerminal(['env', 'pull'], [['Replace it? [y/N] ', 'n']], env);
    expect(asked).toMatchObject({ code: 2, stdout: expect.stringContaining('Nothing was changed.') });
    expect(readFileSync(file(), 'utf8')).toBe('MINE=1\n');
    expect((await command.runOnTerminal(['env', 'pull'], [['Replace it? [y/N] ', 'y']], env)).code).toBe(0);
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    expect((await run(['env', 'pull'])).code).toBe(0);
    writeFileSync(file(), 'MINE=1\n');
    expect(await json(['env', 'pull', '--target', 'production', '--yes'])).toEqual({
      file: '.env.local',
      target: 'production',
      written: [],
      secrets: ['API_KEY', 'ASKED'],
      unwritable: [],
    });
    rmSync(file());
    expect((await run(['env', 'pull', 'missing/.env'])).code).toBe(2);
    expect(existsSync(file())).toBe(false);
  });

  it('removes a variable from the named targets, or from all', async () => {
    await run(['env', 'rm', 'API_KEY', '--target', 'preview', 'production']);
    expect(await json(['env', 'list'])).toContainEqual(
      expect.objectContaining({ name: 'API_KEY', targets: ['development'] }),
    );
    expect(await json(['env', 'rm', 'API_KEY'])).toEqual({
      name: 'API_KEY',
      targets: ['production', 'preview', 'development'],
      removed: true,
    });
    expect(JSON.stringify(await json(['env', 'list']))).not.toContain('API_KEY');
  });
});

describe('service projects', () => {
  it('prints a project, changes its settings and clears them', async () => {
    expect((await run(['projects', 'get'])).stdout).toMatch(new RegExp(`^id +${project}\nslug +shop\n`));
    const changed = await json([
      ...['projects', 'settings', project, '--build-command', 'npm run export', '--node-version', '22'],
    ]);
    expect(changed).toMatchObject({
      project: { build_command: 'npm run export', node_version: '22' },
      settings: { build_command: { value: 'npm run export', source: 'set' } },
    });
    expect((await run(['projects', 'settings'])).stdout).toMatch(/build_command +npm run export +set\n/);
    const cleared = await json([
      'projects',
      'settings',
      '--clear',
      'build-command',
      'node-version',
      '--name',
      'Shop 2',
    ]);
    expect(cleared).toMatchObject({ project: { name: 'Shop 2' } });
    expect(cleared.project).not.toHaveProperty('build_command');
    expect((await run(['projects', 'settings', '--clear', 'name'])).code).toBe(2);
    expect((await run(['projects', 'settings', '--framework', 'next', '--clear', 'framework'])).code).toBe(2);
    expect((await run(['projects', 'settings', '--node-version', '3'])).code).toBe(6);
    expect((await run(['projects', 'get', 'nothing'])).code).toBe(5);
  });

  it('deletes a project only after a confirmation', async () => {
    const { id } = await service.projects.create({ name: 'Doomed' });
    expect(await run(['projects', 'delete', id])).toMatchObject({ code: 2, stderr: expect.stringContaining('Doomed') });
    expect((await service.projects.get(id)).id).toBe(id);
    expect(await json(['projects', 'delete', id, '--yes'])).toEqual({ id, deleted: true });
    expect((await run(['projects', 'get', id])).code).toBe(5);
  });
});

describe('service deploys', () => {
  it('lists deploys, inspects one and cancels one', async () => {
    const { reached, letGo } = builds.holdAt('build');
    const { id } = await service.projects.deploy(project, { branch: 'held' });
    await reached;
    expect(await json(['deploys', 'cancel', id])).toMatchObject({ id, state: 'canceled' });
    letGo();
    expect((await run(['deploys', 'cancel', id])).code).toBe(6);
    expect((await run(['deploys', 'cancel', ABSENT])).code).toBe(5);
    const ready = await service.deploys.waitUntilReady((await service.projects.deploy(project)).id);

    expect((await run(['deploys', 'list'])).stdout).toMatch(
      new RegExp(`^ID +STATE +.*\n${ready.id} +ready \\(live\\) +preview +main .*\n${id} +canceled +preview +held `),
    );
    expect((await json(['deploys', 'list', '--limit', '1'])).map((deploy: { id: string }) => deploy.id)).toEqual([
      ready.id,
    ]);
    expect(await json(['deploys', 'list', '--state', 'error'])).toEqual([]);
    expect((await run(['deploys', 'list', '--state', 'lost'])).code).toBe(2);
    expect((await run(['deploys', 'inspect', ready.id])).stdout).toMatch(/^id +dpl_.+\nstate +ready \(live\)\n/);
    expect(await json(['deploys', 'inspect'])).toMatchObject({ id: ready.id, events: expect.any(Array) });
  });

  it('uses colours on a terminal, or when FORCE_COLOR asks, and never in JSON', async () => {
    const list = (env: Record<string, string>, more: string[] = []): Promise<string> =>
      run(['deploys', 'list', ...more], { env }).then(({ stdout }) => stdout);
    const green = '\u001B[32mready\u001B[39m';
    expect(await list({})).not.toContain('\u001B');
    expect(await list({ FORCE_COLOR: '1', NO_COLOR: '1' })).toContain(green);
    expect(await list({ FORCE_COLOR: '0' })).not.toContain('\u001B');
    expect(await list({ FORCE_COLOR: '1' }, ['--json'])).not.toContain('\u001B');
    const onTerminal = (env: Record<string, string>): Promise<string> =>
      command
        .runOnTerminal(['deploys', 'list'], [], { SERVICE_API_KEY: account.apiKey, ...env })
        .then(({ stdout }) => stdout);
    expect(await onTerminal({})).toContain(green);
    expect(await onTerminal({ NO_COLOR: '1' })).not.toContain('\u001B');
    expect(await onTerminal({ TERM: 'dumb' })).not.toContain('\u001B');
  });
});

describe('service completion', () => {
  /** What bash offers after these words, in the script that the command prints. */
  async function offered(script: string, ...words: string[]): Promise<string[]> {
    const line = `COMP_WORDS=(service ${words.map((word) => `'${word}'`).join(' ')})
COMP_CWORD=${words.length}
_service_completion
printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout } = await promisify(execFile)('bash', ['--norc', '-c', `${script}\n${line}`]);
    return stdout.split('\n').filter((word) => word !== '');
  }

  it('completes commands, options and their values in bash', async () => {
    const { code, stdout: script } = await run(['completion', 'bash']);
    expect(code).toBe(0);
    expect(await offered(script, '')).toEqual(expect.arrayContaining(['login', 'deploy', 'env', 'completion']));
    expect(await offered(script, 'dep')).toEqual(['deploys', 'deploy']);
    expect(await offered(script, 'env', '')).toEqual(['list', 'set', 'rm', 'pull']);
    expect(await offered(script, 'domains', '')).toEqual(['list', 'add', 'verify', 'remove']);
    expect(await offered(script, 'projects', 'settings', '--build-network', '')).toEqual(['registries', 'open']);
    expect(await offered(script, '--json', 'env', 'p')).toEqual(['pull']);
    expect(await offered(script, 'env', 'pull', '--t')).toEqual(['--target']);
    expect(await offered(script, 'env', 'pull', '--target', 'pre')).toEqual(['preview']);
    expect(await offered(script, 'completion', '')).toEqual(['bash', 'zsh', 'fish']);
    expect(await offered(script, 'deploy', 'src')).toEqual([]);
  });

  it('prints scripts for zsh and fish, and refuses other shells', async () => {
    expect((await run(['completion', 'zsh'])).stdout).toMatch(/^#compdef service\n/);
    const { stdout } = await run(['completion', 'fish']);
    expect(stdout).toContain(`complete -c service -n 'test "$(__service_path)" = "service env"' -f -a pull -d`);
    expect((await run(['completion', 'tcsh'])).code).toBe(2);
  });
});
