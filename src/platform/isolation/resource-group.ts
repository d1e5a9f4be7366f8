import { type CpuShare } from './cpu-share.js';

/** What an isolated program has used since it was started. */
export interface Usage {
  readonly cpuMs: number;
  readonly memoryPeakBytes: number;
  /** Null where the kernel enforces these limits itself. */
  readonly watched: { readonly residentBytes: number; readonly tasks: number } | null;
}

/** Limits for all processes of a group together, including bubblewrap's own. */
export interface GroupLimits {
  readonly memoryBytes: number;
  readonly tasks: number;
  /** Says if the program may start other processes (`any`) or only threads. */
  readonly processes: 'threads' | 'any';
  readonly cpu: CpuShare;
}

/** Holds the processes of one isolated program together, to limit, measure and kill them: a cgroup, or a substitute. */
export abstract class ResourceGroup {
  /** Open `cgroup.procs` files for the launcher to write itself into. */
  abstract readonly entrances: readonly number[];

  /**
   * Moves the launcher into what it cannot enter by itself. It is called before the launcher may continue, so that
   * everything that it starts is inside too.
   */
  abstract enter(launcherPid: number): Promise<void>;

  /** Moves a helper of the program in, which then counts and ends with it. Without a cgroup it does nothing. */
  abstract adopt(pid: number): Promise<void>;

  /** True when the kernel enforces {@link CpuShare.maxPercent}; otherwise the watch outside must. */
  abstract readonly limitsCpu: boolean;

  /** Sets the process that is pid 1 inside. Without a cgroup, nothing can be measured before. */
  abstract contains(initPid: number): void;

  /** Closes the descriptors of {@link entrances}; the launcher has its own copies by then. */
  abstract closeEntrances(): void;

  abstract usage(): Usage;

  /** True when the kernel killed a process inside because memory ran out. */
  abstract ranOutOfMemory(): boolean;

  /** Kills what is inside at the moment. Repeat it until nothing is left. */
  abstract kill(): void;

  abstract remove(): Promise<void>;
}

/** How memory and processes of isolated programs are limited on this machine. */
export abstract class ResourceGroups {
  abstract readonly mode: 'cgroup-v1' | 'cgroup-v2' | 'rlimits';

  /** True when the memory and the number of several processes are limited together, by the kernel. */
  abstract readonly countsProcesses: boolean;

  /** True when the buffers of internet sockets, which belong to no process, are limited by the kernel too. */
  abstract readonly countsSockets: boolean;

  /** Removes what ended services have left behind. */
  abstract sweep(): Promise<void>;

  abstract create(limits: GroupLimits): ResourceGroup;

  /** Removes what is kept between programs; call it when none is left. */
  abstract close(): Promise<void>;
}
