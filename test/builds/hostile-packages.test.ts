import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { homedir, tmpdir } from 'node:os';

import { type Ecosystem, type LayerBounds, PackageInstallFailed } from '../../src/modules/builds/package-layers.js';
import { PROCESSES, type SandboxRun } from '../../src/modules/sandbox/domain/sandbox-runtime.js';
import { packagesInside } from '../../src/modules/sandbox/languages/package-mounts.js';
import { PooledRuntime } from '../../src/modules/sandbox/runtime/pooled-runtime.js';
import { SessionProcesses } from '../../src/modules/sandbox/sessions/host/session-processes.js';
import { type NpmPackage, NpmPackages } from '../support/npm-packages.js';
import { PackageIndex, type PythonPackage } from '../support/package-index.js';
import { onThisMachine } from '../support/patience.js';
import { Workbench } from './workbench.js';

jest.setTimeout(onThisMachine(60_000));

const MEBIBYTE = 1_048_576;
const BOUNDS: LayerBounds = { bytes: 4 * MEBIBYTE, files: 100, allBytes: 64 * MEBIBYTE };
const RUN_LIMITS = { timeoutMs: onThisMachine(10_000), memoryBytes: 256 * MEBIBYTE, outputBytes: 100_000 };
const SIGNAL = new AbortController().signal;
/** What a package would leave outside of its place, and nothing else on this machine has. */
const MARK = `escaped-${randomBytes(6).toString('hex')}`;
/** Enough to be at the root, from wherever an installer unpacks. */
const UP = '../'.repeat(12);

/** Tells the index that it runs, where pip runs it, and leaves a file in its home elsewhere. */
const PYTHON_CODE = `
import os, urllib.request
if "PIP_INDEX_URL" in os.environ: urllib.request.urlopen(os.environ["PIP_INDEX_URL"] + "/ran", timeout=9)
else: open(os.path.join(os.environ.get("HOME", "/tmp"), "ran-%d" % os.getpid()), "w").close()
`;
const LIFECYCLE = ['preinstall', 'install', 'postinstall', 'preprepare', 'prepare', 'postprepare', 'prepublish'];
/** In its own directory, so in the layer, and in the one around all. */
const SCRIPT = `touch ran-$npm_lifecycle_event ../ran-$npm_lifecycle_event /work/layer/ran-$npm_lifecycle_event`;
const SCRIPTS = Object.fromEntries([...LIFECYCLE, 'dependencies', 'prepack'].map((name) => [name, SCRIPT]));

const OF_NPM: NpmPackage[] = [
  {
    name: 'scripted',
    version: '1.0.0',
    files: { 'index.js': '', '.npmrc': 'ignore-scripts=false\n' },
    manifest: { scripts: SCRIPTS, hasInstallScript: true, gypfile: true },
    dependencies: { deeper: '1.0.0', native: '1.0.0' },
  },
  {
    name: 'deeper',
    version: '1.0.0',
    // What is bundled is not in the lock by itself.
    files: {
      'index.js': '',
      'node_modules/bundled/package.json': JSON.stringify({ name: 'bundled', version: '1.0.0', scripts: SCRIPTS }),
    },
    manifest: { scripts: SCRIPTS, hasInstallScript: true, bundleDependencies: ['bundled'] },
    dependencies: { bundled: '1.0.0' },
  },
  {
    name: 'native',
    version: '1.0.0',
    // npm would build it although it has no script.
    files: { 'binding.gyp': '{"targets":[{"target_name":"x","variables":{"x":"<!(touch ran)"}}]}' },
    manifest: { gypfile: true },
  },
  {
    name: 'paths',
    version: '1.0.0',
    files: {
      'index.js': '',
      [`${UP}${MARK}`]: 'up',
      [`${UP}tmp/${MARK}`]: 'up to a directory that is there',
      [`inner/${UP}work/${MARK}`]: 'up from inside',
      [`/${MARK}`]: 'from the root',
      [`/package/${UP}tmp/${MARK}-2`]: 'up from the root',
      out: { link: '/tmp' },
      [`out/${MARK}`]: 'through a link',
      around: { link: '../..' },
      [`around/${MARK}`]: 'through a link that leads up',
      password: { link: '/etc/passwd', hard: true },
      beside: { link: `package/${UP}etc/passwd`, hard: true },
      '-rf': 'an option',
      'two\nlines': 'more than one line',
    },
  },
];

