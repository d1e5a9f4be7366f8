import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setPriority } from 'node:os';
import { join } from 'node:path';

import { type ArtifactSink } from '../../domain/artifacts.js';
import {
  type OutputListener,
  type SandboxOutcome,
  type SandboxReadiness,
  type SandboxRun,
} from '../../domain/sandbox-runtime.js';
import { ObservedRuntime } from '../observed-runtime.js';
import { type PoolListener, type PoolReading } from '../pool-events.js';
import { RetryPause } from '../retry-pause.js';
import { type HostSettings, type Reply, type Request } from './messages.js';

/** The compiled form of `sandbox-host.process.ts`, which `npm run build` creates. */
export const HOST_PROGRAM = join(__dirname, 'sandbox-host.process.js');

const NOT_PROBED: SandboxReadiness = { available: false, missing: ['the start-up probe, which has not run yet'] };
const GONE: SandboxReadiness = {
  available: false,
  missing: ['the sandbox host, which ended and is being restarted'],
};

/** The heap is small and collected early, because the kernel copies the page tables of touched memory at every fork. */
const SMALL_HEAP = ['--max-semi-space-size=2', '--max-old-space-size=256'];
const CLOSE_WITHIN_MS = 5_000;
/** Starting sandboxes is work for tenants, so it yields to the API and the databases when processors are scarce. */
const HOST_NICENESS = 5;

export interface HostedRuntimeOptions extends HostSettings {
  /** Overrides the program. Tests use it to run the source, and to run as other users. */
  readonly start?: { readonly program: string; readonly execPath?: string; readonly execArguments?: readonly string[] };
}

interface Call {
  readonly resolve: (reply: Reply) => void;
  readonly reject: (error: Error) => void;
  readonly onOutput: OutputListener | undefined;
  readonly artifacts: ArtifactSink | undefined;
}

interface Listeners {
  readonly onOutput?: OutputListener | undefined;
  readonly artifacts?: ArtifactSink | undefined;
}

/**
 * Keeps the sandboxes in a process of their own. Forking a process of 200 MB takes 5 ms, during which the service
 * answers no request; forking one of 40 MB takes less than 1 ms. Limits are also enforced to the millisecond, however
 * busy the service is.
 */
export class HostedRuntime extends ObservedRuntime {
  private readonly calls = new Map<number, Call>();
  private readonly listeners: PoolListener[] = [];
  private readonly pause = new RetryPause();
  private host: ChildProcess | null = null;
  private lastReadiness: SandboxReadiness = NOT_PROBED;
  private lastReadings: readonly PoolReading[] = [];
  private lastCall = 0;
  private closed = false;
  private restartTimer: NodeJS.Timeout | null = null;

  constructor(private readonly options: HostedRuntimeOptions) {
    super();
  }

  get readiness(): SandboxReadiness {
    return this.lastReadiness;
  }

  /** The state of the pools in the last message of the host, which sends one whenever they change. */
  get readings(): readonly PoolReading[] {
    return this.lastReadings;
  }

  listen(listener: PoolListener): void {
    this.listeners.push(listener);
  }

  async probe(): Promise<SandboxReadiness> {
    await this.ask((call) => ({ kind: 'probe', call }));
    return this.lastReadiness;
  }

  async run(
    run: SandboxRun,
    signal?: AbortSignal,
    onOutput?: OutputListener,
    artifacts?: ArtifactSink,
  ): Promise<SandboxOutcome> {
    if (!this.lastReadiness.available) throw new Error('The sandbox is not available.');
    signal?.throwIfAborted();

    const call = this.lastCall + 1;
    const abort = (): void => {
      this.send({ kind: 'abort', call });
    };
    signal?.addEventListener('abort', abort, { once: true });
    try {
      const sendsOutput = onOutput !== undefined;
      const reply = await this.ask(() => ({ kind: 'run', call, run, sendsOutput }), { onOutput, artifacts });
      if (reply.kind !== 'ended') throw new Error(`The sandbox host answered a run with "${reply.kind}".`);
      return reply.outcome;
    } catch (error) {
      throw signal?.aborted === true ? signal.reason : error;
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    if (this.restartTimer !== null) clearTimeout(this.restartTimer);
    const { host } = this;
    if (host === null) return;

    const ended = once(host, 'exit');
    this.send({ kind: 'close' });
    // bubblewrap dies with the host, and everything inside dies with bubblewrap.
    const timer = setTimeout(() => host.kill('SIGKILL'), CLOSE_WITHIN_MS);
    await ended;
    clearTimeout(timer);
  }

  private ask(request: (call: number) => Request, { onOutput, artifacts }: Listeners = {}): Promise<Reply> {
    if (this.closed) return Promise.reject(new Error('The sandbox is closed.'));
    this.host ??= this.startHost();
    const call = ++this.lastCall;
    return new Promise((resolve, reject) => {
      this.calls.set(call, { resolve, reject, onOutput, artifacts });
      this.send(request(call));
    });
  }

  private send(request: Request): void {
    // A failed send shows as the end of the host.
    if (this.host?.connected === true) this.host.send(request, () => undefined);
  }

  private startHost(): ChildProcess {
    const { start = { program: HOST_PROGRAM }, isolation, runtime } = this.options;
    const host = fork(start.program, [JSON.stringify({ isolation, runtime } satisfies HostSettings)], {
      env: {},
      ...(start.execPath === undefined ? {} : { execPath: start.execPath }),
      execArgv: [...(start.execArguments ?? []), ...SMALL_HEAP],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    yieldToOthers(host.pid);
    host.on('message', (message) => {
      this.take(message as Reply);
    });
    host.once('error', () => {
      this.lose(host);
    });
    host.once('exit', () => {
      this.lose(host);
    });
    return host;
  }

  private take(reply: Reply): void {
    this.lastReadiness = reply.readiness;
    this.lastReadings = reply.readings;
    // A listener that fails must not keep a run waiting.
    if (reply.kind !== 'news') this.settle(reply);
    for (const event of reply.events) for (const listener of this.listeners) listener(event);
  }

  private settle(reply: Exclude<Reply, { kind: 'news' }>): void {
    const call = this.calls.get(reply.call);
    if (reply.kind === 'output') {
      call?.onOutput?.(reply.pieces);
      return;
    }
    if (reply.kind === 'file') {
      call?.artifacts?.begin(reply.file);
      return;
    }
    if (reply.kind === 'piece') {
      void this.takePiece(reply.call, reply.piece, call?.artifacts);
      return;
    }
    this.calls.delete(reply.call);
    if (reply.kind === 'failed') call?.reject(new Error(reply.message));
    else call?.resolve(reply);
  }

  private async takePiece(call: number, piece: Buffer, artifacts: ArtifactSink | undefined): Promise<void> {
    await artifacts?.take(piece);
    this.send({ kind: 'taken', call });
  }

  /** Rejects the active runs of a host that ended. The next host is probed before it is used. */
  private lose(host: ChildProcess): void {
    if (this.host !== host) return;
    this.host = null;
    this.lastReadiness = GONE;
    this.lastReadings = [];
    for (const { reject } of this.calls.values()) reject(new Error('The sandbox host ended.'));
    this.calls.clear();
    if (this.closed) return;

    this.pause.lengthen();
    this.restartTimer = setTimeout(() => {
      this.probe().then(
        ({ available }) => {
          if (available) this.pause.reset();
        },
        () => undefined,
      );
    }, this.pause.leftMs()).unref();
  }
}

function yieldToOthers(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, HOST_NICENESS);
  } catch {
    // The host has already ended, which its `exit` event reports.
  }
}
