import { type CpuShare } from './cpu-share.js';

/** A file or directory of the host that the program may read, and where it finds it. */
export interface Mount {
  readonly from: string;
  readonly to: string;
}

/** Bounds that hold from the first instruction on; they cannot be raised later. */
export interface StartLimits {
  /** Resident memory of everything inside, the program's own start included. */
  readonly memoryBytes: number;
  /**
   * What the program has mapped for writing (`VmData`) before it has done anything. RLIMIT_DATA, which stands in where
   * no cgroup can be had, counts this too: thread stacks and arenas, most of it never touched.
   */
  readonly idleDataBytes: number;
  /** Processes and threads together. */
  readonly tasks: number;
  readonly openFiles: number;
  /** Of the only writable place, `/tmp`. */
  readonly scratchBytes: number;
  readonly scratchFiles: number;
  /** Backstop in the kernel for {@link RunLimits.cpuMs}, which is watched from outside. */
  readonly cpuMs: number;
  /** Undefined: an ordinary share. */
  readonly cpu?: CpuShare;
}

/** What is started: a program that waits for its work. */
export interface IsolationSpec {
  /** The program and its arguments, as paths inside. */
  readonly command: readonly string[];
  readonly mounts: readonly Mount[];
  readonly environment: Readonly<Record<string, string>>;
  readonly limits: StartLimits;
}

/** What one run is given. */
export interface Work {
  /** Arrives on descriptor {@link WORK_DESCRIPTOR}, then end of file. */
  readonly input: Buffer;
  /** Arrives on standard input, then end of file. */
  readonly stdin: Buffer;
}

export interface RunLimits {
  /** Counted from the moment the work is handed over. */
  readonly wallMs: number;
  readonly cpuMs: number;
  /** Of standard output and of standard error, each. */
  readonly outputBytes: number;
}

/** Why a run ended. All but `exit` are the host's doing, or the kernel's on its behalf. */
export type EndCause = 'exit' | 'wall_time' | 'cpu_time' | 'memory' | 'output' | 'scratch_files' | 'tasks' | 'aborted';

/** How a run ended, by the host's own observation, but for the last three, which the program wrote. */
export interface Ended {
  readonly cause: EndCause;
  /**
   * True when neither the work nor a limit ended the run: the program had not taken its work yet, or bubblewrap was
   * killed from outside. The program says that it has its work before it begins, and the work cannot unsay it.
   */
  readonly interrupted: boolean;
  /**
   * The exit status; null when the host, or the kernel for want of memory, ended the run. Above 128 it may be 128 plus
   * a signal: bubblewrap folds both into one number.
   */
  readonly exitStatus: number | null;
  readonly durationMs: number;
  /** User and system time of the run. Exact with a cgroup, else the last sample, in steps of 10 ms. */
  readonly cpuMs: number;
  /** With a cgroup everything charged to it, cached files included; else the largest resident size that was sampled. */
  readonly memoryPeakBytes: number;
  readonly stdout: CapturedOutput;
  readonly stderr: CapturedOutput;
  /** What came on descriptor {@link REPORT_DESCRIPTOR}; cut at 64 KiB and never to be trusted. */
  readonly report: Buffer;
}

export interface CapturedOutput {
  readonly bytes: Buffer;
  /** True when the program wrote more than the limit. */
  readonly truncated: boolean;
}

/** The program reads its work here. */
export const WORK_DESCRIPTOR = 3;

/** The program writes a newline here when it waits for its work, another when it has it, then facts about the run. */
export const REPORT_DESCRIPTOR = 4;

/** The program did not come up; `detail` is what it or bubblewrap said, for the log and the probe. */
export class IsolationDidNotStart extends Error {
  override readonly name = 'IsolationDidNotStart';

  constructor(readonly detail: string) {
    super(`The isolated program did not start: ${detail === '' ? 'it said nothing' : detail}`);
  }
}