const OF_PYPI: PythonPackage[] = [
  { name: 'script', version: '1.0', isSource: true, files: { 'setup.py': PYTHON_CODE } },
  {
    name: 'backend',
    version: '1.0',
    isSource: true,
    // Nothing else is needed to build it.
    files: {
      'pyproject.toml': '[build-system]\nrequires = []\nbuild-backend = "hostile"\nbackend-path = ["."]\n',
      'hostile.py': PYTHON_CODE,
    },
  },
  { name: 'wheel', version: '1.0', files: { 'wheel_.py': '' }, requires: ['backend==1.0'] },
  {
    name: 'startup',
    version: '1.0',
    files: {
      'startup.pth': `import os; exec(${JSON.stringify(PYTHON_CODE)})\n`,
      'sitecustomize.py': PYTHON_CODE,
      'usercustomize.py': PYTHON_CODE,
      'innocent.py': 'NAME = "innocent"\n',
    },
  },
  { name: 'up', version: '1.0', files: { 'up.py': '', [`${UP}tmp/${MARK}`]: 'up' } },
  { name: 'root', version: '1.0', files: { 'root.py': '', [`/tmp/${MARK}`]: 'from the root' } },
  {
    name: 'data',
    version: '1.0',
    files: { 'data.py': '', [`data-1.0.data/data/${UP}tmp/${MARK}`]: 'up from the files beside the modules' },
  },
  {
    name: 'program',
    version: '1.0',
    files: {
      'program.py': '',
      'program-1.0.dist-info/entry_points.txt': `[console_scripts]\n${UP}tmp/${MARK} = program:main\n`,
    },
  },
  {
    name: 'links',
    version: '1.0',
    files: { 'links.py': '', password: { linkTo: '/etc/passwd' }, around: { linkTo: '../..' } },
  },
  { name: 'through', version: '1.0', files: { out: { linkTo: '/tmp' }, [`out/${MARK}`]: 'through a link' } },
  { name: 'deep', version: '1.0', files: { 'deep.py': '', [`${'d/'.repeat(2_500)}file`]: 'deep' } },
];

