import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { Shutdown } from '../lifecycle/shutdown.js';
import { Log } from '../logging/log.js';
import type { JobEnvelope } from '../queues/job-envelope.js';
import { Queues } from '../queues/queues.js';
import { OutboxBell } from './outbox-bell.js';
import { OutboxMessage } from './outbox-message.entity.js';

const BATCH = 100;
const IDLE_MS = 100;
const TROUBLE_MS = 1_000;
/** As long as a second relay of the same message could come: BullMQ knows a job id only while it keeps the job. */
const KEEP_COMPLETED_SECONDS = 86_400;
/** For an operator to look at. */
const KEEP_FAILED_SECONDS = 30 * 86_400;

/**
 * Moves committed messages to Redis. The row goes in the same transaction that adds the job, so that a crash between
 * the two repeats a job id, which BullMQ ignores. `SKIP LOCKED` lets any number of workers relay beside each other.
 */
@Injectable()
export class OutboxRelay {
  private readonly stopping = new AbortController();
  private running: Promise<void> | undefined;

  constructor(
    private readonly database: Database,
    private readonly queues: Queues,
    private readonly bell: OutboxBell,
    private readonly log: Log,
    shutdown: Shutdown,
  ) {
    shutdown.at('workers', () => this.stop());
  }

  start(): void {
    this.running ??= this.run();
  }

  /** Moves up to a hundred messages, oldest first, and says how many there were. */
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
      for (const message of messages) await this.relay(message);
      if (messages.length > 0)
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
        // Said once and not ten times a second; readiness tells which server is away.
        if (!inTrouble) this.log.warn({ error }, 'The outbox cannot be relayed; trying again every second.');
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
