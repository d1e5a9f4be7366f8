import { spawn } from 'node:child_process';

import { bubblewrapArguments } from './bubblewrap.js';
import { CgroupsV1 } from './cgroups/cgroup-v1.js';
import { CgroupsV2 } from './cgroups/cgroup-v2.js';
import { NoCgroups } from './cgroups/no-cgroups.js';
import { ownCgroups } from './cgroups/own-cgroups.js';
import { DescriptorShield } from './descriptor-shield.js';
import { type HostUser, HostUsers } from './host-users.js';
import { IsolatedProcess } from './isolated-process.js';
import { type IsolationSpec } from './isolation-spec.js';
import { launchScript } from './launch-script.js';
import { libraryPaths } from './library-mounts.js';
import { OrphanWatch } from './orphan-watch.js';
import { findBubblewrap, missingPrerequisites } from './prerequisites.js';
import { ReachableFiles } from './reachable-files.js';
import { type ResourceGroup, type ResourceGroups } from './resource-group.js';
import { type Architecture } from './seccomp/bpf.js';
import { seccompFilter } from './seccomp/filter.js';

/** bubblewrap, its init, and the shell before it. */
const TASKS_AROUND = 3;

const DEFAULT_START_TIMEOUT_MS = 10_000;

export interface IsolationOptions {
  /** `off` bounds memory by RLIMIT_DATA even where a cgroup could be had. */
  readonly cgroups: 'auto' | 'off';
  /** Root's own directory for copies of files that a sandbox's user could not reach where they are. */
  readonly copiesDirectory: string;
  readonly startTimeoutMs?: number;
  /** Where to look for bubblewrap instead of the usual places. */
  readonly bubblewrapPlaces?: readonly string[];
}

/**
 * Runs untrusted programs: no network, no files but the mounts, a user that is no one, bounded in everything.
 *
 * The host exchanges pipes with them and never opens, writes or changes a path that they could influence: the three
 * escapes published for Judge0 (CVE-2024-28185, -28189, -29021) were all one of these.
 */
export class Isolation {
  private readonly bubblewrap: string | null;
  private readonly architecture: Architecture = process.arch === 'arm64' ? 'arm64' : 'x64';
  private readonly seccomp = seccompFilter({ architecture: this.architecture, processes: 'threads' });
  private readonly libraries = libraryPaths(this.architecture);
  private readonly users = new HostUsers(process.getuid?.() ?? 0);
  private readonly files: ReachableFiles;
  private readonly groups: ResourceGroups;
  private readonly shield = new DescriptorShield();
  private readonly alive = new Set<IsolatedProcess>();
  private readonly orphans = new OrphanWatch();
  private closed = false;

  constructor(private readonly options: IsolationOptions) {
    this.bubblewrap = findBubblewrap(options.bubblewrapPlaces);
    this.groups = options.cgroups === 'off' ? new NoCgroups() : bestGroups();
    this.files = new ReachableFiles({ directory: options.copiesDirectory, otherUser: this.users.canSwitch });
  }

  /** How memory and processes are bounded here. */
  get mode(): ResourceGroups['mode'] {
    return this.groups.mode;
  }

  /** How many sandboxes can live at a time. */
  get capacity(): number {
    return this.users.canSwitch ? this.users.count : Infinity;
  }

  /** What this machine lacks, each as the thing to install or set; to be asked before the first start. */
  missing(): string[] {
    return missingPrerequisites({ bubblewrap: this.bubblewrap, otherUser: this.users.canSwitch });
  }

  /** Removes what services that were killed have left behind. */
  async sweep(): Promise<void> {
    await this.groups.sweep();
  }

  /** A path to the file that a sandbox can walk: itself or, if need be, a copy. */
  async reachable(path: string): Promise<string> {
    return this.files.reachable(path);
  }

  /**
   * Starts a sandbox whose program then waits for its work.
   *
   * @throws {IsolationDidNotStart} when it does not come up.
   */
  async start(spec: IsolationSpec): Promise<IsolatedProcess> {
    if (this.closed) throw new Error('The isolation is closed.');
    if (this.bubblewrap === null) throw new Error('bubblewrap is not installed.');

    const started = this.spawn(spec, this.bubblewrap);
    await started.started(this.options.startTimeoutMs ?? DEFAULT_START_TIMEOUT_MS);
    return started;
  }

  /** Ends every sandbox. */
  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    await Promise.all([...this.alive].map((each) => each.destroy()));
    this.orphans.close();
    await this.groups.close();
    this.shield.close();
  }

  private spawn(spec: IsolationSpec, bubblewrap: string): IsolatedProcess {
    const tasks = spec.limits.tasks + TASKS_AROUND;
    const user = this.users.canSwitch ? this.users.lend() : null;
    const giveBack = (): void => { if (user !== null) this.users.takeBack(user); };
    try {
      const group = this.groups.create({ memoryBytes: spec.limits.memoryBytes, tasks });
      const child = this.spawnChild({ spec, bubblewrap, tasks, user, group });
      const { pid } = child;
      if (pid !== undefined) this.orphans.add(pid);
      const started: IsolatedProcess = new IsolatedProcess({
        child,
        group,
        limits: spec.limits,
        seccomp: this.seccomp,
        onGone: () => {
          this.alive.delete(started);
          if (pid !== undefined) this.orphans.remove(pid);
          giveBack();
        },
      });
      this.alive.add(started);
      return started;
    } catch (error) {
      giveBack();
      throw error;
    }
  }

  private spawnChild({ spec, bubblewrap, tasks, user, group }: SpawnParts): ReturnType<typeof spawn> {
    const script = launchScript({ limits: spec.limits, tasks, cgroups: group.entrances.length, ownUser: user !== null });
    try {
      return spawn('/bin/sh', ['-c', script, 'sh', bubblewrap, ...bubblewrapArguments(spec, this.libraries)], {
        // bubblewrap's own environment stays readable inside, in /proc/1/environ, whatever it hands on.
        env: {},
        cwd: '/',
        detached: true,
        ...(user ?? {}),
        stdio: this.shield.cover(['pipe', 'pipe', 'pipe', 'pipe', 'pipe', 'pipe', 'pipe', ...group.entrances]),
      });
    } catch (error) {
      void group.remove();
      throw error;
    } finally {
      group.closeEntrances();
    }
  }
}

interface SpawnParts {
  readonly spec: IsolationSpec;
  readonly bubblewrap: string;
  readonly tasks: number;
  readonly user: HostUser | null;
  readonly group: ResourceGroup;
}

function bestGroups(): ResourceGroups {
  const own = ownCgroups();
  return CgroupsV2.find(own) ?? CgroupsV1.find(own) ?? new NoCgroups();
}
