import { join } from 'node:path';

import { type IsolationSpec, type Mount } from '../../../platform/isolation/isolation-spec.js';
import { type Language, type SandboxFile } from '../domain/sandbox-runtime.js';
import { type WorkOptions, workOf } from './work.js';

/** Runs the code of one language, or of several that share a program, inside the sandbox. */
export abstract class Interpreter {
  abstract readonly languages: readonly Language[];

  /** The common name of the program, such as `node` or `python`. */
  abstract readonly name: string;

  /** The files that must be readable inside. They are located when the service starts, not for each run. */
  abstract readonly requires: readonly RequiredFile[];

  /** Code that prints the interpreter's version; the probe runs it. */
  abstract readonly versionCode: string;

  /** What to start once, to fork a process for each run; null where a run can only be started by itself. */
  readonly template: InterpreterTemplate | null = null;

  /** The program to start for a run with this memory limit. */
  abstract command(memoryBytes: number): readonly string[];

  /** Encodes the code, its files and its options for the started program. */
  input(
    { language, code, files = [] }: { language: Language; code: string; files?: readonly SandboxFile[] | undefined },
    options: WorkOptions = {},
  ): Buffer {
    return workOf(language, code, files, options);
  }

  abstract readonly environment: Readonly<Record<string, string>>;

  /** See `StartLimits.idleDataBytes`. The values are measured, with a margin. */
  abstract readonly idleDataBytes: number;
}

/** The interpreter as a program of the protocol of `TemplateSpec`. */
export interface InterpreterTemplate {
  readonly command: readonly string[];
  /** What it needs beside {@link Interpreter.requires}. */
  readonly requires: readonly RequiredFile[];
}

/** A file or directory that the interpreter needs, and what to install when it is missing. */
export interface RequiredFile extends Mount {
  readonly missing: string;
  /** A directory is one of the system, and a package one of the project. */
  readonly kind: 'file' | 'package' | 'directory';
}

/** A file that the build puts beside this one. */
export const besideThis = (name: string, to: string): RequiredFile => ({
  from: join(__dirname, name),
  to,
  kind: 'file',
  missing: `${name} (npm run build)`,
});

/** What libraries read of a system: its one user, and the name of its one interface. */
export const SYSTEM_FILES: readonly RequiredFile[] = ['passwd', 'group', 'hosts', 'nsswitch.conf'].map((name) =>
  besideThis(`etc/${name}.txt`, `/etc/${name}`),
);

/** The limits of {@link IsolationSpec} that are the same for every language. */
export const ANONYMOUS_LIMITS: Omit<
  IsolationSpec['limits'],
  'memoryBytes' | 'sharedBytes' | 'idleDataBytes' | 'cpuMs'
> = {
  tasks: 64,
  openFiles: 256,
  scratchBytes: 16 * 1024 * 1024,
  scratchFiles: 1024,
};
