/**
 * The programs of the system that the service needs: `node scripts/system-packages.mjs [program …]` checks them all,
 * or those named, and sees to what is missing. As root with apt, dnf or apk it says what it installs and installs it;
 * otherwise, or with SERVICE_INSTALL=never, it prints the one command to run and exits with 1. A few programs are
 * optional: they are installed where that is possible, and their absence is said in a line.
 *
 * It is the first thing a new user meets and must run before anything is installed: Node's standard library only.
 */
import { spawn, spawnSync } from 'node:child_process';
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  lstatSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { step as stepOf } from './progress.mjs';

const OLDEST_NODE = [20, 19];
const OLDEST_REDIS = [6, 2];

/** Each program, what it is for in the user's words, how to tell that it is there, and packages named otherwise. */
export const PROGRAMS = {
  bubblewrap: {
    use: 'keeps code in the sandbox apart from your machine',
    isPresent: () => findProgram('bwrap') !== undefined,
    packages: {},
  },
  'redis-server': { use: 'holds queues and limits', isPresent: hasRedis, packages: { dnf: 'redis', apk: 'redis' } },
  // Alpine has the part that serves them in a package of its own, which brings git along.
  git: {
    use: 'serves repositories',
    isPresent: () => findProgram('git') !== undefined,
    packages: { apk: 'git-daemon' },
  },
  // The sandbox shows code /usr and nothing of anyone's home, so a Python of pyenv or conda is of no use to it.
  python3: { use: 'runs Python code', isPresent: () => existsSync('/usr/bin/python3'), packages: {} },
  flock: {
    use: 'keeps two services from sharing one directory',
    isPresent: () => findProgram('flock') !== undefined,
    packages: { apt: 'util-linux', dnf: 'util-linux', apk: 'util-linux' },
  },
};

/** What the service can do without: it says so when they are missing, and starts all the same. */
export const OPTIONAL_PROGRAMS = {
  slirp4netns: { isPresent: () => findProgram('slirp4netns') !== undefined },
  nftables: { isPresent: () => findProgram('nft') !== undefined },
};
const OPTIONAL_USE = 'give app servers a network';
/** An attempt to install them that failed is not repeated sooner, because it makes every start slow. */
const RETRY_OPTIONAL_MS = 86_400_000;

const MANAGERS = {
  apt: {
    program: 'apt-get',
    install: (packages) => [
      'apt-get',
      'install',
      '-y',
      '--no-install-recommends',
      '-o',
      'DPkg::Lock::Timeout=60',
      ...packages,
    ],
    refresh: ['apt-get', 'update', '-o', 'DPkg::Lock::Timeout=60'],
    byHand: (packages) => ['apt-get update', `apt-get install -y --no-install-recommends ${packages.join(' ')}`],
  },
  dnf: {
    program: 'dnf',
    install: (packages) => ['dnf', 'install', '-y', '--setopt=install_weak_deps=False', ...packages],
    byHand: (packages) => [`dnf install -y ${packages.join(' ')}`],
  },
  apk: {
    program: 'apk',
    install: (packages) => ['apk', 'add', '--no-cache', ...packages],
    byHand: (packages) => [`apk add ${packages.join(' ')}`],
  },
};

/** What is missing, and what to do about it, in words for the user. */
export class SystemNotReady extends Error {}

/**
 * Returns when every program is there, having installed what was missing where it may.
 *
 * @param {object} [options]
 * @param {(keyof typeof PROGRAMS)[]} [options.programs] those needed; default all
 * @param {(title: string, work: () => Promise<unknown>) => Promise<unknown>} [options.step] does work that takes a
 * while and says so
 * @throws {SystemNotReady} with the command to run, when it may not or could not install.
 */
export async function ensureSystemPackages({ programs = Object.keys(PROGRAMS), step = stepOf } = {}) {
  requireNode();
  if (process.platform !== 'linux') {
    throw new SystemNotReady(
      `The service runs on Linux, and this is ${process.platform}. A container or a virtual machine will do.`,
    );
  }
  if (process.getuid() === 0) restorePolicy();
  const missing = missingOf(programs);
  if (missing.length === 0) return;

  // A Redis that is too old may be serving someone; replacing it is not ours to do.
  const old = missing.includes('redis-server') ? installedRedis() : undefined;
  if (old !== undefined) {
    throw new SystemNotReady(
      `The Redis on this machine is version ${old}, and the service needs ${OLDEST_REDIS.join('.')} or later.\n` +
        'Please install a newer one, or set REDIS_URL to a Redis server of your own.',
    );
  }
  const name = Object.keys(MANAGERS).find((key) => findProgram(MANAGERS[key].program) !== undefined);
  if (name === undefined) {
    throw new SystemNotReady(
      `${describe(missing)}\nPlease install them with your system's package manager, then try again.`,
    );
  }
  await install(name, missing, step);

  const still = missingOf(programs);
  if (still.length > 0) {
    throw new SystemNotReady(
      `${describe(still)}\nIts package was installed, but that did not help. If it is Redis: it must be ` +
        `${OLDEST_REDIS.join('.')} or later, or REDIS_URL be set.`,
    );
  }
}

