import assert from 'node:assert';

import { type ServerAccount } from '../accounts/server-account.js';
import { bubblewrapOptions, HIDDEN_IN_PROC, type IsolationShape, USER_INSIDE } from './bubblewrap.js';
import { CgroupsV1 } from './cgroups/cgroup-v1.js';
import { CgroupsV2 } from './cgroups/cgroup-v2.js';
import { NoCgroups } from './cgroups/no-cgroups.js';
import { ownCgroups } from './cgroups/own-cgroups.js';
import { ALL_ISOLATED_WEIGHT, ORDINARY_CPU } from './cpu-share.js';
import { ContainedChild } from './contained-child.js';
import { type ForkRequest } from './forks/template-messages.js';
import { type HostUser, HostUsers } from './host-users.js';
import { IsolatedProcess } from './isolated-process.js';
import { IsolatedProgram, OPTIONS_DESCRIPTOR } from './isolated-program.js';
import { IsolatedTemplate } from './isolated-template.js';
import {
  IsolationDidNotStart,
  type IsolationSpec,
  type ProcessesInside,
  type StartLimits,
  type TemplateSpec,
} from './isolation-spec.js';
import { type LaunchSpec, type LentUser } from './launch-spec.js';
import { lendSocket, type LentSocket } from './lent-socket.js';
import { hostUserOf, KeptTenant, Tenant } from './lent-users.js';
import { libraryPaths } from './library-mounts.js';
import { NetworkTools } from './network/network-tools.js';
import { findBubblewrap, missingPrerequisites } from './prerequisites.js';
import { tasksOfUser, unseenTasks } from './process-facts.js';
import { ReachableFiles } from './reachable-files.js';
import { type ResourceGroups } from './resource-group.js';
import { type Architecture } from './seccomp/bpf.js';
import { ProgramFilters } from './seccomp/program-filters.js';
import { SHARED_MEMORY, StartedLimits, TASKS_AROUND } from './started-limits.js';
import { Starter } from './starter.js';

/** slirp4netns, which starts a process for a moment, and the shell before it. */
const TASKS_OF_NETWORK = 3;

