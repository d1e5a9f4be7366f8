import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { PROJECT_ROOT } from '../../src/platform/version.js';
import { command, type ContainerEngine } from './container-engine.js';

export const SERVICE_IMAGE = 'localhost/service-platform';
/** Debian with what the image of PostgreSQL and that of Redis would bring; for tests alone. */
export const SERVERS_IMAGE = 'localhost/servers';
const NODE_IMAGE = 'localhost/node';
const BASE_WITHIN_MS = 400_000;
const BUILD_WITHIN_MS = 600_000;
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';

const SUITE = 'bookworm';
const WITHOUT = ['/usr/share/doc/*', '/usr/share/man/*', '/usr/share/locale/*'];
/** The npm that Node 24 comes with, by its major version. */
const NPM = 'npm@11';

/** What the official image of Node has, made of Debian's packages, the pinned Node, and npm from npm. */
const NODE_STEPS = `FROM scratch
ADD base.tar /
COPY node /usr/local/bin/node
COPY npm /usr/local/lib/node_modules/npm
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm \\
  && ln -s ../lib/node_modules/npm/bin/npx-cli.js /usr/local/bin/npx \\
  && groupadd --gid 1000 node \\
  && useradd --uid 1000 --gid node --shell /bin/bash --create-home node
CMD ["node"]
`;

const SERVERS_STEPS = `FROM ${NODE_IMAGE}
RUN apt-get update && apt-get install -y --no-install-recommends postgresql redis-server \\
  && rm -rf /var/lib/apt/lists/*
`;

/** Base images are kept in `CONTAINER_CACHE`, by default below the user's directory of caches. */
function cacheDirectory(): string {
  const caches = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  return process.env['CONTAINER_CACHE'] ?? join(caches, 'service-platform/containers');
}

/** Named by what it is made of. A month makes it old: what Debian has mended since would be fetched by each build. */
function basePath(): string {
  const inputs = [SUITE, process.arch, ...WITHOUT, NODE_STEPS, new Date().toISOString().slice(0, 7)];
  const name = createHash('sha256').update(JSON.stringify(inputs)).digest('hex').slice(0, 16);
  return join(cacheDirectory(), `base-${name}.tar`);
}

export function hasBase(): boolean {
  return existsSync(basePath());
}

/** Makes the base with the machine's own sources of packages, unless there is one. @throws {Error} when it cannot. */
export async function makeBase(): Promise<void> {
  if (hasBase()) return;
  const directory = cacheDirectory();
  mkdirSync(directory, { recursive: true });
  const fresh = join(directory, `fresh-${process.pid}.tar`);
  const made = await command(
    'mmdebstrap',
    [
      '--quiet',
      '--variant=minbase',
      '--include=ca-certificates',
      ...WITHOUT.map((pattern) => `--dpkgopt=path-exclude=${pattern}`),
      SUITE,
      fresh,
    ],
    { withinMs: BASE_WITHIN_MS },
  );
  if (made.status !== 0) {
    rmSync(fresh, { force: true });
    throw new Error(`mmdebstrap ended with ${made.status}: ${made.stderr.slice(-2_000)}`);
  }
  for (const old of readdirSync(directory).filter((name) => name.startsWith('base-'))) rmSync(join(directory, old));
  renameSync(fresh, basePath());
}

/** Builds the image that stands for `node:24-bookworm-slim`. */
export async function buildNodeImage(engine: ContainerEngine): Promise<void> {
  const context = mkdtempSync(join(engine.directory, 'node-'));
  copyFileSync(basePath(), join(context, 'base.tar'));
  linkOrCopy(join(PROJECT_ROOT, `node_modules/node-linux-${process.arch}/bin/node`), join(context, 'node'));
  const packed = await command('npm', ['pack', '--silent', NPM], { cwd: context });
  if (packed.status !== 0) throw new Error(`npm pack ${NPM}: ${packed.stderr}`);
  mkdirSync(join(context, 'npm'));
  await command('tar', ['xzf', packed.stdout.trim(), '-C', 'npm', '--strip-components=1'], { cwd: context });
  writeFileSync(join(context, 'Dockerfile'), NODE_STEPS);
  await buildImage(engine, ['--tag', NODE_IMAGE, context]);
  rmSync(context, { recursive: true });
}

/** Builds deploy/Dockerfile of this checkout, with the registry, certificates and cache of this machine's npm. */
export async function buildServiceImage(engine: ContainerEngine): Promise<void> {
  const setting = async (name: string): Promise<string> =>
    (await command('npm', ['config', 'get', name], { cwd: engine.directory })).stdout.trim();
  const cache = join(await setting('cache'), '_cacache');
  mkdirSync(cache, { recursive: true });
  const lines = [`registry=${await setting('registry')}`, 'cache=/run/npm-cache', 'prefer-offline=true'];
  const volumes = [`${cache}:/run/npm-cache/_cacache`];
  if (existsSync(CERTIFICATES)) {
    lines.push('cafile=/run/host-certificates.crt');
    volumes.push(`${CERTIFICATES}:/run/host-certificates.crt:ro`);
  }
  const settings = join(engine.directory, 'npmrc');
  writeFileSync(settings, `${lines.join('\n')}\n`, { mode: 0o600 });
  await buildImage(engine, [
    ...volumes.flatMap((volume) => ['--volume', volume]),
    ...['--secret', `id=npmrc,src=${settings}`, '--build-arg', `NODE_IMAGE=${NODE_IMAGE}`],
    ...['--file', join(PROJECT_ROOT, 'deploy/Dockerfile'), '--tag', SERVICE_IMAGE, PROJECT_ROOT],
  ]);
}

/** Builds the image that stands for those of PostgreSQL and Redis. */
export async function buildServersImage(engine: ContainerEngine): Promise<void> {
  const context = mkdtempSync(join(engine.directory, 'servers-'));
  writeFileSync(join(context, 'Dockerfile'), SERVERS_STEPS);
  await buildImage(engine, ['--tag', SERVERS_IMAGE, context]);
}

/** Builds in the format of Docker, because that of OCI has no health check. */
export async function buildImage(engine: ContainerEngine, args: readonly string[]): Promise<void> {
  const limits = /^Max open files\s+\S+\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? '1024';
  await engine.podman(
    [
      'build',
      '--format',
      'docker',
      '--layers=false',
      '--network',
      'host',
      '--ulimit',
      `nofile=${limits}:${limits}`,
      ...args,
    ],
    { withinMs: BUILD_WITHIN_MS },
  );
}

function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to);
  }
}
