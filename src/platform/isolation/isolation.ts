import assert from 'node:assert';
import { spawn } from 'node:child_process';
import { lchown } from 'node:fs/promises';

import { type ServerAccount } from '../accounts/server-account.js';
import { bubblewrapOptions, type IsolationShape } from './bubblewrap.js';
import { CgroupsV1 } from './cgroups/cgroup-v1.js';
import { CgroupsV2 } from './cgroups/cgroup-v2.js';
import { NoCgroups } from './cgroups/no-cgroups.js';
import { ownCgroups } from './cgroups/own-cgroups.js';
import { type ContainedParts } from './contained-child.js';
import { ALL_ISOLATED_WEIGHT, ORDINARY_CPU } from './cpu-share.js';
import { DescriptorShield } from './descriptor-shield.js';
import { type HostUser, HostUsers } from './host-users.js';
import { IsolatedProcess } from './isolated-process.js';
import { IsolatedProgram, OPTIONS_DESCRIPTOR } from './isolated-program.js';
import { type IsolationSpec } from './isolation-spec.js';
import { type LaunchOptions, launchScript } from './launch-script.js';
import { LISTEN_DESCRIPTOR, type LaunchSpec, type LentUser } from './launch-spec.js';
import { libraryPaths } from './library-mounts.js';
import { AttachedNetwork } from './network/attached-network.js';
import { type NetworkRules } from './network/network-rules.js';
import { NetworkTools } from './network/network-tools.js';
import { OrphanWatch } from './orphan-watch.js';
import { findBubblewrap, missingPrerequisites } from './prerequisites.js';
import { tasksOfUser } from './process-facts.js';
import { ReachableFiles } from './reachable-files.js';
import { type GroupLimits, type ResourceGroup, type ResourceGroups } from './resource-group.js';
import { type Architecture } from './seccomp/bpf.js';
import { ProgramFilters } from './seccomp/program-filters.js';

/** bubblewrap, its init, and the shell before it. */
const TASKS_AROUND = 3;
/** slirp4netns, which starts a process for a moment, and the shell before it. */
const TASKS_OF_NETWORK = 3;

const DEFAULT_START_TIMEOUT_MS = 10_000;

export interface IsolationOptions {
  /** `off` limits memory by RLIMIT_DATA even where a cgroup is available. */
  readonly cgroups: 'auto' | 'off';
  /** The weight of all isolated programs of this machine together. The default is {@link ALL_ISOLATED_WEIGHT}. */
  readonly cpuWeight?: number;
  /** Root's directory for copies of files that an isolated user could not reach where they are. */
  readonly copiesDirectory: string;
  readonly startTimeoutMs?: number;
  /** Where to look for bubblewrap instead of the usual places. */
  readonly bubblewrapPlaces?: readonly string[];
  /** The directories in which to look for the programs of a network instead of the usual ones. */
  readonly networkPlaces?: readonly string[];
}

/**
 * Runs untrusted programs without a network, with no files but the mounts, as an unprivileged user, and with limits on
 * every resource. The host exchanges pipes with them and never opens, writes or changes a path that they could
 * influence: the three published escapes of Judge0 (CVE-2024-28185, -28189, -29021) all used such a path.
 */
export class Isolation {
  private readonly bubblewrap: string | null;
  private readonly architecture: Architecture = process.arch === 'arm64' ? 'arm64' : 'x64';
  private readonly libraries = libraryPaths(this.architecture);
  private readonly serviceUid = process.getuid?.() ?? 0;
  private readonly users = new HostUsers(this.serviceUid);
  private readonly files: ReachableFiles;
  private readonly groups: ResourceGroups;
  private readonly filters: ProgramFilters;
  private readonly shield = new DescriptorShield();
  private readonly alive = new Set<IsolatedProcess | IsolatedProgram>();
  private readonly orphans = new OrphanWatch();
  private readonly networkTools: NetworkTools;
  private closed = false;

  constructor(private readonly options: IsolationOptions) {
    this.bubblewrap = findBubblewrap(options.bubblewrapPlaces);
    this.groups = groupsOf(options.cgroups, options.cpuWeight ?? ALL_ISOLATED_WEIGHT);
    this.filters = new ProgramFilters(this.architecture, this.groups.countsSockets);
    this.networkTools = new NetworkTools(options.networkPlaces);
    this.files = new ReachableFiles({ directory: options.copiesDirectory, otherUser: this.users.canSwitch });
  }

  /** How memory and processes are limited on this machine. */
  get mode(): ResourceGroups['mode'] {
    return this.groups.mode;
  }

  /** True when a program of {@link start} may start others. */
  get countsProcesses(): boolean {
    return this.groups.countsProcesses;
  }

  /** True when a program of {@link start} may open sockets between its own parts, at loopback. */
  get countsSockets(): boolean {
    return this.groups.countsSockets;
  }

  /** How many isolated programs can run at a time. */
  get capacity(): number {
    return this.users.canSwitch ? this.users.count : Infinity;
  }

