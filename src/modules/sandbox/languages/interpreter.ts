import { type IsolationSpec, type Mount } from '../../../platform/isolation/isolation-spec.js';
import { type Language, type SandboxFile } from '../domain/sandbox-runtime.js';
import { workOf } from './work.js';

/** How the code of one language, or of several that share a program, is run inside the sandbox. */
export abstract class Interpreter {
  abstract readonly languages: readonly Language[];

  /** As people call it: `node`, `python`. */
  abstract readonly name: string;

  /** What must be readable inside; located when the service starts, not when it runs. */
  abstract readonly requires: readonly RequiredFile[];

  /** Code that prints the interpreter's version; the probe runs it. */
  abstract readonly versionCode: string;

  /** The program to start for a run with so much memory. `mounts` are those of {@link requires}. */
  abstract command(memoryBytes: number): readonly string[];

  /** What the started program is given to run the code. */
  input(language: Language, code: string, files: readonly SandboxFile[] = []): Buffer {
    return workOf(language, code, files);
  }

  abstract readonly environment: Readonly<Record<string, string>>;

  /** See `StartLimits.idleDataBytes`. Measured, with room. */
  abstract readonly idleDataBytes: number;
}

/** A file, or a directory, that the interpreter needs, and what to install when it is not there. */
export interface RequiredFile extends Mount {
  readonly missing: string;
  readonly kind: 'file' | 'directory';
}

/** The parts of {@link IsolationSpec} that are the same for every language of the anonymous sandbox. */
export const ANONYMOUS_LIMITS: Omit<IsolationSpec['limits'], 'memoryBytes' | 'idleDataBytes' | 'cpuMs'> = {
  tasks: 64,
  openFiles: 256,
  scratchBytes: 16 * 1024 * 1024,
  scratchFiles: 1024,
};
