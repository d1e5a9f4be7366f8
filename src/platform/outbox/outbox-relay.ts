import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { Shutdown } from '../lifecycle/shutdown.js';
import { Log } from '../logging/log.js';
import type { JobEnvelope } from '../queues/job-envelope.js';
import { Queues } from '../queues/queues.js';
import { OutboxBell } from './outbox-bell.js';
import { OutboxCalls } from './outbox-calls.js';
import { OutboxMessage } from './outbox-message.entity.js';

const BATCH = 100;
const IDLE_MS = 100;
const TROUBLE_MS = 1_000;
/**
 * Completed jobs are kept for as long as a message could be relayed twice, because BullMQ recognizes a job id only
 * while it keeps the job.
 */
const KEEP_COMPLETED_SECONDS = 86_400;
/** Failed jobs are kept for an operator to inspect. */
const KEEP_FAILED_SECONDS = 30 * 86_400;

/**
 * Moves committed messages to Redis. The row is deleted in the transaction that adds the job, so that a crash between
 * the two repeats a job id, which BullMQ ignores. So does a primary that dies before a replica has the job.
 * `SKIP LOCKED` lets any number of workers relay at the same time.
 */
@Injectable()
export class OutboxRelay {
  private readonly stopping = new AbortController();
  private running: Promise<void> | undefined;

  constructor(
    private readonly database: Database,
    private readonly queues: Queues,
    private readonly bell: OutboxBell,
    private readonly calls: OutboxCalls,
    private readonly log: Log,
    shutdown: Shutdown,
  ) {
    shutdown.at('workers', () => this.stop());
  }

  start(): void {
    this.calls.listen();
    this.running ??= this.run();
  }

  /** Moves up to a hundred messages, oldest first, and returns how many it moved. */
  drain(): Promise<number> {
    return this.database.transaction(async () => {
      const { manager } = this.database;
      const messages = await manager
        .createQueryBuilder(OutboxMessage, 'message')
        .orderBy('message.id')
        .limit(BATCH)
        .setLock('pessimistic_write')
        .setOnLocked('skip_locked')
        .getMany();
      if (messages.length === 0) return 0;
      await this.queues.confirmed(async () => {
        for (const message of messages) await this.relay(message);
      });
      await manager.delete(
        OutboxMessage,
        messages.map(({ id }) => id),
      );
      return messages.length;
    });
  }

  private async relay(message: OutboxMessage): Promise<void> {
    await this.queues.named(message.queue).add(message.queue, message.envelope as JobEnvelope, {
      jobId: message.jobId ?? message.id,
      attempts: message.attempts,
      backoff: { type: 'exponential', delay: message.backoffMs },
      removeOnComplete: { age: KEEP_COMPLETED_SECONDS },
      removeOnFail: { age: KEEP_FAILED_SECONDS },
    });
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    let inTrouble = false;
    while (!signal.aborted) {
      let waitMs: number;
      try {
        waitMs = (await this.drain()) === BATCH ? 0 : IDLE_MS;
        inTrouble = false;
      } catch (error) {
        // The warning is logged once and not ten times a second; readiness reports which server is unavailable.
        if (!inTrouble) this.log.warn({ error }, 'The outbox cannot be relayed. It is retried every second.');
        inTrouble = true;
        waitMs = TROUBLE_MS;
      }
      if (inTrouble) await sleep(waitMs, undefined, { signal }).catch(() => undefined);
      else if (waitMs > 0) await this.bell.next(waitMs, signal);
    }
  }

  private async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }
}
