import { type ChildProcess, fork, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { beNice } from '../../../platform/isolation/cpu-share.js';
import { HandedShell } from './handed-shell.js';
import { GIT_NICENESS, shellCommand, WaitingShell } from './waiting-shell.js';

const HOST = join(__dirname, 'shell-host.cjs');
const SMALL = ['--max-old-space-size=64', '--max-semi-space-size=1'];
/** A push starts three programs one after the other, so the next ones are prepared while the last one works. */
const READY = 2;
/** Input, output, errors, and its work. */
const PIPES = 4;
const HANDED_OVER_WITHIN_MS = 10_000;
const HOST_AGAIN_AFTER_MS = 5_000;

type Account = { readonly uid: number; readonly gid: number } | undefined;

interface Message {
  readonly ready?: true;
  readonly id?: number;
  readonly pipe?: number;
  readonly pid?: number;
  readonly failed?: string;
  readonly code?: number | null;
  readonly signal?: NodeJS.Signals | null;
}

interface Asked {
  readonly pipes: Socket[];
  readonly resolve: (shell: HandedShell) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Has shells started by a small process beside this one, because starting one here would block all calls meanwhile.
 * Where that process is not there (yet), shells are started here.
 */
export class Shells {
  private host: ChildProcess | undefined;
  private isHostReady = false;
  private hostEndedAtMs = -Infinity;
  private isClosed = false;
  private lastId = 0;
  private pending = 0;
  private readonly asked = new Map<number, Asked>();
  private readonly running = new Map<number, HandedShell>();
  private readonly ready: WaitingShell[] = [];

  constructor(private readonly account: Account) {}

  async take(): Promise<WaitingShell> {
    this.startHost();
    for (let shell = this.ready.shift(); shell !== undefined; shell = this.ready.shift())
      if (shell.isReady) {
        this.fill();
        return shell;
      }
    const shell = await this.handedOver().catch(() => this.startHere());
    this.fill();
    return shell;
  }

  /** Ends shells that have no work. The others go on. */
  close(): void {
    this.isClosed = true;
    for (const shell of this.ready.splice(0)) shell.end();
    this.leaveHost();
  }

  private startHere(): WaitingShell {
    const { file, args, options } = shellCommand(this.account);
    return new WaitingShell(spawn(file, args, options));
  }

  private startHost(): void {
    if (this.isClosed || this.host !== undefined) return;
    if (performance.now() - this.hostEndedAtMs < HOST_AGAIN_AFTER_MS) return;
    let host: ChildProcess;
    try {
      host = forkHost();
    } catch {
      // The machine has no room for it now.
      this.hostEndedAtMs = performance.now();
      return;
    }
    this.host = host;
    host.on('error', () => {
      this.lose(host);
    });
    host.on('message', (message, handle) => {
      this.hear(message as Message, handle as Socket | undefined);
    });
    host.once('exit', () => {
      this.lose(host);
    });
    host.stdin?.on('error', () => undefined);
    for (const handle of [host, host.stdin as Socket | null]) handle?.unref();
    host.channel?.unref();
  }

  private fill(): void {
    for (; this.ready.length + this.pending < READY && this.isHostReady && !this.isClosed; this.pending++)
      this.handedOver()
        .then(
          (shell) => {
            if (this.isClosed) shell.end();
            else this.ready.push(shell);
          },
          // The next program starts a shell of its own.
          () => undefined,
        )
        .finally(() => this.pending--);
  }

  private async handedOver(): Promise<WaitingShell> {
    const { host } = this;
    if (host === undefined || !this.isHostReady) throw new Error('Nothing is there that starts shells.');
    const id = ++this.lastId;
    const shell = await new Promise<HandedShell>((resolve, reject) => {
      const late = setTimeout(() => {
        this.forget(id, new Error('A shell was not started in time.'));
      }, HANDED_OVER_WITHIN_MS);
      this.asked.set(id, {
        pipes: [],
        resolve: (given) => {
          clearTimeout(late);
          resolve(given);
        },
        reject: (error) => {
          clearTimeout(late);
          reject(error);
        },
      });
      host.send({ id, ...shellCommand(this.account, 0) }, (error) => {
        if (error !== null) this.forget(id, error);
      });
    });
    const waiting = new WaitingShell(shell);
    waiting.unref();
    return waiting;
  }

  private hear({ ready, id = 0, pipe, pid, failed, code, signal }: Message, handle: Socket | undefined): void {
    if (ready === true) {
      this.isHostReady = true;
      this.fill();
    }
    const asked = this.asked.get(id);
    // One that came too late has no work, and ends with its pipes.
    if (pipe !== undefined && asked === undefined) handle?.destroy();
    if (pipe !== undefined && asked !== undefined && handle !== undefined) asked.pipes[pipe] = handle;
    if (failed !== undefined) this.forget(id, new Error(failed));
    // Where this process may open no more files, pipes are lost on the way.
    if (pid !== undefined && asked !== undefined && Object.keys(asked.pipes).length < PIPES)
      this.forget(id, new Error('A shell was handed over without its pipes.'));
    else if (pid !== undefined && asked !== undefined) {
      const shell = new HandedShell(pid, asked.pipes);
      this.asked.delete(id);
      this.running.set(id, shell);
      asked.resolve(shell);
    }
    if (code !== undefined) {
      const shell = this.running.get(id);
      this.running.delete(id);
      if (shell === undefined) this.forget(id, new Error('A shell ended before it was handed over.'));
      shell?.end(code, signal ?? null);
      if (this.isClosed) this.leaveHost();
    }
  }

  private forget(id: number, error: Error): void {
    const asked = this.asked.get(id);
    this.asked.delete(id);
    for (const pipe of asked?.pipes ?? []) pipe.destroy();
    asked?.reject(error);
  }

  /** Nobody would say how its programs end, so that they end now. */
  private lose(host: ChildProcess): void {
    if (this.host !== host) return;
    this.host = undefined;
    host.stdin?.destroy();
    this.isHostReady = false;
    this.hostEndedAtMs = performance.now();
    for (const id of [...this.asked.keys()]) this.forget(id, new Error('What starts shells has ended.'));
    for (const shell of this.running.values()) {
      try {
        process.kill(-shell.pid, 'SIGKILL');
      } catch {
        // It has ended already.
      }
      shell.end(null, 'SIGKILL');
    }
    this.running.clear();
  }

  private leaveHost(): void {
    if (this.running.size === 0) this.host?.stdin?.destroy();
  }
}

/** In a session of its own, so that Ctrl-C at a terminal, after which pushes are finished, does not end it. */
function forkHost(): ChildProcess {
  const host = fork(HOST, [], {
    cwd: '/',
    env: {},
    execArgv: SMALL,
    detached: true,
    // The end of its input tells it that we are gone.
    stdio: ['pipe', 'ignore', 'ignore', 'ipc'],
  });
  if (host.pid !== undefined) beNice(host.pid, GIT_NICENESS);
  return host;
}
