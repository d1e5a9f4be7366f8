import { type CpuShare } from './cpu-share.js';

/** A file or directory of the host that the program may read, and its path inside. */
export interface Mount {
  readonly from: string;
  readonly to: string;
}

/** A writable directory in memory, with its path inside. */
export interface ScratchDirectory {
  readonly to: string;
  readonly bytes: number;
}

/** Limits that apply from the first instruction on and cannot be raised later. */
export interface StartLimits {
  /** Resident memory of everything inside, including the program's own start. */
  readonly memoryBytes: number;
  /**
   * What the program has mapped for writing (`VmData`) before it has done anything: thread stacks and arenas, most of
   * it never touched. RLIMIT_DATA, which replaces a missing cgroup, counts this too.
   */
  readonly idleDataBytes: number;
  /** Processes and threads together. */
  readonly tasks: number;
  readonly openFiles: number;
  /** The size of `/tmp`. */
  readonly scratchBytes: number;
  /** The files of all writable directories together, except for `/dev/shm`. */
  readonly scratchFiles: number;
  /** Writable directories beside `/tmp`. A template must have them, too. */
  readonly directories?: readonly ScratchDirectory[];
  /** The size of `/dev/shm`, for a program that may start others. */
  readonly sharedBytes: number;
  /** A backstop in the kernel for {@link RunLimits.cpuMs}, which is watched from outside. */
  readonly cpuMs: number;
  /** The default is {@link ORDINARY_CPU}. */
  readonly cpu?: CpuShare;
}

/**
 * With `any`, the program may start others, which count into its limits, and has `/dev/shm`. It must be `threads` where
 * {@link Isolation.countsProcesses} is false.
 */
export type ProcessesInside = 'threads' | 'any';

/** A program that is started and then waits for its work. */
export interface IsolationSpec {
  readonly processes: ProcessesInside;
  /** The program and its arguments, as paths inside. */
  readonly command: readonly string[];
  readonly mounts: readonly Mount[];
  readonly environment: Readonly<Record<string, string>>;
  readonly limits: StartLimits;
}

/**
 * A program that starts, sees no work, and forks a process for each. It reads its settings and then a request for each
 * fork as lines of JSON on standard input, and reports events as lines on standard output.
 */
export interface TemplateSpec {
  /** What its forks may start. */
  readonly processes: ProcessesInside;
  readonly command: readonly string[];
  readonly mounts: readonly Mount[];
  readonly environment: Readonly<Record<string, string>>;
  /** Where its forks may have writable directories beside `/tmp`. */
  readonly directories?: readonly string[];
  /** Its own memory. That of its forks is limited by {@link StartLimits}. */
  readonly memoryBytes: number;
}

/** The input of one run. */
export interface Work {
  /** Sent on descriptor {@link WORK_DESCRIPTOR}, followed by end of file. */
  readonly input: Buffer;
  /** Sent on standard input, followed by end of file. */
  readonly stdin: Buffer;
  /** Gets the output that is kept, as it arrives. It must not throw. */
  readonly onOutput?: (stream: OutputStream, chunk: Buffer) => void;
  /**
   * Gets everything from descriptor {@link REPORT_DESCRIPTOR} after the work was handed over. While what it returns is
   * pending, the program waits. It must neither throw nor reject.
   */
  readonly onReport?: (chunk: Buffer) => Promise<void>;
}

export type OutputStream = 'stdout' | 'stderr';

export interface RunLimits {
  /** The time starts when the work is handed over. */
  readonly wallMs: number;
  readonly cpuMs: number;
  /** The limit for standard output and for standard error, each. */
  readonly outputBytes: number;
}

/** Why a run ended. The host, or the kernel on its behalf, causes all but `exit`. */
export type EndCause = 'exit' | 'wall_time' | 'cpu_time' | 'memory' | 'output' | 'scratch_files' | 'tasks' | 'aborted';

/** How a run ended. All fields are the host's observations, except for the last three, which the program wrote. */
export interface Ended {
  readonly cause: EndCause;
  /**
   * True when neither the work nor a limit ended the run: the program had not taken its work yet, or bubblewrap was
   * killed from outside. The program reports that it has its work before it begins, and the work cannot revoke that
   * report.
   */
  readonly interrupted: boolean;
  /**
   * The exit status; null when the host, or the kernel because memory ran out, ended the run. Above 128 it may be 128
   * plus a signal, because bubblewrap folds both into one number.
   */
  readonly exitStatus: number | null;
  readonly durationMs: number;
  /** User and system time of the run. It is exact with a cgroup, else the last sample in steps of 10 ms. */
  readonly cpuMs: number;
  /** With a cgroup, everything charged to it, including cached files; else the largest sampled resident size. */
  readonly memoryPeakBytes: number;
  readonly stdout: CapturedOutput;
  readonly stderr: CapturedOutput;
  /** The bytes from descriptor {@link REPORT_DESCRIPTOR}, cut at 64 KiB. They are untrusted. */
  readonly report: Buffer;
}

export interface CapturedOutput {
  readonly bytes: Buffer;
  /** True when the program wrote more than the limit. */
  readonly truncated: boolean;
}

/** The program reads its work from this descriptor. */
export const WORK_DESCRIPTOR = 3;

/** The program writes a newline here when it waits for its work, another when it has it, then facts about the run. */
export const REPORT_DESCRIPTOR = 4;

/** The program did not start. `detail` is what it or bubblewrap wrote, for the log and the probe. */
export class IsolationDidNotStart extends Error {
  override readonly name = 'IsolationDidNotStart';

  constructor(readonly detail: string) {
    super(`The isolated program did not start: ${detail === '' ? 'it said nothing' : detail}`);
  }
}
