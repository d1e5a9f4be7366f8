import { type CpuShare } from './cpu-share.js';
import { type Mount } from './isolation-spec.js';
import { type OutputPace } from './output-pace.js';

/** Where the program finds the socket that it was given to listen on. */
export const LISTEN_DESCRIPTOR = 4;

/** Bounds on everything inside of a launched program together, where nothing else is said. */
export interface LaunchLimits {
  readonly memoryBytes: number;
  /** Processes and threads together. */
  readonly tasks: number;
  /** Of each process. */
  readonly openFiles: number;
  /** Of each file that is written. What a directory of the host holds in all, its owner has to watch. */
  readonly fileBytes: number;
  /** Of `/tmp`, which is memory. A writable mount at `/tmp` takes its place. */
  readonly scratchBytes: number;
  /** Counted from the start; null where it may run for ever, as a server does. */
  readonly wallMs: number | null;
  readonly cpuMs: number | null;
  /** Undefined: an ordinary share. */
  readonly cpu?: CpuShare;
}

/** A program that may start others, and run for as long as its limits let it. */
export interface LaunchSpec {
  /** The program and its arguments, as paths inside. */
  readonly command: readonly string[];
  readonly mounts: readonly Mount[];
  /**
   * Directories of the host that the program may change. Its user must own them (`LentUser.own`), and from then on the
   * host opens, writes and follows nothing in them.
   */
  readonly writable: readonly Mount[];
  /** Where it starts; a path inside. */
  readonly directory: string;
  /** Not seen on any command line. */
  readonly environment: Readonly<Record<string, string>>;
  /** `loopback`: internet sockets, in a network of its own that holds nothing but 127.0.0.1 and ::1. */
  readonly network: 'none' | 'loopback';
  /** Undefined: one is lent for the time that the program runs. */
  readonly user?: LentUser;
  readonly limits: LaunchLimits;
  readonly output: LaunchOutput;
  /**
   * A listening socket of the host, by its descriptor: the program accepts on {@link LISTEN_DESCRIPTOR} what the host
   * connects to its path. So the host never follows a path that the program could change.
   */
  readonly listener?: number;
  /** What comes in on standard input, then end of file; nothing when undefined. */
  readonly stdin?: Buffer;
  /** Standard input goes on after that, with what `IsolatedProgram.send` is given. */
  readonly sendsMore?: boolean;
}

/** Who takes what the program writes. */
export interface LaunchOutput {
  /** Cut at 16 KiB each, without its line end, and not to be trusted: it may hold control characters. */
  readonly line: (stream: 'stdout' | 'stderr', text: string) => void;
  /** Of both streams together; what is beyond is dropped, and `line` is told so once, as a line of `stderr`. */
  readonly bytes: number;
  /** Undefined: an ordinary one, for a program that ends. */
  readonly pace?: OutputPace;
  /**
   * Told of how many lines were dropped because they came too fast, where they are missing; undefined: `line` is, in
   * words.
   */
  readonly dropped?: (lines: number) => void;
  /**
   * Standard output is not read by lines but by whoever reads `IsolatedProgram.stdout`, who stops the program by not
   * reading.
   */
  readonly rawStdout?: boolean;
}

/** Why a launched program ended. All but `exit` are the host's doing, or the kernel's on its behalf. */
export type LaunchEndCause = 'exit' | 'did_not_start' | 'wall_time' | 'cpu_time' | 'memory' | 'tasks' | 'destroyed';

export interface LaunchEnd {
  readonly cause: LaunchEndCause;
  /** Null when the host, or the kernel for want of memory, ended it. Above 128 it may be 128 plus a signal. */
  readonly exitStatus: number | null;
  readonly cpuMs: number;
  readonly memoryPeakBytes: number;
  /** What bubblewrap said when the program did not start, for the log; else empty. */
  readonly said: string;
}

/** A user of the host for one program after another that share writable directories; nobody else has it meanwhile. */
export interface LentUser {
  /** Gives this user a directory that the host has just made, and that no program has seen. */
  own(directory: string): Promise<void>;
  /** To be called once, when no program of this user runs any more. */
  giveBack(): void;
}
