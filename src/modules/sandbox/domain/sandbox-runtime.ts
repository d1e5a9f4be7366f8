/** The languages of the anonymous sandbox (service document §4, §8). */
export const LANGUAGES = ['typescript', 'javascript', 'python'] as const;
export type Language = (typeof LANGUAGES)[number];

/** How a run ended. All five are the platform having done its work; its own failures are thrown. */
export type ExecutionStatus = 'succeeded' | 'failed' | 'timed_out' | 'out_of_memory' | 'output_limit';

/** Of standard output and of standard error, each; whoever runs the code. */
export const OUTPUT_BYTES = 1_048_576;

/** What one run may use. Each bound holds even against code that works to break it. */
export interface SandboxLimits {
  /** Wall time from the moment the code starts. */
  readonly timeoutMs: number;
  readonly memoryBytes: number;
  /** Of standard output and of standard error, each. */
  readonly outputBytes: number;
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
  readonly limits: SandboxLimits;
}

/** An uncaught error or a syntax error of the user's code, in the lines of that code. */
export interface ExecutionError {
  readonly name: string;
  readonly message: string;
  readonly line?: number;
  readonly column?: number;
  readonly stack?: string;
}

export interface SandboxOutcome {
  readonly status: ExecutionStatus;
  /** UTF-8; bytes that are not are shown as U+FFFD. */
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
}

/** What the start-up probe found. Without isolation nothing is ever run. */
export type SandboxReadiness =
  | { readonly available: true; readonly mode: string }
  | { readonly available: false; readonly missing: readonly string[] };

/** Runs untrusted code in isolation; the port between the sandbox and how it isolates. */
export abstract class SandboxRuntime {
  /** Tries the isolation for real and remembers the answer; call it before the first run. */
  abstract probe(): Promise<SandboxReadiness>;

  /** The last answer of {@link probe}. */
  abstract readonly readiness: SandboxReadiness;

  /**
   * Runs the code once and leaves nothing behind. An aborted signal ends the run at once.
   *
   * @throws {Error} when the platform, not the code, failed.
   */
  abstract run(run: SandboxRun, signal?: AbortSignal): Promise<SandboxOutcome>;

  /** Ends every run that is still going and frees what the runtime holds. */
  abstract close(): Promise<void>;
}
