import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import type { Readable } from 'node:stream';
import type { ServiceRole } from '../service.module.js';
import type { FromProcess, ToProcess } from './messages.js';

export interface ChildOptions {
  readonly role: ServiceRole;
  /** What runs `main.js`. */
  readonly command: readonly string[];
  readonly arguments: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
}

export interface ChildExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** What it said about its end itself. */
  readonly message: string | undefined;
}

/** What tenants cause in a process must not keep the API waiting. Each step is worth a quarter of processor time. */
const NICENESS: Readonly<Record<ServiceRole, number>> = { api: 0, edge: 3, worker: 6 };

/**
 * V8 lets the space for young objects grow to what a busy process likes, and never gives it back: three idle processes
 * would hold 200 MB of nothing. The API keeps most of it, since it is a tenth faster for that.
 */
const MEMORY: Readonly<Record<ServiceRole, readonly string[]>> = {
  api: ['--max-semi-space-size=8'],
  edge: ['--max-semi-space-size=4'],
  worker: ['--max-semi-space-size=4'],
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
    // A session of its own: Ctrl-C reaches the supervisor alone, which ends all of them in order.
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
      // Emitted when its output has been read to the end as well.
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

  /** @returns what to call when nothing more is to be heard. */
  on<Kind extends FromProcess['kind']>(kind: Kind, listener: (message: MessageOf<Kind>) => void): () => void {
    this.messages.on(kind, listener);
    return () => {
      this.messages.off(kind, listener);
    };
  }

  /** Waits until it has said so. @throws {ProcessEnded} when it ends instead. */
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

  /** A process that has ended does not hear it. */
  tell(message: ToProcess): void {
    if (this.process.connected) this.process.send(message, () => undefined);
  }

  /** Resolves when the process is gone. One that does not stop in time, or is not ready yet, is killed. */
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

/** A process ended that was to go on. */
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

/** The process has a session of its own, and where the kernel compares sessions first (`autogroup`) that one counts. */
function yieldToApi(pid: number | undefined, niceness: number): void {
  if (pid === undefined || niceness === 0) return;
  try {
    setPriority(pid, niceness);
    writeFileSync(`/proc/${pid}/autogroup`, String(niceness));
  } catch {
    // A kernel without sessions of its scheduler, or a process that has ended: its exit tells of that.
  }
}

let bond: string[] | undefined;

/**
 * The kernel ends the process when its parent dies, of whatever cause and however busy the process is. BusyBox has a
 * setpriv without this option; there the process ends itself when it sees that the channel is closed.
 */
function endsWithItsParent(): string[] {
  if (bond === undefined) {
    const { stdout } = spawnSync('setpriv', ['--help'], { encoding: 'utf8' }) as { readonly stdout: string | null };
    bond = stdout?.includes('--pdeathsig') === true ? ['setpriv', '--pdeathsig', 'KILL', '--'] : [];
  }
  return bond;
}
