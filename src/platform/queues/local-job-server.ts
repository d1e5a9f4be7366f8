import { createServer, type Socket } from 'node:net';
import { Injectable } from '@nestjs/common';
import { type JobDefinition, type JobHandler, JobPostponed } from '../background/define-job.js';
import { Config } from '../config/config.js';
import type { DirectorySocket } from '../egress/directory-socket.js';
import { Shutdown } from '../lifecycle/shutdown.js';
import { Log } from '../logging/log.js';
import { JobPlaces } from './job-places.js';
import { JobRunner, type TakenJob } from './job-runner.js';
import { type LocalAnswer, type Offer, receiveMessages, sendMessage } from './local-job-messages.js';
import { LocalSockets } from './local-sockets.js';

interface Served {
  readonly places: JobPlaces;
  readonly run: (job: TakenJob, deliver: (result: unknown) => Promise<void>) => Promise<void>;
}

/** Takes jobs from other processes of this machine while this process has a place for them. */
@Injectable()
export class LocalJobServer {
  private readonly served = new Map<string, Served>();
  private readonly callers = new Set<Socket>();
  private listening: Promise<DirectorySocket | null> | undefined;

  constructor(
    private readonly config: Config,
    private readonly runner: JobRunner,
    private readonly log: Log,
    shutdown: Shutdown,
  ) {
    shutdown.at('queues', () => this.close());
  }

  /** Begins to take jobs of a queue. */
  serve<Payload extends object, Result>(
    queue: JobDefinition<Payload>,
    handler: JobHandler<Payload, Result>,
    places: JobPlaces,
  ): void {
    this.served.set(queue.name, {
      places,
      run: (job, deliver) => this.runner.perform(queue, handler, job, deliver),
    });
    this.listening ??= this.listen();
    this.announce(queue.name, places.free);
  }

  /** Tells all callers how many jobs of the queue this process can take. */
  announce(queue: string, free: number): void {
    for (const caller of this.callers) sendMessage(caller, { kind: 'room', queue, free });
  }

  /** Takes no more jobs of the queue, and resolves when the running ones have ended. */
  async end(queue: string): Promise<void> {
    const served = this.served.get(queue);
    this.served.delete(queue);
    await served?.places.close();
  }

  /** Without a socket, all jobs come from the queue. */
  private async listen(): Promise<DirectorySocket | null> {
    const server = createServer((caller) => {
      this.welcome(caller);
    });
    try {
      return await new LocalSockets(this.config.dataDir).listen(server);
    } catch (error) {
      this.log.warn({ error }, 'Jobs are not handed over.');
      return null;
    }
  }

  private welcome(caller: Socket): void {
    this.callers.add(caller);
    caller.on('error', () => undefined);
    // Nothing waits for the jobs of a caller that has gone; its own end of them comes by the usual way.
    caller.on('close', () => this.callers.delete(caller));
    receiveMessages(caller, (offer) => {
      this.take(offer as Offer, (answer) => {
        if (caller.writable) sendMessage(caller, answer);
      });
    });
    for (const [queue, { places }] of this.served) sendMessage(caller, { kind: 'room', queue, free: places.free });
  }

  private take({ id, queue, envelope }: Offer, answer: (answer: LocalAnswer) => void): void {
    const served = this.served.get(queue);
    const began = served?.places.begin(async () => {
      answer({ kind: 'taken', id });
      try {
        let result: unknown = null;
        await served.run({ id, envelope, waitedMs: 0, attempt: 1, isHandedOver: true }, (delivered) => {
          result = delivered;
          return Promise.resolve();
        });
        answer({ kind: 'ended', id, result });
      } catch (error) {
        if (error instanceof JobPostponed) answer({ kind: 'postponed', id, changes: error.changes });
        else answer({ kind: 'failed', id, reason: error instanceof Error ? error.message : String(error) });
      }
    });
    if (began !== true) answer({ kind: 'refused', id });
  }

  private async close(): Promise<void> {
    const socket = await this.listening;
    for (const caller of this.callers) caller.destroy();
    await socket?.close();
  }
}
