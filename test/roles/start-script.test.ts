import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const SCRIPTS = join(__dirname, '../../scripts');

/** Stands in for the compiler: slow enough for two starts to meet, and it leaves a trace. */
const COMPILER = `
import fs from 'node:fs';
if (fs.existsSync('broken')) process.exit(1);
fs.appendFileSync('builds', 'built\\n');
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, fs.existsSync('slow') ? 3_000 : 300);
fs.mkdirSync('dist/src', { recursive: true });
fs.copyFileSync('src/main.js', 'dist/src/main.js');
`;

const MAIN = `
if (process.argv[2] === 'all') {
  process.on('SIGTERM', () => { console.log('closing'); process.exit(3); });
  setInterval(() => undefined, 60_000);
}
console.log(JSON.stringify({ pid: process.pid, role: process.argv[2], setting: process.env.SETTING,
  main: process.argv[1] }));
if (process.argv[2] === 'seed') console.log(process.execPath, process.argv.slice(3));
`;

/** `process.execve` came with Node 22.15: before that, the launcher has to wait for the process that it starts. */
const LAUNCHERS = { 'becomes one': [], 'cannot become one': ['--require', './older.cjs'] };

describe('npm start', () => {
  let root: string;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'start-script-'));
    cpSync(SCRIPTS, join(root, 'scripts'), { recursive: true });
    write('src/main.js', MAIN);
    write('node_modules/@nestjs/core/package.json', '{}');
    write('node_modules/@swc/core/package.json', '{}');
    write('scripts/build.mjs', COMPILER);
  });

  afterEach(() => {
    rmSync(root, { recursive: true, force: true });
  });

  it('builds first, then runs the service in its own process with the given role', () => {
    const { status, stdout, stderr, pid } = start(['migrate']);
    expect(status).toBe(0);
    expect(stderr).toMatch(/^Building …\nBuilding took \d+\.\d s\.\n$/);
    expect(JSON.parse(stdout)).toEqual({ pid, role: 'migrate', main: join(root, 'dist/src/main.js') });
  });

  it('rebuilds only after a change of the sources', () => {
    write('src/other.js', '');
    start(['migrate']);
    expect(start(['migrate']).stderr).not.toContain('Building');

    write('src/main.js', `${MAIN}\n`);
    expect(start(['migrate']).stderr).toContain('Building');
    rmSync(join(root, 'src/other.js'));
    expect(start(['migrate']).stderr).toContain('Building');
    utimesSync(join(root, 'src/main.js'), 1, 1);
    expect(start(['migrate']).stderr).toContain('Building');
    expect(start(['migrate']).stderr).not.toContain('Building');
  });

  it('reports progress every few seconds as log lines', () => {
    write('slow', '');
    expect(start(['migrate']).stderr).toMatch(
      /^Building …\nBuilding … 2\.\d s\n(Building … \d+\.\d s\n)*Building took \d+\.\d s\.\n$/,
    );
  });

  it('updates a line on a terminal', () => {
    const command = [process.execPath, join(root, 'scripts/start.mjs'), 'migrate'].map((part) => `'${part}'`).join(' ');
    const { stdout } = spawnSync(
      'python3',
      ['-c', 'import pty, sys; pty.spawn(["/bin/sh", "-c", sys.argv[1]])', command],
      { cwd: root, encoding: 'utf8', env: environment({}) },
    );
    expect(stdout).toMatch(/⠙ Building … 0\.\d s.*\r\x1b\[2K {2}✓ Building \(\d+\.\d s\)\r\n/s);
  });

  it('builds once for two concurrent starts', async () => {
    const outputs = await Promise.all([0, 1].map(() => outputOf(spawnStart(['migrate']))));
    expect(outputs.every((output) => output.includes('"role":"migrate"'))).toBe(true);
    expect(readFileSync(join(root, 'builds'), 'utf8')).toBe('built\n');
  });

  it('does not run after a failed build', () => {
    write('broken', '');
    const { status, stdout, stderr } = start(['migrate']);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^Building …\nBuilding failed after \d+\.\d s\.\nThe build failed; see above\.\n$/);
    expect(stdout).not.toContain('role');
  });

  it('reports when the build cannot be written', () => {
    write('dist', '');
    expect(start(['migrate'])).toMatchObject({
      status: 1,
      stderr:
        `The service must be built, and ${join(root, 'dist')} cannot be written (EEXIST). Build it as its ` +
        'owner, or use a copy of your own.\n',
    });
  });

  it('runs an existing build without a compiler', () => {
    start(['migrate']);
    rmSync(join(root, 'node_modules/@swc'), { recursive: true });
    write('src/main.js', '');
    expect(start(['migrate']).stdout).toContain('"role":"migrate"');
  });

  it('takes the role from its argument, then ROLE, and rejects unknown ones', () => {
    expect(start([], { ROLE: 'seed' }).stdout).toContain('"role":"seed"');
    expect(start(['migrate'], { ROLE: 'seed' }).stdout).toContain('"role":"migrate"');
    expect(start(['toString'])).toMatchObject({
      status: 1,
      stderr:
        'There is no role "toString". The roles are all, api, edge, worker, databases, migrate, seed, ' +
        'backup, restore.\n',
    });
  });

  it('reads .env, below variables that are set', () => {
    write('.env', 'SETTING=file\nROLE=migrate\n');
    expect(start([]).stdout).toContain('"role":"migrate","setting":"file"');
    expect(start([], { SETTING: 'mine' }).stdout).toContain('"setting":"mine"');
  });

  it('explains what to do without npm packages', () => {
    rmSync(join(root, 'node_modules'), { recursive: true });
    expect(start([])).toMatchObject({ status: 1, stderr: expect.stringContaining('\n  npm ci\n') as string });
  });

  describe.each(Object.entries(LAUNCHERS))(
    'launched by another Node, which %s of the pinned Node',
    (_how, launcher) => {
      let pinned: string;

      beforeEach(() => {
        write('older.cjs', 'process.execve = undefined;');
        write(`node_modules/node-linux-${process.arch}/package.json`, '{ "version": "0.0.0" }');
        pinned = join(root, `node_modules/node-linux-${process.arch}/bin/node`);
        mkdirSync(dirname(pinned));
        copyFileSync(process.execPath, pinned);
      });

      it('runs the service on the pinned Node with its arguments, and prints nothing', () => {
        const { status, stdout, stderr } = start(['seed', 'more', 'two words'], {}, launcher);
        expect(stdout).toContain(`${pinned} [ 'more', 'two words' ]\n`);
        expect({ status, stderr: stderr.replace(/^Building.*\n/gm, '') }).toEqual({ status: 0, stderr: '' });
      });

      it('stays on the launching Node when the pinned one cannot run', () => {
        write(`node_modules/node-linux-${process.arch}/bin/node`, 'not a program');
        chmodSync(pinned, 0o755);
        expect(start(['seed'], {}, launcher).stdout).toContain(`${process.execPath} []\n`);
      });

      it('forwards signals, and exits with the code of the service', async () => {
        start(['migrate'], {}, launcher);
        const running = spawnStart(['all'], launcher);
        await once(running.stdout!, 'data');
        const output = outputOf(running);
        running.kill('SIGTERM');
        expect(await output).toBe('closing\n');
        expect(running.exitCode).toBe(3);
      });

      it('leaves no service behind when it is killed', async () => {
        start(['migrate'], {}, launcher);
        const running = spawnStart(['all'], launcher);
        const [line] = (await once(running.stdout!, 'data')) as [Buffer];
        expect((JSON.parse(line.toString()) as { pid: number }).pid === running.pid).toBe(launcher.length === 0);
        running.kill('SIGKILL');
        // Its output is closed only once nobody has it any more.
        await outputOf(running);
        expect(running.signalCode).toBe('SIGKILL');
      });
    },
  );

  it("receives signals itself: the service closes and its exit code is the command's", async () => {
    start(['migrate']);
    const running = spawnStart(['all']);
    await once(running.stdout!, 'data');
    const output = outputOf(running);
    running.kill('SIGTERM');
    expect(await output).toBe('closing\n');
    expect(running.exitCode).toBe(3);
  });

  function write(path: string, content: string): void {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }

  function start(
    args: string[],
    env: Record<string, string> = {},
    node: readonly string[] = [],
  ): { status: number | null; stdout: string; stderr: string; pid: number } {
    return spawnSync(process.execPath, [...node, join(root, 'scripts/start.mjs'), ...args], {
      cwd: root,
      encoding: 'utf8',
      env: environment(env),
    });
  }

  function spawnStart(args: string[], node: readonly string[] = []): ChildProcess {
    return spawn(process.execPath, [...node, join(root, 'scripts/start.mjs'), ...args], {
      cwd: root,
      env: environment({}),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  }

  /** Nothing is installed by these tests; REDIS_URL spares the machine a Redis of its own. */
  function environment(more: Record<string, string>): Record<string, string> {
    return { PATH: process.env['PATH']!, SERVICE_INSTALL: 'never', REDIS_URL: 'redis://127.0.0.1:1', ...more };
  }
});

async function outputOf(child: ChildProcess): Promise<string> {
  let output = '';
  child.stdout!.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  await once(child, 'close');
  return output;
}
