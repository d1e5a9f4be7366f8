import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { isDatabaseUnavailable } from '../../../platform/database/database-unavailable.js';
import { Shutdown } from '../../../platform/lifecycle/shutdown.js';
import { Log } from '../../../platform/logging/log.js';
import { type Attempt, IdempotencyStore } from '../persistence/idempotency.store.js';

const RETRY_EVERY_MS = 200;
const MAX_ATTEMPTS = 10_000;
const BATCH = 200;

/**
 * Attempts whose end could not be written down because the database was unavailable. They are settled as soon as it
 * answers again, so that a caller who retries after an outage of a second is not told for longer that its call is still
 * running. What a process cannot settle before it ends is free when its hold is over.
 */
@Injectable()
export class UnsettledAttempts {
  private readonly releases = new Map<string, Attempt>();
  private readonly answers = new Map<string, () => Promise<void>>();
  private readonly stopping = new AbortController();
  private running: Promise<void> | undefined;

  constructor(
    private readonly records: IdempotencyStore,
    private readonly log: Log,
    shutdown: Shutdown,
  ) {
    shutdown.at('workers', () => this.stop());
  }

  /** Frees the key of an attempt that has failed. */
  release(attempt: Attempt): void {
    if (this.releases.size < MAX_ATTEMPTS) this.releases.set(attempt.holder, attempt);
    this.start();
  }

  /** Writes down what was answered for work that is done and cannot be taken back. */
  keepAnswer({ holder }: Attempt, keep: () => Promise<void>): void {
    if (this.answers.size < MAX_ATTEMPTS) this.answers.set(holder, keep);
    this.start();
  }

  private start(): void {
    this.running ??= this.run().finally(() => {
      this.running = undefined;
    });
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    while (this.releases.size + this.answers.size > 0 && !signal.aborted) {
      await sleep(RETRY_EVERY_MS, undefined, { signal }).catch(() => undefined);
      await this.settleAll().catch((error: unknown) => {
        this.log.debug({ error }, 'Idempotency keys cannot be settled yet.');
      });
    }
  }

  /** @throws {Error} of the database being away: what is left is tried again. */
  private async settleAll(): Promise<void> {
    for (const [holder, keep] of this.answers) {
      await this.attempt(keep);
      this.answers.delete(holder);
    }
    while (this.releases.size > 0) {
      const batch = [...this.releases].slice(0, BATCH);
      await this.attempt(() => this.records.release(batch.map(([, attempt]) => attempt)));
      for (const [holder] of batch) this.releases.delete(holder);
    }
  }

  private async attempt(task: () => Promise<void>): Promise<void> {
    await task().catch((error: unknown) => {
      if (isDatabaseUnavailable(error)) throw error;
      this.log.warn({ error }, 'An idempotency key could not be settled; it is free when its hold is over.');
    });
  }

  private async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }
}