describe('packages of an enemy', () => {
  const registry = new NpmPackages(OF_NPM);
  const index = new PackageIndex(OF_PYPI);
  let bench: Workbench;
  let runtime: PooledRuntime;

  beforeAll(async () => {
    await Promise.all([registry.listen(), index.listen()]);
    bench = new Workbench({ layerRegistries: { npm: registry.url, pip: index.url } });
    runtime = new PooledRuntime(bench.isolation, {
      concurrency: 1,
      limits: RUN_LIMITS,
      poolSize: 0,
      forkServer: 'off',
    });
    expect(await runtime.probe()).toMatchObject({ available: true });
  });
  afterEach(() => {
    expect(bench.left()).toEqual([]);
    expect(marksOnThisMachine()).toEqual([]);
    expect([...registry.requests, ...index.requests].filter((path) => path.includes('ran'))).toEqual([]);
  });
  afterAll(async () => {
    registry.close();
    index.close();
    await runtime.close();
    await bench.close();
  });

  /** Wherever an installer, the copy of a layer or the host itself could have followed a path of a package to. */
  function marksOnThisMachine(): string[] {
    const places = ['/', '/work', '/home', homedir(), tmpdir(), '/tmp', '/var/tmp', '/var/lib'];
    const near = (place: string): string[] => found(place, ['-maxdepth', '2']);
    return [...new Set([...places.flatMap(near), ...found(bench.directory, [])])].sort();
  }
  function found(place: string, bounds: readonly string[]): string[] {
    const options = ['-xdev', '-name', `*${MARK}*`, '-print'];
    // Other tests remove their files at the same time, which `find` reports as errors.
    const command = 'find "$@" 2> /dev/null || true';
    const text = execFileSync('sh', ['-c', command, 'sh', place, ...bounds, ...options], { encoding: 'utf8' });
    // In a layer, a name harms nobody.
    return text.split('\n').filter((path) => path !== '' && !path.includes('/.package-layers/'));
  }

  async function layerOf(ecosystem: Ecosystem, name: string): Promise<string> {
    const { layers } = bench.builds;
    const lock = await layers.lock(ecosystem, [name], SIGNAL);
    await layers.install(lock, BOUNDS, SIGNAL);
    const lease = await layers.lease(lock);
    lease!.release();
    return lease!.directory;
  }

  /** The kind and mode of everything in a layer, by its path. */
  function listing(directory: string): Record<string, string> {
    const text = execFileSync('find', [directory, '-mindepth', '1', '-printf', '%P\t%y%m\\0'], { encoding: 'utf8' });
    const lines = text.split('\0').filter((line) => line !== '');
    return Object.fromEntries(lines.map((line) => line.split('\t') as [string, string]));
  }

  const run = async (directory: string, code: string, more: Partial<SandboxRun> = {}): Promise<string> => {
    const limits = { ...RUN_LIMITS, processes: PROCESSES };
    const packages = { directory };
    const { stdout, stderr } = await runtime.run({
      id: 'exe_packages',
      language: 'python',
      code,
      stdin: '',
      limits,
      packages,
      ...more,
    });
    return `${stdout}${stderr}`;
  };

  it('run no script of theirs when npm installs them, nor one of what they bring or are built from', async () => {
    const files = listing(await layerOf('npm', 'scripted@1.0.0'));
    expect(Object.keys(files).sort()).toEqual([
      ...['deeper', 'deeper/index.js', 'deeper/node_modules', 'deeper/node_modules/bundled'],
      ...['deeper/node_modules/bundled/package.json', 'deeper/package.json', 'native', 'native/binding.gyp'],
      ...['native/package.json', 'scripted', 'scripted/.npmrc', 'scripted/index.js', 'scripted/package.json'],
    ]);
  });

  it('write nothing outside of their directory from a tarball, and leave no link in it', async () => {
    const files = listing(await layerOf('npm', 'paths@1.0.0'));
    expect(new Set(Object.values(files))).toEqual(new Set(['d755', 'f644']));
    expect(Object.keys(files).filter((path) => path !== 'paths' && !path.startsWith('paths/'))).toEqual([]);
    expect(Object.keys(files)).toEqual(expect.arrayContaining(['paths/index.js', 'paths/-rf', 'paths/two\nlines']));
    expect(files['paths/password']).toBeUndefined();
  });

  it.each([
    ['a setup.py', 'script==1.0', 'script'],
    ['a build backend of its own', 'backend==1.0', 'backend'],
    ['a wheel that depends on one of these', 'wheel==1.0', 'backend'],
  ])('run no code when pip looks at %s: such a package is refused', async (_what, name, refused) => {
    const failed = layerOf('pip', name);
    await expect(failed).rejects.toBeInstanceOf(PackageInstallFailed);
    await expect(failed).rejects.toMatchObject({
      log: expect.stringContaining(`No matching distribution found for ${refused}`) as string,
    });
  });

  it.each([
    ['that leads up', 'up==1.0'],
    ['from the root', 'root==1.0'],
    ['that leads up from the files beside its modules', 'data==1.0'],
    ['through a link', 'through==1.0'],
    ['that is longer than any path', 'deep==1.0'],
    ['that leads up as the name of a program', 'program==1.0'],
  ])('write nothing outside of their directory from a wheel with a path %s', async (_what, name) => {
    // pip refuses most of these; where it takes one, it takes it as a name in the layer.
    const outcome = await layerOf('pip', name).then(listing, (error: unknown) => error);
    if (outcome instanceof Error) expect(outcome).toBeInstanceOf(PackageInstallFailed);
    else expect(Object.values(outcome as object).filter((each) => !/^(?:d755|f644|f755)$/.test(each))).toEqual([]);
  });

  it('leave no link from a wheel', async () => {
    const files = listing(await layerOf('pip', 'links==1.0'));
    expect(files).toMatchObject({ password: 'f644', around: 'f644' });
    expect(Object.values(files).filter((each) => !/^(?:d755|f644|f755)$/.test(each))).toEqual([]);
  });

  describe('that run when any Python starts', () => {
    let directory: string;
    beforeAll(async () => {
      directory = await layerOf('pip', 'startup==1.0');
    });

    it('do not while they are installed', () => {
      expect(listing(directory)).toMatchObject({ 'startup.pth': 'f644', 'sitecustomize.py': 'f644' });
    });

    const LOOK = `
import glob, os, sys
def ran(): return len(glob.glob(os.path.expanduser("~/ran-*")))
import innocent
print(innocent.NAME, ran(), [name for name in sys.modules if "customize" in name], flush=True)
`;

    it('do not in the interpreter of a run, but in one that the run starts itself', async () => {
      const code = `${LOOK}
import subprocess
subprocess.run([sys.executable, "-c", "pass"])
print(ran() > 0)`;
      const expected = bench.isolation.countsProcesses ? 'innocent 0 []\nTrue\n' : 'innocent 0 []\n';
      expect(await run(directory, code)).toContain(expected);
    });

    it('do neither in a session nor in what answers for it, but in a Python that it starts itself', async () => {
      const sessions = new SessionProcesses(bench.isolation);
      const { mounts, environment } = packagesInside('python', directory);
      const session = await sessions.start({
        id: 'sbx_packages',
        language: 'python',
        limits: { memoryBytes: 256 * MEBIBYTE, processes: 32, filesBytes: 16 * MEBIBYTE },
        mounts,
        options: { environment },
      });
      try {
        const work = { timeoutMs: onThisMachine(10_000), outputBytes: 100_000 };
        const seen = await session.run({ ...work, code: LOOK });
        expect(`${seen.stdout}${seen.stderr}`).toBe('innocent 0 []\n');
        const started = await session.shell({ ...work, command: 'python3 -c pass; ls ~ | grep -c "^ran-"' });
        expect(started.stdout).toMatch(/^[1-9]\d*\n$/);
      } finally {
        await sessions.closeAll();
      }
    });

    it('do no harm to another run with the same packages', async () => {
      const before = listing(directory);
      const attack = `
import glob, os, shutil, sys
done = []
def attempt(name, call):
    try: call(); done.append(name)
    except OSError: pass
for place in ["/packages", *[path for path in sys.path if os.path.exists(path + "/startup.pth")]]:
    for path in (place + "/innocent.py", place + "/startup.pth"):
        attempt("write", lambda: open(path, "a"))
        attempt("unlink", lambda: os.unlink(path))
        attempt("chmod", lambda: os.chmod(path, 0o666))
        attempt("rename", lambda: os.rename(path, path + "2"))
        attempt("times", lambda: os.utime(path, (0, 0)))
        attempt("attribute", lambda: os.setxattr(path, "user.x", b"x"))
    attempt("create", lambda: open(place + "/__pycache__/innocent.cpython-311.pyc", "wb"))
    attempt("link", lambda: os.symlink("/etc/passwd", place + "/link"))
print(done)`;
      expect(await run(directory, attack)).toBe('[]\n');
      expect(listing(directory)).toEqual(before);
      expect(await run(directory, LOOK)).toBe('innocent 0 []\n');
    });

    it('are not in a run that has not asked for them', async () => {
      const other = 'import os, sys\nprint(os.path.exists("/packages/startup.pth"), "innocent" in sys.modules)';
      const { stdout } = await runtime.run({
        id: 'exe_without',
        language: 'python',
        code: other,
        stdin: '',
        limits: RUN_LIMITS,
      });
      expect(stdout).toBe('False False\n');
    });
  });
});
