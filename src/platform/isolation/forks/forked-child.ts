import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type Duplex } from 'node:stream';

import { type Contained } from '../contained.js';
import { REPORT_DESCRIPTOR, WORK_DESCRIPTOR } from '../isolation-spec.js';
import { startTicks } from '../process-facts.js';
import { type ResourceGroup } from '../resource-group.js';
import { type LentParts } from '../starter.js';
import { type ForkEvents, type ForkRequest } from './template-messages.js';

const GO = '\n';
const KILL_INTERVAL_MS = 10;
/** A template that does not notice by then that its fork was killed hangs, and is killed itself. */
const NOTICED_WITHIN_MS = 5_000;

/** A template that can fork. */
export interface Forking {
  /** Forks once the streams are connected. */
  fork(connected: Promise<unknown>, request: Omit<ForkRequest, 'run'>, events: ForkEvents): void;
  /** Returns the id on the host of a fork by its id in the template's namespace; null when it has ended. */
  childOnHost(pid: number): number | null;
  destroy(): Promise<void>;
}

export interface ForkedParts extends LentParts {
  readonly forking: Forking;
  readonly socketPath: string;
  readonly request: Omit<ForkRequest, 'run'>;
}

/** A process that a template forked, and everything inside of it. It enters its group before it does anything. */
export class ForkedChild implements Contained {
  readonly exited: Promise<number | null>;
  readonly info: Contained['info'];

  private readonly control: Socket;
  private readonly stdio: Socket;
  private readonly stderr: Socket;
  private readonly left: Promise<void>;
  private init: { readonly pid: number; readonly ticks: string | null } | null = null;
  private killer: NodeJS.Timeout | null = null;
  private over = false;

  constructor(private readonly parts: ForkedParts) {
    const { forking, socketPath } = parts;
    // The order is the one in which the template accepts them.
    const streams = [open(socketPath), open(socketPath), open(socketPath)] as const;
    [this.control, this.stdio, this.stderr] = streams;
    this.takesNoFaultFrom(0, 2, WORK_DESCRIPTOR);
    this.stderr.end();

    const known = Promise.withResolvers<undefined>();
    const exited = Promise.withResolvers<number | null>();
    const left = Promise.withResolvers<undefined>();
    this.info = new ForkInfo(known.promise, () => this.init?.pid);
    this.exited = exited.promise;
    this.left = left.promise;
    forking.fork(Promise.all(streams.map(connected)), parts.request, {
      forked: (pid) => {
        void this.enter(pid).then(() => {
          known.resolve(undefined);
        });
      },
      ended: (status) => {
        this.over = true;
        // What waited for its work has not read the ends of these.
        for (const stream of streams) stream.end();
        exited.resolve(status);
      },
      gone: () => {
        left.resolve(undefined);
      },
    });
  }

  get hasExited(): boolean {
    return this.over;
  }

  get group(): ResourceGroup {
    return this.parts.group;
  }

  /** The streams lead in both directions, so that three serve five descriptors. */
  pipe(descriptor: number): Duplex {
    if (descriptor === WORK_DESCRIPTOR || descriptor === REPORT_DESCRIPTOR) return this.control;
    return descriptor === 2 ? this.stderr : this.stdio;
  }

  takesNoFaultFrom(...descriptors: readonly number[]): void {
    for (const descriptor of descriptors) this.pipe(descriptor).on('error', () => undefined);
  }

  kill(): void {
    if (this.over || this.killer !== null) return;
    this.killNow();
    const until = performance.now() + NOTICED_WITHIN_MS;
    this.killer = setInterval(() => {
      if (performance.now() > until) void this.parts.forking.destroy();
      this.killNow();
    }, KILL_INTERVAL_MS);
  }

  closePipes(): void {
    if (this.killer !== null) clearInterval(this.killer);
    for (const stream of [this.control, this.stdio, this.stderr]) stream.destroy();
  }

  async cleanUp(): Promise<void> {
    await this.left;
    await this.parts.group.remove();
    this.parts.onGone();
  }

  private async enter(pidInTemplate: number): Promise<void> {
    const pid = this.parts.forking.childOnHost(pidInTemplate);
    if (pid === null) return;
    const { group } = this.parts;
    this.init = { pid, ticks: startTicks(pid) };
    group.contains(pid);
    try {
      await group.adopt(pid);
      this.control.write(GO);
    } catch {
      // It has ended since, or cannot be limited and so must not run.
      this.kill();
    }
  }

  private killNow(): void {
    // A process that is still unknown waits for this stream.
    if (this.init === null) this.control.destroy();
    this.parts.group.kill();
    // The template may have reaped it, and the kernel may have given its number to another process.
    if (this.init !== null && startTicks(this.init.pid) === this.init.ticks) sendKill(this.init.pid);
  }
}

class ForkInfo {
  constructor(
    readonly known: Promise<void>,
    private readonly pid: () => number | undefined,
  ) {}

  get initPid(): number {
    const pid = this.pid();
    if (pid === undefined) throw new Error('The process has not been forked yet.');
    return pid;
  }
}

function open(path: string): Socket {
  return connect({ path, allowHalfOpen: true });
}

async function connected(socket: Socket): Promise<void> {
  await once(socket, 'connect');
}

function sendKill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has already ended.
  }
}
