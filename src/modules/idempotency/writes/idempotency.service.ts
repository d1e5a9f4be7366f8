import { Injectable } from '@nestjs/common';
import { isDatabaseUnavailable } from '../../../platform/database/database-unavailable.js';
import { Database } from '../../../platform/database/database.js';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { Ids } from '../../../platform/ids/ids.js';
import { Log } from '../../../platform/logging/log.js';
import { Clock } from '../../../platform/time/clock.js';
import { IdempotencyInProgress, IdempotencyMismatch } from '../idempotency.errors.js';
import { type Attempt, IdempotencyStore } from '../persistence/idempotency.store.js';
import { UnsettledAttempts } from '../attempts/unsettled-attempts.js';
import { AnswerVault, type KeptAnswer, type KeptRefusal } from './answer-vault.js';
import { ATTEMPT_ID } from '../idempotency.ids.js';

const KEPT_MS = 86_400_000;
/**
 * How long an attempt keeps its key after the last renewal. Work that is committed together with its answer can be
 * taken over soon, because an attempt that lost the key cannot commit. Work outside of the database would be done
 * twice, so its hold is longer.
 */
const HOLD_MS = { atomic: 5_000, outside: 30_000 };
const RENEWALS_PER_HOLD = 3;
const SWEEP_EVERY = 200;

/** A request with an idempotency key. */
export interface IdempotentRequest extends Pick<Attempt, 'scope' | 'key'> {
  /** Hashes of the request: the first is stored, and a stored hash that equals any of them matches. */
  readonly fingerprints: readonly Buffer[];
}

export interface IdempotentAnswer {
  readonly answer: KeptAnswer;
  /** True when the answer was given before. */
  readonly replayed: boolean;
}

/** Executes a write once, however often it is requested with the same key within a day. */
@Injectable()
export class IdempotencyService {
  private taken = 0;

  constructor(
    private readonly database: Database,
    private readonly records: IdempotencyStore,
    private readonly unsettled: UnsettledAttempts,
    private readonly vault: AnswerVault,
    private readonly ids: Ids,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /**
   * Runs `work`, or returns the answer that it gave before. When all of the work is in the database (`atomically`), its
   * answer is committed with it, so that even a crash cannot make it run twice: the record itself shows whether the
   * commit succeeded.
   *
   * @throws {IdempotencyMismatch} `idempotency_mismatch`
   * @throws {IdempotencyInProgress} `idempotency_in_progress`
   * @throws {DomainError} what `work` throws, or threw the first time; 429 and 5xx are not kept.
   */
  async once(
    request: IdempotentRequest,
    atomically: boolean,
    work: () => Promise<KeptAnswer>,
  ): Promise<IdempotentAnswer> {
    const { scope, key, fingerprints } = request;
    const attempt: Attempt = { scope, key, fingerprint: fingerprints[0]!, holder: this.ids.next(ATTEMPT_ID) };
    const holdMs = atomically ? HOLD_MS.atomic : HOLD_MS.outside;
    if (!(await this.take(attempt, holdMs))) return { answer: await this.recall(request), replayed: true };

    const renewal = setInterval(() => {
      void this.renew(attempt, holdMs);
    }, holdMs / RENEWALS_PER_HOLD);
    try {
      return {
        answer: await (atomically ? this.runAtomically(attempt, work) : this.runOutside(attempt, work)),
        replayed: false,
      };
    } catch (error) {
      await this.settle(attempt, error);
      throw error;
    } finally {
      clearInterval(renewal);
    }
  }

  private runAtomically(attempt: Attempt, work: () => Promise<KeptAnswer>): Promise<KeptAnswer> {
    return this.database.transaction(async () => {
      const answer = await work();
      await this.keep(attempt, answer.status, answer);
      return answer;
    });
  }

  /**
   * Work outside of the database cannot be rolled back. If the database cannot store its answer now, it is stored
   * later.
   */
  private async runOutside(attempt: Attempt, work: () => Promise<KeptAnswer>): Promise<KeptAnswer> {
    const answer = await work();
    try {
      await this.keep(attempt, answer.status, answer);
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error;
      this.unsettled.keepAnswer(attempt, () => this.keep(attempt, answer.status, answer));
    }
    return answer;
  }

  private async take(attempt: Attempt, holdMs: number): Promise<boolean> {
    const now = this.clock.now();
    if (this.taken++ % SWEEP_EVERY === 0) await this.records.sweep(now);
    try {
      return await this.records.take(attempt, now, {
        heldUntil: new Date(now.getTime() + holdMs),
        expiresAt: new Date(now.getTime() + KEPT_MS),
      });
    } catch (error) {
      // The key may be claimed although the confirmation was lost.
      if (isDatabaseUnavailable(error)) this.unsettled.release(attempt);
      throw error;
    }
  }

  private async recall(request: IdempotentRequest): Promise<KeptAnswer> {
    const record = await this.records.find(request);
    if (record === null) throw new IdempotencyInProgress();
    if (!request.fingerprints.some((fingerprint) => fingerprint.equals(record.fingerprint)))
      throw new IdempotencyMismatch();
    if (record.answer === null) throw new IdempotencyInProgress();
    return this.vault.open(record.answer, request.scope);
  }

  /** @throws {IdempotencyInProgress} when this attempt has lost its key, which rolls its work back. */
  private async keep(attempt: Attempt, status: number, content: KeptAnswer | KeptRefusal): Promise<void> {
    const sealed = this.vault.seal(content, attempt.scope);
    if (!(await this.records.answer(attempt, status, sealed))) throw new IdempotencyInProgress();
  }

  /**
   * Stores a refusal that would be the same on a retry; any other outcome frees the key as soon as the database
   * responds. Never throws.
   */
  private async settle(attempt: Attempt, error: unknown): Promise<void> {
    try {
      if (error instanceof DomainError && error.status < 500 && error.status !== 429) {
        const { code, message, help } = error;
        await this.keep(attempt, error.status, { refusal: { code, message, help } });
      } else {
        await this.records.release([attempt]);
      }
    } catch (fault) {
      this.log.debug({ error: fault }, 'The record of an idempotency key could not be settled; it is retried.');
      this.unsettled.release(attempt);
    }
  }

  private async renew(attempt: Attempt, holdMs: number): Promise<void> {
    await this.records.hold(attempt, new Date(this.clock.now().getTime() + holdMs)).catch((error: unknown) => {
      this.log.debug({ error }, 'The hold of an idempotency key could not be renewed.');
    });
  }
}
