/**
 * `npm start [-- role]`: from a fresh checkout to the running service.
 *
 * Reads `.env` if there is one (variables that are set already win), sees that the packages of npm and of the system
 * are there, builds when the sources have changed since the last build, and then runs the service in this very
 * process, on the pinned Node, so that a signal or the memory shown for it is the service's own. The role comes from
 * the first argument or from ROLE: all (the default), api, worker, migrate, seed, backup or restore. What comes after
 * it is handed on.
 *
 * A production image has all this behind it and runs `node dist/src/main.js <role>`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { runOnPinnedNode } from './pinned-node.mjs';
import { step } from './progress.mjs';
import { SystemNotReady, ensureSystemPackages, installOptionalPackages, requireNode } from './system-packages.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const MAIN = join(ROOT, 'dist/src/main.js');

/** What is built here: the code of the service, and the files of the web app. Each is built when its sources change. */
const SERVICE_BUILD = {
  title: 'Building',
  script: 'scripts/build.mjs',
  compiler: join(ROOT, 'node_modules/@swc/core'),
  sources: join(ROOT, 'src'),
  result: MAIN,
  stamp: join(ROOT, 'dist/.build-stamp'),
  inputs: ['src', 'migrations', 'package-lock.json', 'scripts/build.mjs', 'scripts/swc-options.cjs'],
};
const WEB_BUILD = {
  title: 'Building the web app',
  script: 'scripts/build-web.mjs',
  compiler: join(ROOT, 'node_modules/vite'),
  sources: join(ROOT, 'web/src'),
  result: join(ROOT, 'dist/web/app.html'),
  stamp: join(ROOT, 'dist/.web-stamp'),
  inputs: [
    'web/src',
    'web/public',
    'web/app.html',
    'web/vite.config.ts',
    'client/src',
    'package-lock.json',
    'scripts/build-web.mjs',
  ],
};

/** What each role asks of the system. Servers of our own are started by `all`, and the database by a backup of it. */
const PROGRAMS_OF_ROLE = {
  all: ['bubblewrap', 'git', 'python3'],
  api: ['git'],
  edge: ['bubblewrap'],
  worker: ['bubblewrap', 'git', 'python3'],
  databases: ['bubblewrap'],
  migrate: [],
  seed: [],
  backup: ['git'],
  restore: ['git'],
};

/** The roles that serve the web app. */
const SERVES_WEB = ['all', 'api'];

/** The roles that start servers of apps, whose network takes optional programs. */
const RUNS_APPS = ['all', 'edge', 'worker'];

try {
  requireNode();
  await runOnPinnedNode();
  const role = chooseRole();
  requireNodeModules();
  await ensureSystemPackages({ programs: programsFor(role), step });
  if (RUNS_APPS.includes(role) && process.env.APPS_NETWORK !== 'off') await installOptionalPackages({ step });
  await buildIfStale(SERVICE_BUILD);
  if (SERVES_WEB.includes(role) && existsSync(WEB_BUILD.sources)) await buildIfStale(WEB_BUILD);

  process.argv = [process.argv[0], MAIN, role, ...process.argv.slice(3)];
  await import(pathToFileURL(MAIN).href);
} catch (error) {
  if (!(error instanceof SystemNotReady)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

function chooseRole() {
  const settings = join(ROOT, '.env');
  if (existsSync(settings)) process.loadEnvFile(settings);

  // `ROLE=` means the same as leaving it out, as with all settings.
  const role = process.argv[2] ?? (process.env.ROLE || 'all');
  if (Object.hasOwn(PROGRAMS_OF_ROLE, role)) return role;
  throw new SystemNotReady(`There is no role "${role}". The roles are ${Object.keys(PROGRAMS_OF_ROLE).join(', ')}.`);
}

function requireNodeModules() {
  if (existsSync(join(ROOT, 'node_modules/@nestjs/core'))) return;
  throw new SystemNotReady('The npm packages are not installed yet. Please run this, then try again:\n\n  npm ci\n');
}

function programsFor(role) {
  const programs = [...PROGRAMS_OF_ROLE[role]];
  const { DATABASE_URL, REDIS_URL } = process.env;
  if (role === 'all' && !REDIS_URL) programs.push('redis-server');
  if (role === 'all' && !(DATABASE_URL && REDIS_URL)) programs.push('flock');
  if ((role === 'backup' || role === 'restore') && !DATABASE_URL) programs.push('flock');
  return programs;
}

async function buildIfStale(what) {
  // Without sources or compiler, as after `npm ci --omit=dev`, what was built is what runs.
  if (existsSync(what.result) && !(existsSync(what.compiler) && existsSync(what.sources))) return;
  if (isFresh(what)) return;

  const lock = openBuildLock();
  try {
    // The lock stays with our descriptor: a second start waits here and then finds the work done.
    if ((await runWith(lock, 'flock', ['-n', '3'])) === 1)
      await step('Waiting for a build that another start began', () => runWith(lock, 'flock', ['3']));
    if (!isFresh(what)) await build(what, lock);
  } finally {
    closeSync(lock);
  }
}

function openBuildLock() {
  const dist = join(ROOT, 'dist');
  try {
    mkdirSync(dist, { recursive: true });
    return openSync(join(dist, '.build-lock'), 'a');
  } catch (error) {
    throw new SystemNotReady(
      `The service must be built, and ${dist} cannot be written (${error.code}). Build it as its owner, or use a ` +
        'copy of your own.',
    );
  }
}

async function build(what, lock) {
  if (!existsSync(what.compiler)) {
    throw new SystemNotReady(
      'The service must be built, and its compiler is not installed. Please run this, then try again:\n\n  npm ci\n',
    );
  }
  // Taken before, so that what is saved during the build makes the next start build again.
  const state = fingerprint(what);
  await step(what.title, async () => {
    // It holds the lock as well: should we be killed, it writes on until it is done.
    const status = await runWith(lock, process.execPath, [join(ROOT, what.script)], 'inherit');
    if (status !== 0) throw new SystemNotReady('The build failed; see above.');
  });
  writeFileSync(what.stamp, state);
}

/** The exit status of a program that has the lock as its descriptor 3; null where it could not be started. */
async function runWith(lock, program, args, output = 'ignore') {
  const child = spawn(program, args, { cwd: ROOT, stdio: ['ignore', output, output, lock] });
  return once(child, 'close').then(
    ([status]) => status,
    () => null,
  );
}

function isFresh(what) {
  return existsSync(what.result) && existsSync(what.stamp) && readFileSync(what.stamp, 'utf8') === fingerprint(what);
}

/** Hashes names, times and sizes, so that a removed file, or one restored with its old time, counts as a change. */
function fingerprint({ inputs }) {
  const hash = createHash('sha256');
  for (const input of inputs) addTo(hash, join(ROOT, input));
  return hash.digest('hex');
}

function addTo(hash, path) {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined || path.endsWith('.spec.ts')) return;
  if (stats.isDirectory()) {
    for (const name of readdirSync(path).sort()) addTo(hash, join(path, name));
  } else {
    hash.update(`${path}\0${stats.mtimeMs}\0${stats.size}\n`);
  }
}