  /** Returns what this machine lacks, each as the thing to install or set. Call it before the first start. */
  missing(): string[] {
    return missingPrerequisites({ bubblewrap: this.bubblewrap, otherUser: this.users.canSwitch });
  }

  /**
   * Returns what this machine lacks before programs can reach a network outside of it, each as the thing to install or
   * set. The answer comes from an attempt, which is made once.
   */
  missingForNetwork(): Promise<string[]> {
    return this.networkTools.missing();
  }

  /** Removes what killed services have left behind. */
  async sweep(): Promise<void> {
    await this.groups.sweep();
  }

  /** Returns a path to the file that an isolated program can reach: the file itself or a copy. */
  async reachable(path: string): Promise<string> {
    return this.files.reachable(path);
  }

  /**
   * Starts a program that then waits for its work.
   * @throws {IsolationDidNotStart} when it does not start.
   */
  async start(spec: IsolationSpec): Promise<IsolatedProcess> {
    const started = this.spawnProcess(spec, this.usableBubblewrap());
    await started.started(this.startTimeoutMs);
    return started;
  }

  /**
   * Starts a program that may start others: for one piece of work, or for as long as it is needed.
   * @throws {IsolationDidNotStart} when it does not start.
   */
  async launch(spec: LaunchSpec): Promise<IsolatedProgram> {
    const launched = this.spawnProgram(spec, this.usableBubblewrap());
    await launched.started(this.startTimeoutMs);
    return launched;
  }

  /**
   * Lends a user for a series of launched programs and for the directories that they write.
   * @throws {Error} when all users are lent.
   */
  lendUser(): LentUser {
    return new Tenant(this.users);
  }

  /**
   * Returns the user for programs whose files outlive this process. It is always the same, and all such programs share
   * it, so only their namespaces separate them.
   */
  keptUser(): LentUser {
    return new KeptTenant(this.users);
  }

  /** The account of {@link keptUser}, or undefined when programs run as the service's own user. */
  get keptAccount(): ServerAccount | undefined {
    const { canSwitch, kept } = this.users;
    return canSwitch ? { ...kept, name: String(kept.uid) } : undefined;
  }

