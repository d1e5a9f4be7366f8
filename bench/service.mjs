/** The service in role `all` on a data directory of its own, with a person who has a key, for measurements of it. */
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));
const TICKS_PER_SECOND = 100;

export async function startService({ settings = {}, node = [], pinned = false } = {}) {
  const dataDir = mkdtempSync(join(tmpdir(), 'bench-service-'));
  chmodSync(dataDir, 0o711);
  const port = await freePort();
  const log = openSync(join(dataDir, 'log'), 'w');
  const args = [...node, join(ROOT, 'dist/src/main.js'), 'all'];
  const child = spawn(pinned ? 'taskset' : process.execPath, pinned ? ['-c', '0', process.execPath, ...args] : args, {
    cwd: ROOT,
    env: {
      PATH: process.env.PATH,
      PORT: String(port),
      DATA_DIR: dataDir,
      DEFAULT_PLAN: 'enterprise',
      SANDBOX_ENABLED: 'false',
      DRAIN_DELAY_MS: '0',
      // Others may use the port that is the default.
      DATABASES_PORT: String(await freePort()),
      ...settings,
    },
    stdio: ['ignore', log, log],
  });
  const url = `http://127.0.0.1:${port}`;
  const stop = async () => {
    if (child.exitCode === null) {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
    rmSync(dataDir, { recursive: true, force: true });
  };
  while (
    !(await fetch(`${url}/ready`).then(
      ({ ok }) => ok,
      () => false,
    ))
  ) {
    if (child.exitCode !== null) throw new Error(readFileSync(join(dataDir, 'log'), 'utf8').slice(-4_000));
    await sleep(50);
  }
  let token;
  const call = async (method, path, body) => {
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text).data;
  };
  const text = async (path) =>
    (await fetch(`${url}/api/v1${path}`, { headers: { authorization: `Bearer ${token}` } })).text();
  token = (
    await call('POST', '/auth/sign-up', { username: 'ada', email: 'ada@example.org', password: 'a-long-enough-secret' })
  ).session_token;
  token = (await call('POST', '/keys', { name: 'bench' })).secret;
  return {
    pid: child.pid,
    port,
    appsPort: Number(settings.APPS_PORT ?? port + 1),
    edgePid: () => edgeOf(child.pid),
    url,
    dataDir,
    call,
    text,
    stop,
    gitUrl: (name) => `http://any:${token}@127.0.0.1:${port}/git/ada/${name}.git`,
  };
}

/** The process that answers under the hosts of deploys; another one after it has died. */
const edgeOf = (supervisor) =>
  descendantsOf(supervisor).find((pid) => commandLineOf(pid).includes('\0edge\0--supervised'));

/** Empty for a process that has just ended. */
export function commandLineOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

/** A directory that git knows, for a repository of this service with these files; and what is needed to push. */
export async function repositoryWith(service, name, { template, files = {} }) {
  const { repo_url: repoUrl } = await service.call('POST', '/repositories', { name, ...(template && { template }) });
  const { id: project } = await service.call('POST', '/projects', { name, repo_url: repoUrl });
  const directory = join(service.dataDir, `work-${name}`);
  await git(['clone', '--quiet', service.gitUrl(name), directory]);
  await git(['checkout', '--quiet', '-B', 'main'], directory);
  write(directory, files);
  return { name, project, directory };
}

export function write(directory, files) {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), content);
  }
}

const seen = new Set();

/**
 * Commits and pushes all there is; resolves with the deploy once it is over, and how long that took from the push on.
 */
export async function pushAndWait(service, { project, directory }, everyMs = 20) {
  await git(['add', '.'], directory);
  await git(['commit', '--quiet', '--allow-empty', '-m', 'A change'], directory);
  const sha = (await git(['rev-parse', 'HEAD'], directory)).trim();
  const from = performance.now();
  await git(['push', '--quiet', 'origin', 'HEAD:main'], directory);
  for (;;) {
    // A push ends when its deploy is queued, which learns its commit later.
    const found = (await service.call('GET', `/projects/${project}/deploys?limit=1`)).find(({ id }) => !seen.has(id));
    if (found === undefined) {
      await sleep(everyMs);
      continue;
    }
    seen.add(found.id);
    // Its log ends with it, so that nothing is asked meanwhile that would take time from it.
    await service.text(`/deploys/${found.id}/logs`);
    const ms = performance.now() - from;
    const deploy = await service.call('GET', `/deploys/${found.id}`);
    if (deploy.commit !== null && deploy.commit.sha !== sha) continue;
    if (deploy.state === 'ready') return { deploy, ms };
    throw new Error(
      `The deploy ended as ${deploy.state}: ${JSON.stringify(deploy.error)}\n${await logOf(service, deploy.id)}`,
    );
  }
}

