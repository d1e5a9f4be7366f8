import { statSync } from 'node:fs';

import {
  type IsolationSpec,
  type Mount,
  type StartLimits,
  type TemplateSpec,
} from '../../../platform/isolation/isolation-spec.js';
import { type Isolation } from '../../../platform/isolation/isolation.js';
import { ANONYMOUS_LIMITS, type Interpreter, type RequiredFile } from '../languages/interpreter.js';
import { NodeInterpreter } from '../languages/node-interpreter.js';
import { PythonInterpreter } from '../languages/python-interpreter.js';
import { type Language } from '../domain/sandbox-runtime.js';

const TEMPLATE_MEMORY_BYTES = 256 * 1024 * 1024;

/** The interpreters of all languages on this machine. */
export class Interpreters {
  readonly all: readonly Interpreter[] = [new NodeInterpreter(), new PythonInterpreter()];

  /** The files are located once. The operator restarts the service after replacing an interpreter. */
  private readonly mounts = new Map<Interpreter, Promise<readonly Mount[]>>();

  constructor(private readonly isolation: Isolation) {}

  get(language: Language): Interpreter {
    return this.all.find(({ languages }) => languages.includes(language))!;
  }

  /** Lists what must be installed before the languages can run. */
  missing(): string[] {
    const absent = this.all.flatMap(({ requires }) => requires).filter((file) => !isThere(file));
    return [...new Set(absent.map(({ missing }) => missing))];
  }

  /** Returns what to start for a run with these limits. */
  async specOf(interpreter: Interpreter, limits: { memoryBytes: number; cpuMs: number }): Promise<IsolationSpec> {
    return {
      command: interpreter.command(limits.memoryBytes),
      mounts: await this.mountsOf(interpreter),
      environment: interpreter.environment,
      limits: limitsOf(interpreter, limits),
    };
  }

  /** Returns what to start for an interpreter that can fork; null for any other. */
  async templateOf({ template, requires, environment }: Interpreter): Promise<TemplateSpec | null> {
    if (template === null) return null;
    const mounts = await this.locate([...requires, ...template.requires]);
    return { command: template.command, mounts, environment, memoryBytes: TEMPLATE_MEMORY_BYTES };
  }

  private mountsOf(interpreter: Interpreter): Promise<readonly Mount[]> {
    const known = this.mounts.get(interpreter) ?? this.locate(interpreter.requires);
    this.mounts.set(interpreter, known);
    // A failure is not cached, because it may be repaired while the service runs.
    known.catch(() => this.mounts.delete(interpreter));
    return known;
  }

  private locate(requires: readonly RequiredFile[]): Promise<readonly Mount[]> {
    return Promise.all(
      requires.map(async ({ from, to, kind }) => ({
        // Only single files are copied. A standard library must be readable for all users, or it counts as missing.
        from: kind === 'file' ? await this.isolation.reachable(from) : from,
        to,
      })),
    );
  }
}

export function limitsOf({ idleDataBytes }: Interpreter, limits: { memoryBytes: number; cpuMs: number }): StartLimits {
  return { ...ANONYMOUS_LIMITS, ...limits, idleDataBytes };
}

function isThere({ from, kind }: RequiredFile): boolean {
  const found = from === '' ? undefined : statSync(from, { throwIfNoEntry: false });
  return found !== undefined && (kind === 'file' ? found.isFile() : found.isDirectory());
}
