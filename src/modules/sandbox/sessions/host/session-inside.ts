import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { type Isolation } from '../../../../platform/isolation/isolation.js';
import { type Mount } from '../../../../platform/isolation/isolation-spec.js';
import { type LaunchSpec } from '../../../../platform/isolation/launch-spec.js';
import { ARTIFACTS_DIRECTORY, MAX_ARTIFACT_BYTES } from '../../domain/artifacts.js';
import { type Language } from '../../domain/sandbox-runtime.js';
import { ANONYMOUS_LIMITS, type Interpreter, type RequiredFile } from '../../languages/interpreter.js';
import { NodeInterpreter, packageInside } from '../../languages/node-interpreter.js';
import { PythonInterpreter } from '../../languages/python-interpreter.js';
import { EGRESS_DIRECTORY, EGRESS_ENVIRONMENT } from '../../runtime/interpreters.js';
import { localeVariables } from '../../runtime/work-options.js';
import { frameOf } from './frames.js';
import { type AgentRequest } from './agent-messages.js';
import { type SessionEgress, type SessionStart } from './session-process.js';

const MEBIBYTE = 1024 * 1024;
/** The working directory, which is the home as well. */
const HOME = '/session';
const AGENT = '/runtime/session-agent.py';
const PYTHON = '/runtime/session-python.py';
const NODE = '/runtime/session-node.cjs';
const EGRESS = '/runtime/session-egress.py';
const RESULTS = '/runtime/python-results.py';
const PARSER = 'acorn';
/** Programs that commands and code can start. On most systems one is a link to the other. */
const SYSTEM = ['/usr/bin', '/bin', '/usr/share/zoneinfo', '/usr/share/ca-certificates', '/etc/ssl/certs'];
/** Node is in the first one. */
const COMMAND_PATH = '/runtime:/usr/bin:/bin';
const SHARED_MEMORY = '/dev/shm';
/** `/dev/shm` may have this part of the memory, which its contents count into. */
const SHARED_PART = 2;
const TEMPORARY_BYTES = 64 * MEBIBYTE;
const OPEN_FILES = 1_024;
/** What the agent needs of the memory. An interpreter is refused more before the kernel has to end anything. */
const AGENT_BYTES = 24 * MEBIBYTE;
/** Only the agent itself writes there. */
const SAID_BYTES = 65_536;

/** What a session finds inside. The files are located once; the operator restarts the service after replacing one. */
export class SessionInside {
  readonly node = new NodeInterpreter();
  readonly python = new PythonInterpreter();

  private mounts: Promise<readonly Mount[]> | undefined;

  constructor(private readonly isolation: Isolation) {}

  interpreterOf(language: Language): Interpreter {
    return language === 'python' ? this.python : this.node;
  }

  /** Returns what to launch. `said` gets what the agent writes to standard error. */
  async specOf(start: SessionStart, said: (text: string) => void): Promise<LaunchSpec> {
    const { limits, mounts = [], egress } = start;
    // Where nothing counts the buffers of internet sockets, they would be memory without a limit, as in executions.
    const { network = this.isolation.countsSockets ? 'loopback' : 'none' } = start;
    return {
      command: this.pythonCommand(AGENT),
      mounts: [...(await this.located()), ...mounts, ...egressMountsOf(egress)],
      writable: [],
      scratch: [
        { to: HOME, bytes: limits.filesBytes },
        { to: SHARED_MEMORY, bytes: Math.floor(limits.memoryBytes / SHARED_PART) },
        // In memory, too. A full disk is an error that a program can handle; memory that runs out is not.
        { to: ARTIFACTS_DIRECTORY, bytes: Math.min(limits.filesBytes, MAX_ARTIFACT_BYTES) },
      ],
      directory: HOME,
      environment: { HOME, LANG: 'C.UTF-8', PATH: COMMAND_PATH },
      network,
      limits: {
        memoryBytes: limits.memoryBytes,
        tasks: ANONYMOUS_LIMITS.tasks + limits.processes,
        openFiles: OPEN_FILES,
        fileBytes: Math.max(limits.filesBytes, limits.memoryBytes),
        scratchBytes: TEMPORARY_BYTES,
        wallMs: null,
        cpuMs: null,
      },
      output: {
        line: (_stream, text) => {
          said(text);
        },
        bytes: SAID_BYTES,
        rawStdout: true,
      },
      stdin: frameOf(this.startOf(start), Buffer.from(JSON.stringify(environmentOf(start)))),
      sendsMore: true,
    };
  }

  private startOf({ language, limits, options = {}, egress }: SessionStart): AgentRequest {
    const { memoryBytes } = limits;
    const { idleDataBytes } = this.python;
    return {
      op: 'start',
      command:
        language === 'python'
          ? this.pythonCommand(PYTHON)
          : this.node.sessionCommand(memoryBytes - AGENT_BYTES, {
              script: NODE,
              parser: PARSER,
              language,
              options: options.typescript ?? {},
            }),
      // V8 reserves so much for each worker that only its heap can be limited like this.
      data_bytes: language === 'python' ? Math.max(0, memoryBytes - AGENT_BYTES) + idleDataBytes : null,
      egress: egress === undefined ? null : this.pythonCommand(EGRESS),
    };
  }

  private pythonCommand(script: string): readonly string[] {
    return this.python.commandOf(script);
  }

  private located(): Promise<readonly Mount[]> {
    const known = this.mounts ?? this.locate();
    this.mounts = known;
    // A failure is not cached, because it may be repaired while the service runs.
    known.catch(() => {
      this.mounts = undefined;
    });
    return known;
  }

  private async locate(): Promise<readonly Mount[]> {
    const required = [
      ...this.python.requires,
      ...this.node.requires,
      packageInside(PARSER),
      ours(join(__dirname, '../inside/session-agent.py'), AGENT),
      ours(join(__dirname, '../inside/session-python.py'), PYTHON),
      ours(join(__dirname, '../inside/session-node.cjs'), NODE),
      ours(join(__dirname, '../inside/session-egress.py'), EGRESS),
      ours(join(__dirname, '../../languages/python-results.py'), RESULTS),
    ];
    const byPlace = new Map(required.map((file) => [file.to, file]));
    const files = await Promise.all(
      [...byPlace.values()].map(async ({ from, to, kind }) => ({
        from: kind === 'directory' ? from : await this.isolation.reachable(from),
        to,
      })),
    );
    const taken = new Set(files.map(({ to }) => to));
    return [
      ...SYSTEM.filter((path) => existsSync(path) && !taken.has(path)).map((path) => ({ from: path, to: path })),
      ...files,
    ];
  }
}

const ours = (from: string, to: string): RequiredFile => ({
  from,
  to,
  kind: 'file',
  missing: `${from} (npm run build)`,
});

const egressMountsOf = (egress: SessionEgress | undefined): readonly Mount[] =>
  egress === undefined ? [] : [{ from: egress.directory, to: EGRESS_DIRECTORY }];

function environmentOf({ options = {}, egress }: SessionStart): Record<string, string> {
  const { environment = {}, timeZone, locale } = options;
  return {
    HOME,
    LANG: 'C.UTF-8',
    PATH: COMMAND_PATH,
    USER: 'sandbox',
    ...(egress === undefined ? {} : EGRESS_ENVIRONMENT),
    ...environment,
    ...(timeZone === undefined ? {} : { TZ: timeZone }),
    ...localeVariables(locale),
  };
}
