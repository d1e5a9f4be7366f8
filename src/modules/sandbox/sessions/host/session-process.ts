import { type Mount } from '../../../../platform/isolation/isolation-spec.js';
import { type NetworkRules } from '../../../../platform/isolation/network/network-rules.js';
import { type ArtifactError, type ArtifactSink } from '../../domain/artifacts.js';
import { type RichResult } from '../../domain/rich-result.js';
import {
  type ExecutionError,
  type ExecutionStatus,
  type Language,
  type OutputListener,
  type RunOptions,
} from '../../domain/sandbox-runtime.js';

export interface SessionLimits {
  /** The limit of everything in the session together, with its files. */
  readonly memoryBytes: number;
  readonly processes: number;
  /** The size of the working directory, which is in memory and counts into {@link memoryBytes}. */
  readonly filesBytes: number;
}

/** The way out of a session: the socket of an `EgressProxy` in a host directory. */
export interface SessionEgress {
  readonly directory: string;
  /** Called when a run or command begins. */
  readonly renew: () => void;
}

export interface SessionStart {
  /** Names the session in errors. */
  readonly id: string;
  readonly language: Language;
  readonly limits: SessionLimits;
  readonly options?: Pick<RunOptions, 'environment' | 'timeZone' | 'locale' | 'typescript'>;
  /** Read-only directories, such as packages. The environment says where they are. */
  readonly mounts?: readonly Mount[];
  /** The way out, for a session that may connect to hosts. */
  readonly egress?: SessionEgress;
  /** The default is a network that has only the session itself, or none where the kernel cannot limit its memory. */
  readonly network?: NetworkRules;
}

export interface SessionWork {
  readonly code: string;
  readonly stdin?: string;
  /** Wall time from the moment the code starts, without the time for which the session is frozen. */
  readonly timeoutMs: number;
  /** Applies to standard output and to standard error separately. */
  readonly outputBytes: number;
}

export interface ShellWork extends Omit<SessionWork, 'code'> {
  /** For `/bin/sh -c`, in the working directory. */
  readonly command: string;
}

/** How a run or a command of the shell ended. */
export interface SessionOutcome {
  readonly status: ExecutionStatus;
  readonly stdout: string;
  readonly stderr: string;
  readonly truncated: { readonly stdout: boolean; readonly stderr: boolean };
  /** The exit code of the command. A run has 0 or 1, or the code with which it ended the interpreter. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly durationMs: number;
  /** What everything in the session has used meanwhile. */
  readonly cpuMs: number;
  /** The most that the session has used so far. */
  readonly memoryPeakBytes: number;
  readonly results: readonly RichResult[];
  readonly error?: ExecutionError;
  readonly runtime: { readonly name: string; readonly version: string };
  /**
   * True when the interpreter had to be replaced (by an exit, a crash, a time limit that did not interrupt it, or
   * memory that ran out), so that variables are gone. Files remain.
   */
  readonly stateLost: boolean;
}

export interface SessionFile {
  /** Relative to the working directory. */
  readonly path: string;
  readonly type: 'file' | 'directory' | 'other';
  readonly sizeBytes: number;
  readonly modifiedAtMs: number;
}

export type SessionEndReason = 'ended' | 'out_of_memory' | 'failed';

/** What is wanted of the artifacts. */
export interface ArtifactsWanted {
  /** All of them together. */
  readonly bytes: number;
  /** What takes longer is not sent. */
  readonly withinMs: number;
}

/** Artifacts may take what is left of the time limit of the run, and this. */
export const MAX_COLLECTING_MS = 2_000;
/** An agent that does not answer for this long after its time for the artifacts ends with its session. */
export const COLLECT_GRACE_MS = 10_000;

/**
 * A run may take this much longer than its time limit: until it begins, is interrupted, is killed, and has sent its
 * artifacts. A row that was given up before that would not be paid.
 */
export const MAX_OVERTIME_MS = 45_000;

/** The largest file that can be read or written. */
export const MAX_SESSION_FILE_BYTES = 8 * 1024 * 1024;

/** An interpreter in isolation that keeps its variables and files between runs. A call wakes a frozen one. */
export interface SessionProcess {
  /** Never rejects. */
  readonly ended: Promise<SessionEndReason>;
  readonly isFrozen: boolean;

  /**
   * Runs code with the variables of the runs before. One run or command at a time: the caller must wait for the last.
   * An aborted signal interrupts it like a time limit. `onOutput` gets all output before this resolves. What processes
   * in the background write belongs to the run that is under way, and else is dropped.
   *
   * @throws {SessionEnded} when the session has ended before.
   */
  run(work: SessionWork, signal?: AbortSignal, onOutput?: OutputListener): Promise<SessionOutcome>;

  /** Runs a command of the shell, as {@link run} does. @throws {SessionEnded} */
  shell(work: ShellWork, signal?: AbortSignal, onOutput?: OutputListener): Promise<SessionOutcome>;

  /**
   * Returns the first 1,000 entries of one directory by name. The empty path is the working directory.
   *
   * @throws {SessionFileNotFound} @throws {SessionPathInvalid} @throws {SessionEnded}
   */
  listFiles(path: string): Promise<readonly SessionFile[]>;

  /** @throws {SessionFileNotFound} @throws {SessionFileTooLarge} @throws {SessionPathInvalid} @throws {SessionEnded} */
  readFile(path: string): Promise<Buffer>;

  /**
   * Writes a whole file, and makes its directories.
   *
   * @throws {SessionDiskFull} @throws {SessionFileTooLarge} @throws {SessionPathInvalid} @throws {SessionEnded}
   */
  writeFile(path: string, content: Buffer): Promise<void>;

  /** Removes a file, or a directory with all that it contains. @throws as {@link readFile} */
  removeFile(path: string): Promise<void>;

  /**
   * Sends the files that are in `/artifacts` to the sink. They stay until {@link removeCollected} is called.
   *
   * @param signal ends it at once when it is aborted.
   * @returns what was not sent, and why. It does not reject: when the session ends meanwhile, the rest was not sent.
   */
  collectArtifacts(
    wanted: ArtifactsWanted,
    sink: ArtifactSink,
    signal?: AbortSignal,
  ): Promise<readonly ArtifactError[]>;

  /**
   * Removes those of the files that were collected last which are kept, unless they were written again since. It does
   * not wait until they are gone, but what is asked for later finds them gone.
   *
   * @throws {SessionEnded}
   */
  removeCollected(paths: readonly string[]): Promise<void>;

  /**
   * Stops everything inside. It then uses memory, but no processor time. A session that starts processes without end
   * may not be stopped, and {@link isFrozen} stays false.
   */
  freeze(): Promise<void>;
  thaw(): void;

  /** Resolves when nothing of it is left. */
  end(): Promise<void>;
}

export class SessionEnded extends Error {
  override readonly name = 'SessionEnded';
}

export class SessionFileNotFound extends Error {
  override readonly name = 'SessionFileNotFound';
}

export class SessionFileTooLarge extends Error {
  override readonly name = 'SessionFileTooLarge';
}

export class SessionDiskFull extends Error {
  override readonly name = 'SessionDiskFull';
}

/** Also where something is in the way, such as a directory at the path of a file. */
export class SessionPathInvalid extends Error {
  override readonly name = 'SessionPathInvalid';
}
