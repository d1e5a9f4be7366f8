import { type CpuShare } from './cpu-share.js';
import { type Mount, type ScratchDirectory } from './isolation-spec.js';
import { type NetworkRules } from './network/network-rules.js';
import { type OutputPace } from './output-pace.js';

/** The descriptor of the socket that the program was given to listen on. */
export const LISTEN_DESCRIPTOR = 4;

/** Limits for everything inside of a launched program together, unless a field says otherwise. */
export interface LaunchLimits {
  readonly memoryBytes: number;
  /** Processes and threads together. */
  readonly tasks: number;
  /** The limit for each process. */
  readonly openFiles: number;
  /** The limit for each written file. The owner of a host directory must watch its total size. */
  readonly fileBytes: number;
  /** The size of `/tmp`, which is in memory. A writable mount at `/tmp` replaces it. */
  readonly scratchBytes: number;
  /** The time counts from the start. Null lets a program, such as a server, run indefinitely. */
  readonly wallMs: number | null;
  readonly cpuMs: number | null;
  /** The default is {@link ORDINARY_CPU}. */
  readonly cpu?: CpuShare;
}

export type SystemInside = 'host' | 'builder' | 'none';

/** A program that may start others and run for as long as its limits allow. */
export interface LaunchSpec {
  /** The program and its arguments, as paths inside. */
  readonly command: readonly string[];
  readonly mounts: readonly Mount[];
  /**
   * Host directories that the program may change. Its user must own them (`LentUser.own`), and from then on the host
   * must not open, write or follow anything in them.
   */
  readonly writable: readonly Mount[];
  /**
   * Further directories in memory that the program may write to. Their paths inside must exist among the mounts. They
   * are lost when the program ends. Mounts below one of them lie in it, read-only.
   */
  readonly scratch?: readonly ScratchDirectory[];
  /**
   * The default is the system of this machine, read-only: its libraries, and what is mounted from it. `none` leaves
   * that out, for a program whose mounts are a whole system of their own. With `builder`, the program is root in its
   * user namespace and may mount, as builders of container images do.
   */
  readonly system?: SystemInside;
  /** Links at the top of the file system inside, such as `/bin` to `usr/bin`. */
  readonly links?: readonly { readonly to: string; readonly at: string }[];
  /** The working directory, as a path inside. */
  readonly directory: string;
  /** No command line shows the environment. */
  readonly environment: Readonly<Record<string, string>>;
  /**
   * `loopback` allows internet sockets in a network of its own that has only 127.0.0.1 and ::1. With rules, that
   * network also leads out of the machine, as far as the rules allow.
   */
  readonly network: 'none' | 'loopback' | NetworkRules;
  /**
   * True for a program that needs System V shared memory, in an IPC namespace of its own. It must have no network. Only
   * a cgroup counts such memory in all cases: without one, what no process has attached is not counted.
   */
  readonly sharedMemory?: boolean;
  /** When undefined, a user is lent for as long as the program runs. */
  readonly user?: LentUser;
  readonly limits: LaunchLimits;
  readonly output: LaunchOutput;
  /**
   * The descriptor of a listening socket of the host. The program accepts its connections on {@link LISTEN_DESCRIPTOR},
   * so the host never follows a path that the program could change.
   */
  readonly listener?: number;
  /** The bytes of standard input, followed by end of file; the default is none. */
  readonly stdin?: Buffer;
  /** True when standard input continues with the bytes of `IsolatedProgram.send`. */
  readonly sendsMore?: boolean;
}

/** The receiver of what the program writes. */
export interface LaunchOutput {
  /** Receives each line without its line end, cut at 16 KiB. It is untrusted and may hold control characters. */
  readonly line: (stream: 'stdout' | 'stderr', text: string) => void;
  /**
   * The limit for both streams together. More is dropped, and `line` receives one notice of that, as a line of
   * `stderr`.
   */
  readonly bytes: number;
  /** The default suits a program that ends. */
  readonly pace?: OutputPace;
  /**
   * Receives how many lines were dropped because they came too fast, at the place where they are missing. Without it,
   * `line` receives a notice.
   */
  readonly dropped?: (lines: number) => void;
  /**
   * True when standard output is read from `IsolatedProgram.stdout` instead of by lines. A reader that pauses stops the
   * program.
   */
  readonly rawStdout?: boolean;
}

/**
 * Why a launched program ended. The host, or the kernel on its behalf, causes all but `exit`; `network` means that what
 * carries its network has ended.
 */
export type LaunchEndCause =
  'exit' | 'did_not_start' | 'wall_time' | 'cpu_time' | 'memory' | 'tasks' | 'network' | 'destroyed';

export interface LaunchEnd {
  readonly cause: LaunchEndCause;
  /** Null when the host, or the kernel because memory ran out, ended it. Above 128 it may be 128 plus a signal. */
  readonly exitStatus: number | null;
  readonly cpuMs: number;
  readonly memoryPeakBytes: number;
  /** bubblewrap's output when the program did not start, for the log; else empty. */
  readonly said: string;
}

/** A host user for a series of programs that share writable directories. No other program has it meanwhile. */
export interface LentUser {
  /** Gives this user a directory that the host has just created, and that no program has seen. */
  own(directory: string): Promise<void>;
  /** Must be called once, when no program of this user runs any longer. */
  giveBack(): void;
}
