import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import type { Readable } from 'node:stream';
import type { ServiceRole } from '../service.module.js';
import type { FromProcess, ToProcess } from './messages.js';

export interface ChildOptions {
  readonly role: ServiceRole;
  /** The command that runs `main.js`. */
  readonly command: readonly string[];
  readonly arguments: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
}

export interface ChildExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The reason that the process itself gave for its end. */
  readonly message: string | undefined;
}

/** Load from tenants must not slow the API down. Each step changes the share of processor time by a quarter. */
const NICENESS: Readonly<Record<ServiceRole, number>> = { api: 0, edge: 3, worker: 6, databases: 3 };

/**
 * V8 grows the space for young objects under load and never shrinks it, so four idle processes would waste 270 MB. The
 * API gets the largest limit, because it is a tenth faster with it.
 */
const MEMORY: Readonly<Record<ServiceRole, readonly string[]>> = {
  api: ['--max-semi-space-size=8'],
  edge: ['--max-semi-space-size=4'],
  worker: ['--max-semi-space-size=4'],
  databases: ['--max-semi-space-size=4'],
};

type MessageOf<Kind extends FromProcess['kind']> = Extract<FromProcess, { kind: Kind }>;

/** A process of the service, started by the supervisor. */
export class Child {
  readonly role: ServiceRole;
  readonly exited: Promise<ChildExit>;
  private readonly process: ChildProcess;
  private readonly received = new Map<FromProcess['kind'], FromProcess>();
  private readonly messages = new EventEmitter();

  constructor({ role, command, arguments: args, environment }: ChildOptions) {
    this.role = role;
    const [program, ...options] = command;
    const [first, ...rest] = [...endsWithItsParent(), program!, ...MEMORY[role], ...options, role, ...args];
    // In its own session, so that Ctrl-C reaches only the supervisor, which stops all processes in order.
    this.process = spawn(first!, rest, {
      env: environment,
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
    yieldToApi(this.process.pid, NICENESS[role]);
    this.exited = new Promise((resolve) => {
      this.process.once('error', (error) => {
        resolve({ code: null, signal: null, message: error.message });
      });
      // The event comes once the output has been read to the end, too.
      this.process.once('close', (code, signal) => {
        resolve({ code, signal, message: (this.received.get('failed') as MessageOf<'failed'> | undefined)?.message });
      });
    });
    this.process.on('message', (message: FromProcess) => {
      this.received.set(message.kind, message);
      this.messages.emit(message.kind, message);
    });
  }

  get pid(): number | undefined {
    return this.process.pid;
  }

  get output(): Readable {
    return this.process.stdout!;
  }

  /** @returns a function that unsubscribes. */
  on<Kind extends FromProcess['kind']>(kind: Kind, listener: (message: MessageOf<Kind>) => void): () => void {
    this.messages.on(kind, listener);
    return () => {
      this.messages.off(kind, listener);
    };
  }

  /** Waits for a message of this kind. @throws {ProcessEnded} when the process ends instead. */
  async said<Kind extends FromProcess['kind']>(kind: Kind): Promise<MessageOf<Kind>> {
    const earlier = this.received.get(kind);
    if (earlier !== undefined) return earlier as MessageOf<Kind>;
    const abort = new AbortController();
    const ended = this.exited.then((exit) => {
      throw new ProcessEnded(this.role, exit);
    });
    try {
      const [message] = (await Promise.race([once(this.messages, kind, { signal: abort.signal }), ended])) as [
        MessageOf<Kind>,
      ];
      return message;
    } finally {
      abort.abort();
      ended.catch(() => undefined);
    }
  }

  /** Sends a message. A process that has ended ignores it. */
  tell(message: ToProcess): void {
    if (this.process.connected) this.process.send(message, () => undefined);
  }

  /** Resolves when the process has exited. It is killed if it is not ready yet or does not stop in time. */
  async stop({
    withinMs,
    ...how
  }: {
    readonly atOnce: boolean;
    readonly elapsedMs: number;
    readonly withinMs: number;
  }): Promise<void> {
    this.tell({ kind: 'stop', ...how });
    const kill = setTimeout(
      () => {
        this.process.kill('SIGKILL');
      },
      this.received.has('ready') ? withinMs : 0,
    );
    await this.exited;
    clearTimeout(kill);
  }
}

/** A process ended unexpectedly. */
export class ProcessEnded extends Error {
  constructor(
    readonly role: ServiceRole,
    { code, signal, message }: ChildExit,
  ) {
    super(
      message ??
        `The process ${role} ended (${signal === null ? `exit code ${code ?? 'unknown'}` : `signal ${signal}`}).`,
    );
  }
}

/** The process has its own session. With `autogroup`, the kernel uses the priority of the session. */
function yieldToApi(pid: number | undefined, niceness: number): void {
  if (pid === undefined || niceness === 0) return;
  try {
    setPriority(pid, niceness);
    writeFileSync(`/proc/${pid}/autogroup`, String(niceness));
  } catch {
    // The kernel has no autogroups, or the process has ended, which its exit reports.
  }
}

let bond: string[] | undefined;

/**
 * With this option, the kernel ends the process when its parent dies, however busy the process is. The setpriv of
 * BusyBox lacks the option; there the process exits when the channel closes.
 */
function endsWithItsParent(): string[] {
  if (bond === undefined) {
    const { stdout } = spawnSync('setpriv', ['--help'], { encoding: 'utf8' }) as { readonly stdout: string | null };
    bond = stdout?.includes('--pdeathsig') === true ? ['setpriv', '--pdeathsig', 'KILL', '--'] : [];
  }
  return bond;
}
