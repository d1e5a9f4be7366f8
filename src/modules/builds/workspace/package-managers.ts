import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rename, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';

import { type EgressPolicy } from '../../../platform/egress/egress-policy.js';
import { type Mount } from '../../../platform/isolation/isolation-spec.js';
import { type Clock } from '../../../platform/time/clock.js';
import { type PackageManager } from '../plan/package-manager.js';
import { type BuildDirectories, makePassable, removeTree } from './build-directories.js';
import { type BuildSession } from './build-session.js';
import { CERTIFICATES, PACKAGE_MANAGER, type Toolchain } from './toolchain.js';

const REGISTRY = 'https://registry.npmjs.org/';
/** No project can have this name. */
const DIRECTORY = '.package-managers';
const MOST_KEPT = 24;
const UNUSED_DAYS = 30;
/** Entries that a running build may use are never removed: no build takes this long. */
const IN_USE_MS = 6 * 3_600_000;
const DAY_MS = 86_400_000;
const INSIDE = '/cache/new';
/** Nothing of the build is read or run: its files are read-only, and npm has its configuration from us alone. */
const ENVIRONMENT = {
  HOME: `${INSIDE}/home`,
  npm_config_cache: `${INSIDE}/home/cache`,
  npm_config_userconfig: '/dev/null',
  npm_config_globalconfig: `${INSIDE}/home/none`,
  npm_config_update_notifier: 'false',
  npm_config_fetch_retries: '1',
  npm_config_fetch_retry_mintimeout: '1000',
  npm_config_fetch_timeout: '60000',
  ...(CERTIFICATES === undefined ? {} : { NODE_EXTRA_CA_CERTS: CERTIFICATES }),
};
const FETCH =
  'node /opt/npm/bin/npm-cli.js install --ignore-scripts --no-bin-links --no-audit --no-fund --no-package-lock ' +
  '--omit=dev --omit=peer --loglevel=error "$1" && rm -rf home';

interface PackageManagersParts {
  readonly directories: BuildDirectories;
  readonly toolchain: Toolchain;
  readonly clock: Clock;
  /** Hosts of the operator that builds may reach. */
  readonly trusted: readonly string[];
  /** The address of the registry. The default is npm's. */
  readonly registry?: string;
}

/**
 * The package managers that builds of all projects share, each version fetched once. npm fetches them in isolation
 * before any code of a build runs, and checks the hashes that the registry states. Builds see them read-only.
 */
export class PackageManagers {
  constructor(private readonly parts: PackageManagersParts) {}

  /**
   * Returns the mount of a package manager. It is fetched first if necessary. When that fails, the log says so and
   * nothing is mounted: then the programs in the path of the build fetch it, from the registry of the project.
   */
  async mounts(session: BuildSession, manager: PackageManager | null): Promise<Mount[]> {
    if (manager === null) return [];
    const parent = join(await this.parts.directories.cachesDirectory(), DIRECTORY);
    const place = join(parent, `${manager.name}-${manager.version}-${process.arch}`);
    if (!(await exists(place)) && !(await this.fetch(session, manager, { parent, place }))) return [];
    const now = this.parts.clock.now();
    await utimes(place, now, now).catch(() => undefined);
    return [{ from: place, to: PACKAGE_MANAGER }];
  }

  /** Removes versions that no build has used for a month. */
  async sweep(): Promise<void> {
    const parent = join(await this.parts.directories.cachesDirectory(), DIRECTORY);
    for (const { place, unusedMs } of await this.kept(parent))
      if (unusedMs > UNUSED_DAYS * DAY_MS) await removeTree(place);
  }

  private async fetch(
    session: BuildSession,
    manager: PackageManager,
    { parent, place }: { parent: string; place: string },
  ): Promise<boolean> {
    const named = `${manager.name} ${manager.version}`;
    await makePassable(parent);
    if (!(await this.makeRoom(parent))) return false;
    session.say(`Fetching ${named} …`);
    const unfinished = join(parent, `.${randomBytes(8).toString('hex')}`);
    await mkdir(unfinished, { mode: 0o755 });
    try {
      await session.own(unfinished);
      const { exitStatus, stderr } = await session.run({
        command: ['/usr/bin/sh', '-c', FETCH, 'sh', `${packageNameOf(manager)}@${manager.version}`],
        mounts: [...(await this.parts.toolchain.ownNode()), ...(await this.parts.toolchain.npmPackage())],
        writable: [{ from: unfinished, to: INSIDE }],
        directory: INSIDE,
        environment: { ...ENVIRONMENT, npm_config_registry: this.parts.registry ?? REGISTRY },
        egress: this.egress(),
        readOnly: true,
        output: 'text',
      });
      if (exitStatus !== 0) {
        const code = /^npm (?:error|ERR!) code (\w{1,40})$/m.exec(stderr)?.[1] ?? `exit status ${exitStatus}`;
        session.say(`${named} could not be fetched in advance (${code}). It is fetched when it is called.`);
        return false;
      }
      // Another build may have been faster. Then its directory is used, and this one is removed.
      await rename(unfinished, place).catch(async (error: unknown) => {
        if (!(await exists(place))) throw error;
      });
      return true;
    } finally {
      await removeTree(unfinished);
    }
  }

  private egress(): EgressPolicy {
    return { hosts: [new URL(REGISTRY).hostname], trusted: this.parts.trusted };
  }

  /** A source can name any version, so their number is limited. */
  private async makeRoom(parent: string): Promise<boolean> {
    const kept = await this.kept(parent);
    if (kept.length < MOST_KEPT) return true;
    const [oldest] = kept.sort((a, b) => b.unusedMs - a.unusedMs);
    if (oldest === undefined || oldest.unusedMs < IN_USE_MS) return false;
    await removeTree(oldest.place);
    return true;
  }

  private async kept(parent: string): Promise<{ place: string; unusedMs: number }[]> {
    const nowMs = this.parts.clock.now().getTime();
    const names = (await readdir(parent).catch(() => [])).filter((name) => !name.startsWith('.'));
    return Promise.all(
      names.map(async (name) => {
        const place = join(parent, name);
        return { place, unusedMs: nowMs - (await stat(place)).mtimeMs };
      }),
    );
  }
}

/**
 * The packages of Bun and of pnpm 12 only choose among the packages with their program, by a script that does not run
 * here.
 */
function packageNameOf({ name, packageName, version }: PackageManager): string {
  if (name === 'bun') return `@oven/bun-linux-${process.arch === 'arm64' ? 'aarch64' : process.arch}`;
  return name === 'pnpm' && Number(version.split('.')[0]) >= 12 ? `@pnpm/exe.linux-${process.arch}` : packageName;
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