/**
 * Installs what the service can do without, where it may. It never fails: what is missing then is said in a line.
 *
 * @param {object} [options]
 * @param {(title: string, work: () => Promise<unknown>) => Promise<unknown>} [options.step]
 */
export async function installOptionalPackages({ step = stepOf } = {}) {
  const missing = missingOf(Object.keys(OPTIONAL_PROGRAMS), OPTIONAL_PROGRAMS);
  const name = Object.keys(MANAGERS).find((key) => findProgram(MANAGERS[key].program) !== undefined);
  if (missing.length === 0 || process.platform !== 'linux') return;

  if (
    name !== undefined &&
    process.getuid() === 0 &&
    process.env.SERVICE_INSTALL !== 'never' &&
    !failedLately(missing)
  ) {
    const title = `Installing ${missing.join(', ')} with ${MANAGERS[name].program}, which ${OPTIONAL_USE}`;
    await step(title, () => installWith(MANAGERS[name], missing));
  }
  const still = missingOf(missing, OPTIONAL_PROGRAMS);
  if (still.length === 0) return;
  rememberFailure(missing);
  const byHand = name === undefined ? [] : MANAGERS[name].byHand(still).map(asRoot);
  const how = byHand.length === 0 ? '' : ` To install them: ${byHand.join(' && ')}`;
  console.error(`Without ${still.join(' and ')}, which ${OPTIONAL_USE}, app servers reach no network.${how}`);
}

const failureOf = (missing) => join(tmpdir(), `service-platform-without-${missing.join('-')}`);

function failedLately(missing) {
  try {
    return Date.now() - lstatSync(failureOf(missing)).mtimeMs < RETRY_OPTIONAL_MS;
  } catch {
    return false;
  }
}

function rememberFailure(missing) {
  if (process.getuid() !== 0 || failedLately(missing)) return;
  try {
    rmSync(failureOf(missing), { force: true });
    // Anyone may put a link there, which is never followed.
    writeFileSync(failureOf(missing), '', { flag: 'wx' });
  } catch {
    // The next start tries again.
  }
}

const asRoot = (command) => (process.getuid() === 0 ? command : `sudo ${command}`);

async function install(name, missing, step) {
  const manager = MANAGERS[name];
  const packages = missing.map((program) => PROGRAMS[program].packages[name] ?? program);
  const command = manager.byHand(packages).map(asRoot).join(' && ');
  if (process.getuid() !== 0 || process.env.SERVICE_INSTALL === 'never') {
    throw new SystemNotReady(`${describe(missing)}\n\nPlease run this, then try again:\n\n  ${command}\n`);
  }

  const failure = await step(
    `Installing ${packages.join(', ')} with ${manager.program} (only this once; SERVICE_INSTALL=never leaves it ` +
      'to you)',
    () =>
      name === 'apt' ? withoutServiceStarts(() => installWith(manager, packages)) : installWith(manager, packages),
  );
  if (failure !== undefined) {
    throw new SystemNotReady(`${failure}\n\nThat did not work. Please see to it, for example with:\n\n  ${command}\n`);
  }
  if (name === 'apt' && packages.includes('redis-server')) await keepRedisFromBooting();
}

/** @throws {SystemNotReady} when Node is too old. */
export function requireNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1])) return;
  throw new SystemNotReady(
    `This is Node ${process.versions.node}, and the service needs ${OLDEST_NODE.join('.')} or later. Please ` +
      'install a newer Node.',
  );
}

function missingOf(programs, known = PROGRAMS) {
  return programs.filter((program) => !known[program].isPresent());
}

function describe(missing) {
  const lines = missing.map((program) => `  ${program}, which ${PROGRAMS[program].use}`);
  return `The service needs a little more from this system:\n\n${lines.join('\n')}`;
}