  /** Ends every isolated program. */
  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    await Promise.all([...this.alive].map((each) => each.destroy()));
    this.orphans.close();
    await this.groups.close();
    this.shield.close();
  }

  private get startTimeoutMs(): number {
    return this.options.startTimeoutMs ?? DEFAULT_START_TIMEOUT_MS;
  }

  private usableBubblewrap(): string {
    if (this.closed) throw new Error('The isolation is closed.');
    if (this.bubblewrap === null) throw new Error('bubblewrap is not installed.');
    return this.bubblewrap;
  }

  private spawnProcess(spec: IsolationSpec, bubblewrap: string): IsolatedProcess {
    const { limits, processes } = spec;
    assert(processes === 'threads' || this.countsProcesses, 'nothing would limit several processes');
    const shape: IsolationShape = {
      ...spec,
      writable: [],
      scratch: processes === 'any' ? [{ to: '/dev/shm', bytes: limits.sharedBytes }] : [],
      directory: '/tmp',
      scratchBytes: limits.scratchBytes,
      tellsExit: false,
      keepsNetwork: false,
    };
    const tasks = limits.tasks + TASKS_AROUND;
    return this.contain({
      groupLimits: { memoryBytes: limits.memoryBytes, tasks, processes, cpu: limits.cpu ?? ORDINARY_CPU },
      bounds: {
        openFiles: limits.openFiles,
        fileBytes: Math.max(limits.scratchBytes, processes === 'any' ? limits.sharedBytes : 0),
        cpuMs: limits.cpuMs,
        dataBytes: limits.memoryBytes + limits.idleDataBytes,
        // Several programs share the user here, so a limit per user cannot apply to one of them; the filter limits
        // processes instead.
        processes: this.users.canSwitch ? tasks : null,
      },
      command: [bubblewrap, ...bubblewrapOptions(shape, this.libraries), '--', ...spec.command],
      make: (parts) => new IsolatedProcess({ ...parts, limits, seccomp: this.filters.ofStarted(processes) }),
    });
  }

  private spawnProgram(spec: LaunchSpec, bubblewrap: string): IsolatedProgram {
    const { limits } = spec;
    const rules = typeof spec.network === 'string' ? null : spec.network;
    const tasks = limits.tasks + TASKS_AROUND + (rules === null ? 0 : TASKS_OF_NETWORK);
    const hostUser = spec.user === undefined ? null : hostUserOf(spec.user);
    const sharesUser = spec.user instanceof KeptTenant;
    const options = bubblewrapOptions(
      { ...spec, scratchBytes: limits.scratchBytes, tellsExit: true, keepsNetwork: rules !== null },
      this.libraries,
    );
    assert(
      options.every((option) => !option.includes('\0')),
      'an option of bubblewrap contains a NUL',
    );
    return this.contain({
      user: spec.user,
      listener: spec.listener,
      rules,
      groupLimits: { memoryBytes: limits.memoryBytes, tasks, processes: 'any', cpu: limits.cpu ?? ORDINARY_CPU },
      bounds: {
        openFiles: limits.openFiles,
        fileBytes: limits.fileBytes,
        cpuMs: limits.cpuMs,
        // A limit on each process would not limit their sum, which is watched instead.
        dataBytes: null,
        processes: this.users.canSwitch && !sharesUser ? tasks : tasks + tasksOfUser(hostUser?.uid ?? this.serviceUid),
      },
      command: [bubblewrap, '--args', String(OPTIONS_DESCRIPTOR), '--', ...spec.command],
      make: (parts) =>
        new IsolatedProgram({
          ...parts,
          spec,
          seccomp: this.filters.ofLaunched(spec),
          options: Buffer.from(options.map((option) => `${option}\0`).join('')),
        }),
    });
  }

  private contain<Contained extends IsolatedProcess | IsolatedProgram>({
    user,
    listener,
    rules = null,
    groupLimits,
    bounds,
    command,
    make,
  }: Containment<Contained>): Contained {
    const tenant = user ?? new Tenant(this.users);
    const giveBack = (): void => {
      if (user === undefined) tenant.giveBack();
    };
    try {
      const group = this.groups.create(groupLimits);
      const hostUser = hostUserOf(tenant);
      const network = rules === null ? null : new AttachedNetwork(this.networkTools, this.orphans, hostUser, rules);
      const unshare = network === null ? null : this.networkTools.unshare;
      const child = this.spawnChild({ command, bounds: { ...bounds, unshare }, user: hostUser, group, listener });
      const watched: number[] = [];
      const watch = (leader: number): void => {
        watched.push(leader);
        this.orphans.add(leader);
      };
      if (child.pid !== undefined) watch(child.pid);
      const contained: Contained = make({
        child,
        group,
        network,
        onInit: watch,
        onGone: () => {
          this.alive.delete(contained);
          for (const leader of watched) this.orphans.remove(leader);
          giveBack();
        },
      });
      this.alive.add(contained);
      return contained;
    } catch (error) {
      giveBack();
      throw error;
    }
  }

  private spawnChild({ command, bounds, user, group, listener }: SpawnParts): ReturnType<typeof spawn> {
    const hasCgroup = group.entrances.length > 0;
    // A second service on this machine may lend the same user, so the cgroup, where there is one, is the better limit.
    const unbounded = hasCgroup ? { dataBytes: null, processes: null } : {};
    const script = launchScript({ ...bounds, ...unbounded, cgroups: group.entrances.length });
    const stdio: ('pipe' | number)[] = ['pipe', 'pipe', 'pipe', 'pipe', 'pipe', 'pipe', 'pipe', ...group.entrances];
    if (listener !== undefined) stdio[LISTEN_DESCRIPTOR] = listener;
    try {
      return spawn('/bin/sh', ['-c', script, 'sh', ...command], {
        // bubblewrap's own environment is readable inside, in /proc/1/environ, whatever it passes on.
        env: {},
        cwd: '/',
        detached: true,
        ...(user ?? {}),
        stdio: this.shield.cover(stdio),
      });
    } catch (error) {
      void group.remove();
      throw error;
    } finally {
      group.closeEntrances();
    }
  }
}

interface Containment<Contained> {
  readonly user?: LentUser | undefined;
  readonly listener?: number | undefined;
  readonly rules?: NetworkRules | null;
  readonly groupLimits: GroupLimits;
  readonly bounds: Omit<LaunchOptions, 'cgroups' | 'unshare'>;
  readonly command: readonly string[];
  readonly make: (parts: Omit<ContainedParts, 'seccomp'>) => Contained;
}

interface SpawnParts {
  readonly command: readonly string[];
  readonly bounds: Omit<LaunchOptions, 'cgroups'>;
  readonly user: HostUser | null;
  readonly group: ResourceGroup;
  readonly listener: number | undefined;
}

/** Has a host user where users can be changed, else none. */
abstract class UserHolder implements LentUser {
  protected constructor(readonly user: HostUser | null) {}

  abstract giveBack(): void;

  async own(directory: string): Promise<void> {
    if (this.user !== null) await lchown(directory, this.user.uid, this.user.gid);
  }
}

class Tenant extends UserHolder {
  constructor(private readonly users: HostUsers) {
    super(users.canSwitch ? users.lend() : null);
  }

  override giveBack(): void {
    if (this.user !== null) this.users.takeBack(this.user);
  }
}

class KeptTenant extends UserHolder {
  constructor(users: HostUsers) {
    super(users.canSwitch ? users.kept : null);
  }

  override giveBack(): void {
    // It was not taken from the others.
  }
}

function hostUserOf(user: LentUser): HostUser | null {
  assert(user instanceof UserHolder, 'users are lent by Isolation');
  return user.user;
}

function groupsOf(cgroups: 'auto' | 'off', cpuWeight: number): ResourceGroups {
  if (cgroups === 'off') return new NoCgroups(cpuWeight);
  const own = ownCgroups();
  return CgroupsV2.find(own, cpuWeight) ?? CgroupsV1.find(own, cpuWeight) ?? new NoCgroups(cpuWeight);
}
