import { type CpuShare } from './cpu-share.js';

/** What a sandbox has used since it was started. */
export interface Usage {
  readonly cpuMs: number;
  readonly memoryPeakBytes: number;
  /** Null where the kernel enforces these itself. */
  readonly watched: { readonly residentBytes: number; readonly tasks: number } | null;
}

/** Bounds on all processes of a group together, bubblewrap's own among them. */
export interface GroupLimits {
  readonly memoryBytes: number;
  readonly tasks: number;
  /** Whether the program may start others. */
  readonly processes: 'threads' | 'any';
  readonly cpu: CpuShare;
}

/** What holds the processes of one sandbox together, to bound, to measure and to kill them: a cgroup, or none. */
export abstract class ResourceGroup {
  /** Open `cgroup.procs` files for the launcher to write itself into. */
  abstract readonly entrances: readonly number[];

  /**
   * Moves the launcher into what it cannot enter by itself. It is called before the launcher is told to go on, so that
   * everything it starts is inside too.
   */
  abstract enter(launcherPid: number): Promise<void>;

  /** Whether the kernel holds the program below {@link CpuShare.maxPercent}; else whoever watches it has to. */
  abstract readonly limitsCpu: boolean;

  /** Tells which process is pid 1 inside; until then nothing can be measured without a cgroup. */
  abstract contains(initPid: number): void;

  /** Closes what {@link entrances} opened; the launcher has its own copies by now. */
  abstract closeEntrances(): void;

  abstract usage(): Usage;

  /** Whether the kernel killed inside for want of memory. */
  abstract ranOutOfMemory(): boolean;

  /** Kills what is inside now; to be repeated until nothing is. */
  abstract kill(): void;

  abstract remove(): Promise<void>;
}

/** How memory and processes of sandboxes are bounded on this machine. */
export abstract class ResourceGroups {
  abstract readonly mode: 'cgroup-v1' | 'cgroup-v2' | 'rlimits';

  /** Removes what services that died have left. */
  abstract sweep(): Promise<void>;

  abstract create(limits: GroupLimits): ResourceGroup;

  /** Removes what is kept between sandboxes; there are none any more. */
  abstract close(): Promise<void>;
}