/** Undefined when all went well, else what the package manager said. */
async function installWith(manager, packages) {
  const first = await run(manager.install(packages));
  if (first.ok || manager.refresh === undefined) return first.ok ? undefined : first.output;

  // Only then: with fresh lists the detour would cost every user some seconds.
  const refresh = await run(manager.refresh);
  const second = await run(manager.install(packages));
  return second.ok ? undefined : `${refresh.ok ? '' : refresh.output}${second.output}`;
}

function run([program, ...args]) {
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', NEEDRESTART_SUSPEND: '1', LC_ALL: 'C' },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  return new Promise((resolve) => {
    child.on('error', ({ message }) => resolve({ ok: false, output: message }));
    child.on('close', (status) => resolve({ ok: status === 0, output }));
  });
}

const POLICY = '/usr/sbin/policy-rc.d';
const SAVED_POLICY = `${POLICY}.before-service-platform`;
const OUR_POLICY = /^# Written by service-platform, process (\d+)/m;

/**
 * Debian starts a server as soon as its package is installed, unless /usr/sbin/policy-rc.d says no. For the time of
 * the installation it does, and what was there comes back afterwards. Should we be killed in between, our policy sees
 * that we are gone and steps aside by itself; the next call removes it.
 */
async function withoutServiceStarts(work) {
  if (spawnSync(POLICY, ['redis-server', 'start'], { stdio: 'ignore' }).status === 101) return work();

  // Ctrl-C reaches the package manager as well. We must live on for the moment it takes to clean up.
  let interrupted = false;
  const remember = () => {
    interrupted = true;
  };
  process.on('SIGINT', remember).on('SIGTERM', remember);
  try {
    if (existsSync(POLICY)) renameSync(POLICY, SAVED_POLICY);
    const lines = [
      '#!/bin/sh',
      `# Written by service-platform, process ${process.pid}, while it installs packages. Safe to remove.`,
      `[ -e /proc/${process.pid}/exe ] && exit 101`,
      `[ -x ${SAVED_POLICY} ] && exec ${SAVED_POLICY} "$@"`,
      'exit 0',
    ];
    writeFileSync(POLICY, `${lines.join('\n')}\n`, { mode: 0o755 });
    chmodSync(POLICY, 0o755);
    return await work();
  } finally {
    restorePolicy();
    process.off('SIGINT', remember).off('SIGTERM', remember);
    if (interrupted) process.exit(130);
  }
}

/** Undoes our own policy, or that of a call that was killed; another call's that still runs stays. */
function restorePolicy() {
  const writer = existsSync(POLICY) ? OUR_POLICY.exec(readFileSync(POLICY, 'utf8'))?.[1] : undefined;
  if (writer !== undefined && (Number(writer) === process.pid || !existsSync(`/proc/${writer}/exe`))) rmSync(POLICY);
  if (existsSync(SAVED_POLICY) && !existsSync(POLICY)) renameSync(SAVED_POLICY, POLICY);
}

/**
 * The package also has the system start a Redis at the next boot, which the service has no use for: it runs one of its
 * own. There was no Redis before we installed this one, so nobody else's server is touched. A failure is of no
 * consequence: most containers boot nothing.
 */
async function keepRedisFromBooting() {
  if (findProgram('systemctl') !== undefined) await run(['systemctl', 'disable', 'redis-server.service']);
  else if (findProgram('update-rc.d') !== undefined) await run(['update-rc.d', 'redis-server', 'disable']);
}

function hasRedis() {
  const version = installedRedis()?.split('.').map(Number);
  if (version === undefined) return false;
  return version[0] > OLDEST_REDIS[0] || (version[0] === OLDEST_REDIS[0] && version[1] >= OLDEST_REDIS[1]);
}

function installedRedis() {
  const program = findProgram('redis-server') ?? findProgram('valkey-server');
  if (program === undefined) return undefined;
  return /v=([\d.]+)/.exec(spawnSync(program, ['--version'], { encoding: 'utf8' }).stdout ?? '')?.[1];
}

/** In PATH, and in the usual places that the PATH of an ordinary user may lack. */
function findProgram(name) {
  const directories = [
    ...(process.env.PATH ?? '').split(delimiter),
    '/usr/local/bin',
    '/usr/bin',
    '/bin',
    '/usr/sbin',
    '/sbin',
  ];
  return directories
    .filter((directory) => directory.startsWith('/'))
    .map((directory) => join(directory, name))
    .find(isProgram);
}

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const named = process.argv.slice(2);
  try {
    await ensureSystemPackages(named.length > 0 ? { programs: named } : {});
    if (named.length === 0) await installOptionalPackages();
  } catch (error) {
    if (!(error instanceof SystemNotReady)) throw error;
    console.error(error.message);
    process.exit(1);
  }
}
