import type { Mount } from '../../../../platform/isolation/isolation-spec.js';
import type { NetworkRules } from '../../../../platform/isolation/network/network-rules.js';
import type {
  ExecutionError,
  ExecutionStatus,
  Language,
  OutputListener,
  RunOptions,
} from '../../domain/sandbox-runtime.js';
import type { RichResult } from '../../domain/rich-result.js';

export interface SessionLimits {
  readonly memoryBytes: number;
  readonly processes: number;
  /** The size of the working directory, which is in memory. */
  readonly filesBytes: number;
}

export interface SessionStart {
  readonly id: string;
  readonly language: Language;
  readonly limits: SessionLimits;
  readonly options?: Pick<RunOptions, 'environment' | 'timeZone' | 'locale' | 'typescript'>;
  /** Read-only directories, such as packages. */
  readonly mounts?: readonly Mount[];
  readonly network?: NetworkRules;
}

export interface SessionWork {
  readonly code: string;
  readonly stdin?: string;
  readonly timeoutMs: number;
  readonly outputBytes: number;
}

export interface ShellWork {
  readonly command: string;
  readonly stdin?: string;
  readonly timeoutMs: number;
  readonly outputBytes: number;
}

/** How a run or a command of the shell ended. */
export interface SessionOutcome {
  readonly status: ExecutionStatus;
  readonly stdout: string;
  readonly stderr: string;
  readonly truncated: { readonly stdout: boolean; readonly stderr: boolean };
  /** Of the command; 0 or 1 of a run. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly durationMs: number;
  readonly cpuMs: number;
  readonly memoryPeakBytes: number;
  readonly results: readonly RichResult[];
  readonly error?: ExecutionError;
  readonly runtime: { readonly name: string; readonly version: string };
  /** True when the interpreter had to be replaced, so that variables are gone. Files remain. */
  readonly stateLost: boolean;
}

export interface SessionFile {
  readonly path: string;
  readonly type: 'file' | 'directory' | 'other';
  readonly sizeBytes: number;
  readonly modifiedAtMs: number;
}

export type SessionEndReason = 'ended' | 'out_of_memory' | 'failed';

export interface SessionProcess {
  /** Never rejects. */
  readonly ended: Promise<SessionEndReason>;
  readonly isFrozen: boolean;
  run(work: SessionWork, signal?: AbortSignal, onOutput?: OutputListener): Promise<SessionOutcome>;
  shell(work: ShellWork, signal?: AbortSignal, onOutput?: OutputListener): Promise<SessionOutcome>;
  listFiles(path: string): Promise<readonly SessionFile[]>;
  readFile(path: string): Promise<Buffer>;
  writeFile(path: string, content: Buffer): Promise<void>;
  removeFile(path: string): Promise<void>;
  freeze(): Promise<void>;
  thaw(): void;
  end(): Promise<void>;
}

export class SessionFileNotFound extends Error {}
export class SessionFileTooLarge extends Error {}
export class SessionDiskFull extends Error {}
export class SessionPathInvalid extends Error {}

export abstract class SessionProcesses {
  abstract start(spec: SessionStart): Promise<SessionProcess>;
  abstract closeAll(): Promise<void>;
}
