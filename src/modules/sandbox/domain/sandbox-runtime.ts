import { type ArtifactError, type ArtifactSink } from './artifacts.js';
import { type RichResult } from './rich-result.js';

/** The languages of the anonymous sandbox (service document §4, §8). */
export const LANGUAGES = ['typescript', 'javascript', 'python'] as const;
export type Language = (typeof LANGUAGES)[number];

/** How a run ended. In all five cases the platform did its work; its own failures are thrown. */
export type ExecutionStatus = 'succeeded' | 'failed' | 'timed_out' | 'out_of_memory' | 'output_limit';

/** The limit of standard output and of standard error, each. It is the same on every plan. */
export const OUTPUT_BYTES = 1_048_576;

/** How many processes and threads a program of an organization may have beyond its threads, on every plan. */
export const PROCESSES = 64;

/** What one run may use. Each limit holds even against code that tries to break it. */
export interface SandboxLimits {
  /** Wall time from the moment the code starts. */
  readonly timeoutMs: number;
  readonly memoryBytes: number;
  /** Applies to standard output and to standard error separately. */
  readonly outputBytes: number;
  /** How many processes the program may start. None by default. */
  readonly processes?: number;
  /** The size of the artifacts together. Undefined for a run that sends none. */
  readonly artifactBytes?: number;
}

/** Where tsconfig.json has the same names, the values mean the same. */
export interface TypeScriptOptions {
  /** Decorators as they were before ECMAScript had its own. */
  readonly experimental_decorators?: boolean;
  /** The code has JSX, for `React.createElement` (`react`) or `react/jsx-runtime` (`react-jsx`). */
  readonly jsx?: JsxMode;
}

export const JSX_MODES = ['react', 'react-jsx'] as const;
export type JsxMode = (typeof JSX_MODES)[number];

/** How the code is run, beside its limits. */
export interface RunOptions {
  /** The arguments of the program, after its name. */
  readonly args?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** A name of the time zone database, such as `Europe/Berlin`. */
  readonly timeZone?: string;
  /** A BCP 47 tag, such as `de-DE`. */
  readonly locale?: string;
  readonly typescript?: TypeScriptOptions;
  /** Checks the types of TypeScript first; a program with errors does not start. */
  readonly check?: boolean;
  /** Shows the last expression and the figures of a program in Python. */
  readonly richResults?: boolean;
  /** Each is read by `parseAllowedHost`. Undefined for a program without a network. */
  readonly allowedHosts?: readonly string[];
}

/** A file beside the code, in the working directory of the run. */
export interface SandboxFile {
  /** Checked by `isFilePath`. */
  readonly path: string;
  readonly content: string;
}

export interface SandboxRun {
  /** `exe_…`; names the run in logs. */
  readonly id: string;
  readonly language: Language;
  readonly code: string;
  readonly stdin: string;
  /** Written inside the sandbox before the code starts. */
  readonly files?: readonly SandboxFile[];
  readonly options?: RunOptions;
  /** Installed packages for the language, in a directory of this machine. */
  readonly packages?: { readonly directory: string };
  readonly limits: SandboxLimits;
  /** The host directory with the socket of an `EgressProxy`, for a run with a network. */
  readonly egressDirectory?: string;
}

/** One error of the types of a program. */
export interface Diagnostic {
  /** Relative to the working directory; `main.ts` is the program. Absent where an error is in no file. */
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  /** Such as `TS2322`. */
  readonly code: string;
  readonly message: string;
}

/** An uncaught error, a syntax error or the errors of types of the user's code, in the lines of that code. */
export interface ExecutionError {
  readonly name: string;
  readonly message: string;
  readonly line?: number;
  readonly column?: number;
  readonly stack?: string;
  /** What the check of types found. */
  readonly diagnostics?: readonly Diagnostic[];
}

export interface SandboxOutcome {
  readonly status: ExecutionStatus;
  /** Decoded as UTF-8; invalid bytes are shown as U+FFFD. */
  readonly stdout: string;
  readonly stderr: string;
  /** Null when a signal ended the run. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly durationMs: number;
  readonly cpuMs: number;
  readonly memoryPeakBytes: number;
  readonly truncated: { readonly stdout: boolean; readonly stderr: boolean };
  readonly runtime: { readonly name: string; readonly version: string };
  readonly error?: ExecutionError;
  /** Undefined without `richResults`. */
  readonly results?: readonly RichResult[];
  /** What is not kept of the artifacts of a run that sends them. */
  readonly artifactErrors?: readonly ArtifactError[];
  /** In a session: true when its variables were lost. */
  readonly stateLost?: boolean;
}

/** Text that a program has written, in the order in which it arrived. */
export interface OutputPiece {
  readonly stream: 'stdout' | 'stderr';
  /** Decoded as in {@link SandboxOutcome}: the pieces of a stream together are its whole output. */
  readonly text: string;
}

export type OutputListener = (pieces: readonly OutputPiece[]) => void;

/** The result of the start-up probe. Without isolation nothing is ever run. */
export type SandboxReadiness =
  | { readonly available: true; readonly mode: string }
  | { readonly available: false; readonly missing: readonly string[] };

/** Runs untrusted code in isolation. This port keeps the sandbox independent of the isolation technique. */
export abstract class SandboxRuntime {
  /** Tests the isolation with real runs and remembers the result. Call it before the first run. */
  abstract probe(): Promise<SandboxReadiness>;

  /** The last result of {@link probe}. */
  abstract readonly readiness: SandboxReadiness;

  /**
   * Runs the code once and leaves nothing behind. An aborted signal ends the run at once. `onOutput` gets all output
   * before this resolves; it must not throw. `artifacts` gets the files of a run that sends them.
   *
   * @throws {Error} when the platform, not the code, failed.
   */
  abstract run(
    run: SandboxRun,
    signal?: AbortSignal,
    onOutput?: OutputListener,
    artifacts?: ArtifactSink,
  ): Promise<SandboxOutcome>;

  /** Ends every active run and frees what the runtime holds. */
  abstract close(): Promise<void>;
}
