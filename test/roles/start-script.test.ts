import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const SCRIPTS = join(__dirname, '../../scripts');

/** Stands in for the compiler: slow enough for two starts to meet, and it leaves a trace. */
const COMPILER = `
const fs = require('node:fs');
if (fs.existsSync('broken')) process.exit(1);
fs.appendFileSync('builds', 'built\\n');
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
fs.mkdirSync('dist/src', { recursive: true });
fs.copyFileSync('src/main.js', 'dist/src/main.js');
`;

const MAIN = `
if (process.argv[2] === 'all') {
  process.on('SIGTERM', () => { console.log('closing'); process.exit(3); });
  setInterval(() => undefined, 60_000);
}
console.log(JSON.stringify({ pid: process.pid, role: process.argv[2], setting: process.env.SETTING, main: process.argv[1] }));
`;

describe('npm start', () => {
  let root: string;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'start-script-'));
    cpSync(SCRIPTS, join(root, 'scripts'), { recursive: true });
    write('src/main.js', MAIN);
    write('node_modules/@nestjs/core/package.json', '{}');
    write('node_modules/@nestjs/cli/bin/nest.js', COMPILER);
  });

  afterEach(() => {
    rmSync(root, { recursive: true, force: true });
  });

  it('builds first, then runs the service in its own process with the role it was given', () => {
    const { status, stdout, pid } = start(['migrate']);
    expect(status).toBe(0);
    const [building, line] = stdout.split('\n');
    expect(building).toBe('Building …');
    expect(JSON.parse(line!)).toEqual({ pid, role: 'migrate', main: join(root, 'dist/src/main.js') });
  });

  it('builds again only after a change of the sources, be it a removal or an older file', () => {
    write('src/other.js', '');
    start(['migrate']);
    expect(start(['migrate']).stdout).not.toContain('Building');

    write('src/main.js', `${MAIN}\n`);
    expect(start(['migrate']).stdout).toContain('Building');
    rmSync(join(root, 'src/other.js'));
    expect(start(['migrate']).stdout).toContain('Building');
    utimesSync(join(root, 'src/main.js'), 1, 1);
    expect(start(['migrate']).stdout).toContain('Building');
    expect(start(['migrate']).stdout).not.toContain('Building');
  });

  it('builds once when two start at the same time, and both run', async () => {
    const outputs = await Promise.all([0, 1].map(() => outputOf(spawnStart(['migrate']))));
    expect(outputs.every((output) => output.includes('"role":"migrate"'))).toBe(true);
    expect(readFileSync(join(root, 'builds'), 'utf8')).toBe('built\n');
  });

  it('does not run what could not be built', () => {
    write('broken', '');
    const { status, stdout, stderr } = start(['migrate']);
    expect(status).toBe(1);
    expect(stderr).toBe('The build failed; see above.\n');
    expect(stdout).not.toContain('role');
  });

  it('says so when it may not write what it builds', () => {
    write('dist', '');
    expect(start(['migrate'])).toMatchObject({
      status: 1,
      stderr: `The service must be built, and ${join(root, 'dist')} cannot be written (EEXIST). Build it as its owner, or use a copy of your own.\n`,
    });
  });

  it('runs what was built where there is no compiler', () => {
    start(['migrate']);
    rmSync(join(root, 'node_modules/@nestjs/cli'), { recursive: true });
    write('src/main.js', '');
    expect(start(['migrate']).stdout).toContain('"role":"migrate"');
  });

  it('takes the role from ROLE, the argument winning, and refuses one that does not exist', () => {
    expect(start([], { ROLE: 'seed' }).stdout).toContain('"role":"seed"');
    expect(start(['migrate'], { ROLE: 'seed' }).stdout).toContain('"role":"migrate"');
    expect(start(['toString'])).toMatchObject({
      status: 1,
      stderr: 'There is no role "toString". The roles are all, api, worker, migrate, seed, backup, restore.\n',
    });
  });

  it('reads .env, and variables that are set already win', () => {
    write('.env', 'SETTING=file\nROLE=migrate\n');
    expect(start([]).stdout).toContain('"role":"migrate","setting":"file"');
    expect(start([], { SETTING: 'mine' }).stdout).toContain('"setting":"mine"');
  });

  it('says what to do when the npm packages are missing', () => {
    rmSync(join(root, 'node_modules'), { recursive: true });
    expect(start([])).toMatchObject({ status: 1, stderr: expect.stringContaining('\n  npm ci\n') as string });
  });

  it('is what a signal reaches: the service closes and its exit code is the command\'s', async () => {
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

  function start(args: string[], env: Record<string, string> = {}): { status: number | null; stdout: string; stderr: string; pid: number } {
    return spawnSync(process.execPath, [join(root, 'scripts/start.mjs'), ...args], { cwd: '/', encoding: 'utf8', env: environment(env) });
  }

  function spawnStart(args: string[]): ChildProcess {
    return spawn(process.execPath, [join(root, 'scripts/start.mjs'), ...args], { cwd: '/', env: environment({}), stdio: ['ignore', 'pipe', 'inherit'] });
  }

  /** Nothing is installed by these tests; REDIS_URL spares the machine a Redis of its own. */
  function environment(more: Record<string, string>): Record<string, string> {
    return { PATH: process.env['PATH']!, SERVICE_INSTALL: 'never', REDIS_URL: 'redis://127.0.0.1:1', ...more };
  }
});

async function outputOf(child: ChildProcess): Promise<string> {
  let output = '';
  child.stdout!.on('data', (chunk: Buffer) => { output += chunk.toString(); });
  await once(child, 'close');
  return output;
}
