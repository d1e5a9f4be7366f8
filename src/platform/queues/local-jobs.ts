import type { Socket } from 'node:net';
import { Injectable } from '@nestjs/common';
import { Config } from '../config/config.js';
import { Shutdown } from '../lifecycle/shutdown.js';
import { RequestContext } from '../logging/request-context.js';
import { type LocalAnswer, receiveMessages, sendMessage } from './local-job-messages.js';
import { LocalSockets } from './local-sockets.js';

/** Workers are looked for this often, by calls that could use one. */
const LOOK_EVERY_MS = 1_000;

export type HandedOver =
  | { readonly kind: 'refused' | 'lost' }
  | { readonly kind: 'ended'; readonly result: unknown }
  | { readonly kind: 'postponed'; readonly changes: object }
  | { readonly kind: 'failed'; readonly reason: string };

interface Pending {
  readonly taken: () => void;
  readonly settle: (handed: HandedOver) => void;
}

interface WorkerConnection {
  readonly socket: Socket;
  readonly room: Map<string, number>;
  readonly pending: Map<string, Pending>;
}

/**
 * Hands jobs to workers on this machine that have a place for them at once. It saves the way through Redis, which takes
 * longer than many jobs. There is nothing to be fair about while nobody waits.
 */
@Injectable()
export class LocalJobs {
  private readonly sockets: LocalSockets;
  private readonly workers = new Map<string, WorkerConnection>();
  private lookedAtMs = -LOOK_EVERY_MS;
  private closed = false;

  constructor(
    config: Config,
    private readonly context: RequestContext,
    shutdown: Shutdown,
  ) {
    this.sockets = new LocalSockets(config.dataDir);
    shutdown.at('queues', () => {
      this.close();
    });
  }

  /** True when a worker of this machine could take a job of the queue now. */
  hasRoom(queue: string): boolean {
    this.look();
    return this.workerFor(queue) !== undefined;
  }

  /**
   * Hands the job to a worker and resolves when it has ended. Returns null when no worker has a place. `lost` means
   * that the worker has died, and the job may have begun.
   */
  handOver(queue: string, job: { id: string; payload: object }, taken: () => void): Promise<HandedOver> | null {
    this.look();
    const worker = this.workerFor(queue);
    if (worker === undefined) return null;
    // The worker tells the number again when it has taken the job; several calls may come before that.
    worker.room.set(queue, worker.room.get(queue)! - 1);
    return new Promise((resolve) => {
      worker.pending.set(job.id, {
        taken,
        settle: (handed) => {
          worker.pending.delete(job.id);
          resolve(handed);
        },
      });
      const envelope = { payload: job.payload, correlation: this.context.current };
      sendMessage(worker.socket, { id: job.id, queue, envelope });
    });
  }

  private workerFor(queue: string): WorkerConnection | undefined {
    for (const worker of this.workers.values()) if ((worker.room.get(queue) ?? 0) > 0) return worker;
    return undefined;
  }

  private look(): void {
    const nowMs = performance.now();
    if (this.closed || nowMs < this.lookedAtMs + LOOK_EVERY_MS) return;
    this.lookedAtMs = nowMs;
    void this.sockets.names().then(async (names) => {
      for (const name of names) if (!this.workers.has(name)) await this.connect(name).catch(() => undefined);
    });
  }

  private async connect(name: string): Promise<void> {
    const socket = await this.sockets.connect(name);
    if (this.closed || this.workers.has(name)) {
      socket.destroy();
      return;
    }
    const worker = { socket, room: new Map<string, number>(), pending: new Map<string, Pending>() };
    this.workers.set(name, worker);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.workers.delete(name);
      for (const pending of [...worker.pending.values()]) pending.settle({ kind: 'lost' });
    });
    // A call that waits keeps the process alive by itself.
    socket.unref();
    receiveMessages(socket, (answer) => {
      receive(worker, answer as LocalAnswer);
    });
  }

  private close(): void {
    this.closed = true;
    for (const { socket } of this.workers.values()) socket.destroy();
  }
}

function receive({ room, pending }: WorkerConnection, answer: LocalAnswer): void {
  if (answer.kind === 'room') {
    room.set(answer.queue, answer.free);
    return;
  }
  const job = pending.get(answer.id);
  if (answer.kind === 'taken') job?.taken();
  else job?.settle(answer as HandedOver);
}