const logOf = async (service, id) => (await service.text(`/deploys/${id}/logs?follow=false`)).slice(-3_000);

export function git(args, cwd) {
  return run('git', args, {
    cwd,
    env: {
      PATH: process.env.PATH,
      HOME: tmpdir(),
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_TERMINAL_PROMPT: '0',
      GIT_AUTHOR_NAME: 'A',
      GIT_AUTHOR_EMAIL: 'a@b.c',
      GIT_COMMITTER_NAME: 'A',
      GIT_COMMITTER_EMAIL: 'a@b.c',
    },
  });
}

export async function run(command, args, options = {}) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
  let [out, said] = ['', ''];
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    said += chunk;
  });
  const [code] = await once(child, 'close');
  if (code !== 0)
    throw new Error(`${command} ${args.join(' ')} ended with ${code}: ${said.slice(-2_000)}${out.slice(-2_000)}`);
  return out;
}

/** Asks for a host of an app, as a browser does that was led here by its name. */
export function visit(port, host, path = '/') {
  return new Promise((resolve, reject) => {
    const from = performance.now();
    request({ host: '127.0.0.1', port, path, headers: { host }, agent: false }, (response) => {
      let bytes = 0;
      response.on('data', (chunk) => {
        bytes += chunk.length;
      });
      response.on('end', () => {
        resolve({ status: response.statusCode, bytes, ms: performance.now() - from });
      });
    })
      .on('error', reject)
      .end();
  });
}

/**
 * User and system time of these processes so far, in seconds; with `andOfEnded` also that of their children which are
 * no more.
 */
export const cpuOf = (pids, { andOfEnded = false } = {}) =>
  pids.reduce((sum, pid) => {
    const fields = statOf(pid);
    const ended = andOfEnded ? Number(fields[13]) + Number(fields[14]) : 0;
    return sum + (Number(fields[11]) + Number(fields[12]) + ended) / TICKS_PER_SECOND;
  }, 0);

/** One that has just ended has its time with its parent. */
function statOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ');
  } catch {
    return Array.from({ length: 15 }, () => 0);
  }
}

export const childrenOf = (pid) =>
  readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .filter((entry) => {
      try {
        return (
          Number(
            readFileSync(`/proc/${entry}/stat`, 'utf8')
              .replace(/^.*\) /, '')
              .split(' ')[1],
          ) === pid
        );
      } catch {
        return false;
      }
    })
    .map(Number);

export const descendantsOf = (pid) => childrenOf(pid).flatMap((child) => [child, ...descendantsOf(child)]);

/** Returns a field of a file in /proc, converted from KiB to MiB. */
export const mebibytesOf = (pid, file, name) => {
  try {
    return (
      Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(readFileSync(`/proc/${pid}/${file}`, 'utf8'))?.[1] ?? 0) /
      1_024
    );
  } catch {
    return 0;
  }
};

export const sorted = (values) => [...values].sort((one, other) => one - other);
export const quantile = (values, share) =>
  sorted(values)[Math.min(values.length - 1, Math.floor(share * values.length))];
export const median = (values) => quantile(values, 0.5);

/** Above are the ports of outgoing connections, one of which may take the port before a server starts on it again. */
const FREE_PORTS = [12_000, 32_768];

/** Returns a port that nothing listens on now, and that no outgoing connection takes. */
export async function freePort() {
  for (;;) {
    const port = randomInt(...FREE_PORTS);
    const probe = createServer().listen(port);
    const isFree = await once(probe, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    probe.close();
    await once(probe, 'close');
    return port;
  }
}
