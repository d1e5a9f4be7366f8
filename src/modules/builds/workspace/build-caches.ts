import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, rename, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';

import { type Mount } from '../../../platform/isolation/isolation-spec.js';
import { type Clock } from '../../../platform/time/clock.js';
import { type BuildRequest } from '../build-request.js';
import { type BuildPlan } from '../plan/plan-types.js';
import { type BuildDirectories, makePassable, removeTree } from './build-directories.js';
import { type BuildSession } from './build-session.js';

/** The number of entries of each kind that are kept for each project and target. */
const MOST_ENTRIES = 3;
const UNUSED_DAYS = 14;
/** Caches outlive the disk of their build. A larger cache costs more space than the time it saves is worth. */
const LARGEST_MIB = 1_024;
const TOO_LARGE = 90;
const DAY_MS = 86_400_000;

type Owner = Pick<BuildRequest, 'projectId' | 'target' | 'branch'>;

/**
 * The caches that builds leave for the next: installed packages by a hash of the lock file, and the frameworks' own
 * caches by branch. Programs in isolation copy them. A preview may read the caches of production builds, but a
 * production build never reads those of previews.
 */
export class BuildCaches {
  /** Caches that are being saved now, by project. */
  private readonly keeping = new Map<string, Promise<void>>();

  constructor(
    private readonly directories: BuildDirectories,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns the mount of the installed packages for a build, or null. It waits for the previous build to save its
   * caches, because installing again takes longer.
   */
  async modules(owner: Owner, plan: BuildPlan): Promise<Mount | null> {
    await this.keeping.get(owner.projectId);
    const targets = owner.target === 'production' ? (['production'] as const) : (['preview', 'production'] as const);
    const modulesName = modulesNameOf(plan);
    if (modulesName === null) return null;
    const modules = await Promise.all(targets.map((target) => this.entry(owner.projectId, target, modulesName)));
    return mountOf(modules, '/cache/modules');
  }

  /** Returns the mount of the framework's cache, or null. It waits as {@link modules} does. */
  async framework(owner: Owner, to: string): Promise<Mount | null> {
    await this.keeping.get(owner.projectId);
    const branches =
      owner.target === 'production' ? [] : [await this.entry(owner.projectId, 'preview', frameworkNameOf(owner))];
    const production = await Promise.all(
      (await this.namesOf(owner.projectId, 'production', 'framework')).map((name) =>
        this.entry(owner.projectId, 'production', name),
      ),
    );
    return mountOf([...branches, ...production], to);
  }

  /** Saves the caches of a build. The program that copies runs in isolation and sees no other cache. */
  async keep(session: BuildSession, owner: Owner, made: { plan: BuildPlan; ownModules: boolean }): Promise<void> {
    const before = this.keeping.get(owner.projectId);
    const done = this.copy(session, owner, made);
    const settled = Promise.allSettled([before, done]).then(() => undefined);
    this.keeping.set(owner.projectId, settled);
    try {
      await done;
    } finally {
      void settled.then(() => {
        if (this.keeping.get(owner.projectId) === settled) this.keeping.delete(owner.projectId);
      });
    }
  }

  private async copy(
    session: BuildSession,
    owner: Owner,
    { plan, ownModules }: { plan: BuildPlan; ownModules: boolean },
  ): Promise<void> {
    const modulesName = ownModules ? modulesNameOf(plan) : null;
    if (modulesName !== null && plan.install !== null) {
      await this.save(session, owner, { name: modulesName, from: plan.install.directory, paths: ['node_modules'] });
    }
    const { within, paths } = plan.frameworkCaches;
    if (paths.length > 0) {
      await this.save(session, owner, { name: frameworkNameOf(owner), from: within, paths, replace: true });
    }
  }

  private async save(
    session: BuildSession,
    owner: Owner,
    what: { name: string; from: string; paths: readonly string[]; replace?: boolean },
  ): Promise<void> {
    const parent = join(await this.directories.cachesDirectory(), owner.projectId, owner.target);
    const place = join(parent, what.name);
    if (what.replace !== true && (await exists(place))) return;
    await makePassable(join(parent, '..'));
    await makePassable(parent);
    const unfinished = join(parent, `.${randomBytes(8).toString('hex')}`);
    await mkdir(unfinished, { mode: 0o755 });
    try {
      await session.own(unfinished);
      const size = '$(du -skc -- "$@" 2>/dev/null | tail -n 1 | cut -f 1)';
      const fits = `[ "${size}" -le ${LARGEST_MIB * 1_024} ] || exit ${TOO_LARGE}; `;
      const copy =
        'for path in "$@"; do [ -d "$path" ] || continue; ' +
        'mkdir -p "/cache/new/$(dirname "$path")" && cp -a "$path" "/cache/new/$path" || exit 1; done';
      const { exitStatus } = await session.run({
        command: ['/usr/bin/sh', '-c', fits + copy, 'sh', ...what.paths],
        directory: what.from,
        writable: [{ from: unfinished, to: '/cache/new' }],
        output: 'text',
      });
      if (exitStatus === TOO_LARGE) {
        session.say(`The cache of ${what.paths.join(', ')} is not kept because it exceeds ${LARGEST_MIB} MiB.`);
        await removeTree(unfinished);
        return;
      }
      if (exitStatus !== 0) throw new Error('a cache could not be copied');
      const old = (await exists(place)) ? `${unfinished}-old` : null;
      if (old !== null) await rename(place, old);
      await rename(unfinished, place);
      if (old !== null) await removeTree(old);
    } catch (error) {
      await removeTree(unfinished);
      throw error;
    }
    await this.prune(owner, what.name.split('-')[0]!);
  }

  private async entry(projectId: string, target: string, name: string): Promise<string | null> {
    const path = join(await this.directories.cachesDirectory(), projectId, target, name);
    if (!(await exists(path))) return null;
    // This marks the entry as used. The host created the directory itself, so that no link is followed.
    const now = this.clock.now();
    await utimes(path, now, now).catch(() => undefined);
    return path;
  }

  private async prune({ projectId, target }: Owner, kind: string): Promise<void> {
    const parent = join(await this.directories.cachesDirectory(), projectId, target);
    const names = await this.namesOf(projectId, target, kind);
    for (const name of names.slice(MOST_ENTRIES)) await removeTree(join(parent, name));
  }

  /** Removes caches that no build has used for two weeks. */
  async sweep(): Promise<void> {
    const caches = await this.directories.cachesDirectory();
    for (const projectId of await namesIn(caches)) {
      for (const target of ['production', 'preview']) {
        const parent = join(caches, projectId, target);
        for (const name of await namesIn(parent)) {
          const { mtimeMs } = await stat(join(parent, name));
          if (this.clock.now().getTime() - mtimeMs > UNUSED_DAYS * DAY_MS) await removeTree(join(parent, name));
        }
      }
    }
  }

  /** Names of entries, the most recently used first. */
  private async namesOf(projectId: string, target: string, kind: string): Promise<string[]> {
    const parent = join(await this.directories.cachesDirectory(), projectId, target);
    const names = (await namesIn(parent)).filter((name) => name.startsWith(`${kind}-`));
    const aged = await Promise.all(
      names.map(async (name) => ({ name, usedMs: (await stat(join(parent, name))).mtimeMs })),
    );
    return aged.sort((a, b) => b.usedMs - a.usedMs).map(({ name }) => name);
  }
}

/** Null when packages are not kept. */
function modulesNameOf({ install, nodeVersion }: BuildPlan): string | null {
  if (install?.cacheKey == null) return null;
  return `modules-${hashOf(install.cacheKey, install.command, install.directory, nodeVersion ?? '', process.arch)}`;
}

const frameworkNameOf = ({ branch }: Owner): string => `framework-${hashOf(branch)}`;

const hashOf = (...parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);

function mountOf(entries: readonly (string | null)[], to: string): Mount | null {
  const from = entries.find((entry) => entry !== null);
  return from === undefined ? null : { from, to };
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

async function namesIn(path: string): Promise<string[]> {
  return readdir(path).catch(() => []);
}
