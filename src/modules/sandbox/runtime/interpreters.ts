import { statSync } from 'node:fs';

import { type IsolationSpec, type Mount } from '../../../platform/isolation/isolation-spec.js';
import { type Isolation } from '../../../platform/isolation/isolation.js';
import { ANONYMOUS_LIMITS, type Interpreter, type RequiredFile } from '../languages/interpreter.js';
import { JavaScriptInterpreter, TypeScriptInterpreter } from '../languages/node-interpreter.js';
import { PythonInterpreter } from '../languages/python-interpreter.js';
import { type Language } from '../sandbox-runtime.js';

/** The interpreters of all languages, as sandboxes can start them on this machine. */
export class Interpreters {
  private readonly byLanguage: Readonly<Record<Language, Interpreter>> = {
    javascript: new JavaScriptInterpreter(),
    typescript: new TypeScriptInterpreter(),
    python: new PythonInterpreter(),
  };

  /** Located once: whoever exchanges an interpreter under a running service starts it again. */
  private readonly mounts = new Map<Language, Promise<readonly Mount[]>>();

  constructor(private readonly isolation: Isolation) {}

  get(language: Language): Interpreter {
    return this.byLanguage[language];
  }

  /** What is to be installed before the languages can run. */
  missing(): string[] {
    const absent = Object.values(this.byLanguage).flatMap(({ requires }) => requires).filter((file) => !isThere(file));
    return [...new Set(absent.map(({ missing }) => missing))];
  }

  /** What to start for a run in the language. */
  async specOf(language: Language, limits: { memoryBytes: number; cpuMs: number }): Promise<IsolationSpec> {
    const interpreter = this.byLanguage[language];
    return {
      command: interpreter.command(limits.memoryBytes),
      mounts: await this.mountsOf(language),
      environment: interpreter.environment,
      limits: { ...ANONYMOUS_LIMITS, ...limits, idleDataBytes: interpreter.idleDataBytes },
    };
  }

  private async mountsOf(language: Language): Promise<readonly Mount[]> {
    const known = this.mounts.get(language) ?? Promise.all(this.byLanguage[language].requires.map(async ({ from, to, kind }) => ({
      // Only single files are copied: a standard library lies where everyone can read it, or is reported as missing.
      from: kind === 'file' ? await this.isolation.reachable(from) : from,
      to,
    })));
    this.mounts.set(language, known);
    return known;
  }
}

function isThere({ from, kind }: RequiredFile): boolean {
  const found = from === '' ? undefined : statSync(from, { throwIfNoEntry: false });
  return found !== undefined && (kind === 'file' ? found.isFile() : found.isDirectory());
}