/** Forks are in the template's group until they enter their own. */
const TASKS_OF_TEMPLATE = 256;
/** Two for each fork. */
const OPEN_FILES_OF_TEMPLATE = 1_024;
const FILE_BYTES_OF_TEMPLATE = 1024 * 1024 * 1024;
/** Its forks cover it with their own. */
const SCRATCH_BYTES_OF_TEMPLATE = 4_096;

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
  private readonly networkTools: NetworkTools;
  private readonly starter: Starter;
  private closed = false;

  constructor(private readonly options: IsolationOptions) {
    this.bubblewrap = findBubblewrap(options.bubblewrapPlaces);
    this.groups = groupsOf(options.cgroups, options.cpuWeight ?? ALL_ISOLATED_WEIGHT);
    this.filters = new ProgramFilters(this.architecture, this.groups.countsSockets);
    this.networkTools = new NetworkTools(options.networkPlaces);
    this.starter = new Starter(this.users, this.groups, this.networkTools);
    this.files = new ReachableFiles({ directory: options.copiesDirectory, otherUser: this.users.canSwitch });
  }

  /** How memory and processes are limited on this machine. */
  get mode(): ResourceGroups['mode'] {
    return this.groups.mode;
  }

  /** True when a program of {@link start} or {@link fork} may start others. */
  get countsProcesses(): boolean {
    return this.groups.countsProcesses;
  }

  /** True when such a program may open sockets between its own parts, at loopback. */
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
   * Starts a program that then forks a process for each run.
   * @throws {IsolationDidNotStart} when it does not start.
   */
  async startTemplate(spec: TemplateSpec): Promise<IsolatedTemplate> {
    const bubblewrap = this.usableBubblewrap();
    const template = await lendSocket((socket) => Promise.resolve(this.spawnTemplate(spec, socket, bubblewrap)));
    await template.started(this.startTimeoutMs);
    return template;
  }

  /**
   * Forks a process that then waits for its work, in an isolation of its own.
   * @throws {IsolationDidNotStart} when it does not start.
   */
  async fork(template: IsolatedTemplate, limits: StartLimits): Promise<IsolatedProcess> {
    if (this.closed) throw new Error('The isolation is closed.');
    const started = this.limitsOf(limits, template.processes);
    const forked = this.starter.fork(started.groupOfFork, (parts) => {
      const request = { ...idsInTemplate(parts.user), ...started.forkRequest(this.mode) };
      return new IsolatedProcess(template.begin(parts, request), limits);
    });
    try {
      await forked.started(this.startTimeoutMs);
    } catch (error) {
      // What goes wrong in a fork before it has its streams is written to those of the template.
      throw error instanceof IsolationDidNotStart ? new IsolationDidNotStart(error.detail || template.said) : error;
    }
    return forked;
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
    await this.starter.close();
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
    const started = this.limitsOf(limits, processes);
    const shape: IsolationShape = {
      ...spec,
      writable: [],
      scratch: started.scratch,
      directory: '/tmp',
      scratchBytes: limits.scratchBytes,
      tellsExit: false,
      keepsNetwork: false,
    };
    return this.starter.start({
      groupLimits: started.group,
      bounds: started.bounds,
      command: () => [bubblewrap, ...bubblewrapOptions(shape, this.libraries), '--', ...spec.command],
      make: (parts) =>
        new IsolatedProcess(new ContainedChild({ ...parts, seccomp: this.filters.ofStarted(processes) }), limits),
    });
  }

  private limitsOf(limits: StartLimits, processes: ProcessesInside): StartedLimits {
    assert(processes === 'threads' || this.countsProcesses, 'nothing would limit several processes');
    return new StartedLimits(limits, processes, this.users.canSwitch);
  }

  private spawnTemplate(spec: TemplateSpec, socket: LentSocket, bubblewrap: string): IsolatedTemplate {
    const { memoryBytes, processes, directories = [] } = spec;
    const writable = processes === 'any' ? [SHARED_MEMORY, ...directories] : directories;
    return this.starter.start({
      listener: socket.descriptor,
      groupLimits: { memoryBytes, tasks: TASKS_OF_TEMPLATE, processes: 'any', cpu: ORDINARY_CPU },
      // A fork inherits these and cannot raise them, so they must not be below its own.
      bounds: {
        openFiles: OPEN_FILES_OF_TEMPLATE,
        fileBytes: FILE_BYTES_OF_TEMPLATE,
        cpuMs: null,
        dataBytes: null,
        processes: null,
      },
      command: (user) => {
        const shape: IsolationShape = {
          ...spec,
          writable: [],
          directory: '/tmp',
          scratchBytes: SCRATCH_BYTES_OF_TEMPLATE,
          scratch: writable.map((to) => ({ to, bytes: SCRATCH_BYTES_OF_TEMPLATE })),
          tellsExit: false,
          keepsNetwork: false,
          template: { user },
        };
        return [bubblewrap, ...bubblewrapOptions(shape, this.libraries), '--', ...spec.command];
      },
      make: (parts, user) =>
        new IsolatedTemplate({
          ...parts,
          socket,
          processes,
          seccomp: this.filters.template,
          users: user === null ? null : this.users.ranges,
          settings: { filter: this.filters.ofStarted(processes).toString('base64'), hidden: HIDDEN_IN_PROC },
        }),
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
    return this.starter.start({
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
        processes:
          this.users.canSwitch && !sharesUser
            ? tasks
            : tasks + tasksOfUser(hostUser?.uid ?? this.serviceUid) + unseenTasks(),
      },
      command: () => [bubblewrap, '--args', String(OPTIONS_DESCRIPTOR), '--', ...spec.command],
      make: (parts) =>
        new IsolatedProgram({
          ...parts,
          spec,
          seccomp: this.filters.ofLaunched(spec),
          options: Buffer.from(options.map((option) => `${option}\0`).join('')),
        }),
    });
  }
}

/** Where users cannot be changed, the template has one user, by the number that it has inside. */
function idsInTemplate(user: HostUser | null): Pick<ForkRequest, 'user' | 'group'> {
  return { user: user?.uid ?? Number(USER_INSIDE), group: user?.gid ?? Number(USER_INSIDE) };
}

function groupsOf(cgroups: 'auto' | 'off', cpuWeight: number): ResourceGroups {
  if (cgroups === 'off') return new NoCgroups(cpuWeight);
  const own = ownCgroups();
  return CgroupsV2.find(own, cpuWeight) ?? CgroupsV1.find(own, cpuWeight) ?? new NoCgroups(cpuWeight);
}
