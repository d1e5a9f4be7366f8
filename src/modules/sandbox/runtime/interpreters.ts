import { existsSync, statSync } from 'node:fs';

import {
  type IsolationSpec,
  type Mount,
  type ProcessesInside,
  type StartLimits,
  type TemplateSpec,
} from '../../../platform/isolation/isolation-spec.js';
import { type Isolation } from '../../../platform/isolation/isolation.js';
import { WITH_EGRESS } from '../../../platform/egress/egress-proxy.js';
import { ANONYMOUS_LIMITS, type Interpreter, type RequiredFile } from '../languages/interpreter.js';
import { NodeInterpreter } from '../languages/node-interpreter.js';
import { PythonInterpreter } from '../languages/python-interpreter.js';
import { ARTIFACTS_DIRECTORY, MAX_ARTIFACT_BYTES } from '../domain/artifacts.js';
import { type Language } from '../domain/sandbox-runtime.js';

const TEMPLATE_MEMORY_BYTES = 256 * 1024 * 1024;
/** `/dev/shm` may have this part of the memory of a run, which its contents count into. */
const SHARED_PART = 2;
/** Programs that code can start, where it may start any. On most systems one is a link to the other. */
const COMMANDS: readonly Mount[] = ['/usr/bin', '/bin'].map((path) => ({ from: path, to: path }));
/** Node is in the first one. */
const COMMAND_PATH = '/runtime:/usr/bin:/bin';

const NODE = '/runtime/node';
/** Where the socket of the proxy is. */
export const EGRESS_DIRECTORY = '/run/egress';
const EGRESS_PROGRAM = '/runtime/with-egress.cjs';
/** The certificates of the machine, for Python and the programs of the system. Node has its own. */
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';
const PROXY = 'http://127.0.0.1:3128';
const INSIDE_ONLY = 'localhost,127.0.0.1';
/** How programs find the way out. */
export const EGRESS_ENVIRONMENT: Readonly<Record<string, string>> = {
  http_proxy: PROXY,
  https_proxy: PROXY,
  no_proxy: INSIDE_ONLY,
  HTTP_PROXY: PROXY,
  HTTPS_PROXY: PROXY,
  NO_PROXY: INSIDE_ONLY,
  NODE_USE_ENV_PROXY: '1',
  SSL_CERT_FILE: CERTIFICATES,
};

/** The limits of a run that are set when its sandbox starts. */
interface AskedLimits {
  readonly memoryBytes: number;
  readonly cpuMs: number;
  readonly processes?: number | undefined;
  readonly artifactBytes?: number | undefined;
  readonly egressDirectory?: string | undefined;
}

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
  async specOf(interpreter: Interpreter, limits: AskedLimits): Promise<IsolationSpec> {
    const processes = processesInside(limits);
    const spec = {
      command: interpreter.command(limits.memoryBytes),
      ...placeOf(interpreter, await this.mountsOf(interpreter), processes),
      limits: limitsOf(interpreter, limits),
    };
    const { egressDirectory } = limits;
    return egressDirectory === undefined ? spec : withEgress(spec, await this.egressMounts(egressDirectory));
  }

  /** What the program that leads to the proxy needs. It is a program of Node. */
  private async egressMounts(directory: string): Promise<readonly Mount[]> {
    const node = await this.mountsOf(this.get('javascript'));
    return [
      ...node.filter(({ to }) => to === NODE),
      { from: await this.isolation.reachable(WITH_EGRESS), to: EGRESS_PROGRAM },
      { from: directory, to: EGRESS_DIRECTORY },
      ...(existsSync(CERTIFICATES) ? [{ from: CERTIFICATES, to: CERTIFICATES }] : []),
    ];
  }

  /** Returns what to start for an interpreter that can fork; null for any other. */
  async templateOf(interpreter: Interpreter, processes: ProcessesInside): Promise<TemplateSpec | null> {
    const { template, requires } = interpreter;
    if (template === null) return null;
    const mounts = await this.locate([...requires, ...template.requires]);
    return {
      command: template.command,
      ...placeOf(interpreter, mounts, processes),
      directories: processes === 'any' ? [ARTIFACTS_DIRECTORY] : [],
      memoryBytes: TEMPLATE_MEMORY_BYTES,
    };
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
        // A standard library is not copied. It must be readable for all users, or it counts as missing.
        from: kind === 'directory' ? from : await this.isolation.reachable(from),
        to,
      })),
    );
  }
}

/** The interpreter keeps its descriptors: three, its work and its report. */
function withEgress(spec: IsolationSpec, mounts: readonly Mount[]): IsolationSpec {
  const known = new Set(spec.mounts.map(({ to }) => to));
  return {
    ...spec,
    command: [NODE, EGRESS_PROGRAM, '--descriptors=5', ...spec.command],
    mounts: [...spec.mounts, ...mounts.filter(({ to }) => !known.has(to))],
    environment: { ...spec.environment, ...EGRESS_ENVIRONMENT },
  };
}

export function limitsOf({ idleDataBytes }: Interpreter, limits: AskedLimits): StartLimits {
  const { memoryBytes, cpuMs, processes = 0, artifactBytes } = limits;
  const sharedBytes = Math.floor(memoryBytes / SHARED_PART);
  const tasks = ANONYMOUS_LIMITS.tasks + processes;
  // Every run that may start processes has the directory, so that one that sends artifacts can take any such sandbox.
  const hasDirectory = processes > 0 || artifactBytes !== undefined;
  const directories = hasDirectory ? [{ to: ARTIFACTS_DIRECTORY, bytes: MAX_ARTIFACT_BYTES }] : [];
  return { ...ANONYMOUS_LIMITS, tasks, memoryBytes, cpuMs, idleDataBytes, sharedBytes, directories };
}

export const processesInside = ({ processes = 0 }: Pick<AskedLimits, 'processes'>): ProcessesInside =>
  processes > 0 ? 'any' : 'threads';

/** What a program finds inside. Where it may start others, these are there too. */
function placeOf(
  { environment }: Interpreter,
  mounts: readonly Mount[],
  processes: ProcessesInside,
): Pick<IsolationSpec, 'processes' | 'mounts' | 'environment'> {
  if (processes === 'threads') return { processes, mounts, environment };
  // The interpreter may be in one of them.
  return { processes, mounts: [...COMMANDS, ...mounts], environment: { ...environment, PATH: COMMAND_PATH } };
}

function isThere({ from, kind }: RequiredFile): boolean {
  const found = from === '' ? undefined : statSync(from, { throwIfNoEntry: false });
  return found !== undefined && (kind === 'file' ? found.isFile() : found.isDirectory());
}
