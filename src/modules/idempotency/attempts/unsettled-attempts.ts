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
 * Settles attempts whose outcome could not be stored because the database was unavailable. They are settled as soon as
 * it responds again, so that a caller that retries after a short outage does not get `idempotency_in_progress` for
 * longer than necessary. Attempts that a process cannot settle before it ends become free when their hold expires.
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

  /** Frees the key of a failed attempt. */
  release(attempt: Attempt): void {
    if (this.releases.size < MAX_ATTEMPTS) this.releases.set(attempt.holder, attempt);
    this.start();
  }

  /** Stores the answer of work that is done and cannot be undone. */
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

  /** @throws {Error} when the database is unavailable; the remaining attempts are retried. */
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
      this.log.warn({ error }, 'An idempotency key could not be settled; it is free when its hold expires.');
    });
  }

  private async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }
}
