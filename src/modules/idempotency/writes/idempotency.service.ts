import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { isDatabaseUnavailable } from '../../../platform/database/database-unavailable.js';
import { Database } from '../../../platform/database/database.js';
import { DomainError, type ErrorHelp } from '../../../platform/errors/domain-error.js';
import { ErrorCatalog } from '../../../platform/errors/error-catalog.js';
import { Ids } from '../../../platform/ids/ids.js';
import { Log } from '../../../platform/logging/log.js';
import { KeyMissing, KeyRing } from '../../../platform/secrets/key-ring.js';
import { Clock } from '../../../platform/time/clock.js';
import { IdempotencyInProgress, IdempotencyMismatch, RefusedBefore } from '../idempotency.errors.js';
import { type Attempt, IdempotencyStore } from '../persistence/idempotency.store.js';
import { UnsettledAttempts } from '../attempts/unsettled-attempts.js';
import { ATTEMPT_ID } from '../idempotency.ids.js';

const KEPT_MS = 86_400_000;
/**
 * How long an attempt keeps its place after its process was last heard of. Work that is committed with its answer can
 * be taken over soon: whoever lost the place cannot commit. Work outside of the database would be done twice.
 */
const HOLD_MS = { atomic: 5_000, outside: 30_000 };
const RENEWALS_PER_HOLD = 3;
const SWEEP_EVERY = 200;

/** What a handler answered; `data` is left out of an empty answer. */
export interface KeptAnswer {
  readonly status: number;
  readonly data?: unknown;
  readonly meta?: Readonly<Record<string, unknown>>;
}

interface KeptRefusal {
  readonly refusal: { readonly code: string; readonly message: string; readonly help: ErrorHelp };
}

/** What is asked for with one key. */
export interface IdempotentRequest extends Pick<Attempt, 'scope' | 'key'> {
  /** Of what is asked for: the first is kept, and any of them is known again. */
  readonly fingerprints: readonly Buffer[];
}

export interface IdempotentAnswer {
  readonly answer: KeptAnswer;
  /** It was given before. */
  readonly replayed: boolean;
}

/** Does a write once, however often it is asked for with one key within a day. */
@Injectable()
export class IdempotencyService {
  private readonly keys: KeyRing;
  private taken = 0;

  constructor(
    { apiKeyPeppers }: Config,
    private readonly database: Database,
    private readonly records: IdempotencyStore,
    private readonly unsettled: UnsettledAttempts,
    private readonly errors: ErrorCatalog,
    private readonly ids: Ids,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {
    this.keys = new KeyRing('API_KEY_PEPPER', 'idempotency', apiKeyPeppers);
  }

  /**
   * Runs `work` or gives the answer that it gave before. Where the work is all in the database (`atomically`), its
   * answer is committed with it, so that not even a crash between the two can do it twice: whether its commit was made
   * is then told by the record itself.
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

  /** What has been done outside cannot be taken back: where the database cannot keep its answer, it does so later. */
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
      // The place may be taken although nobody could tell us.
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
    const kept = JSON.parse(this.decrypt(record.answer, request.scope)) as KeptAnswer | KeptRefusal;
    if ('refusal' in kept) throw new RefusedBefore(this.errors.get(kept.refusal.code), kept.refusal);
    return kept;
  }

  /** @throws {IdempotencyInProgress} when this attempt lost its place, which rolls back what it did. */
  private async keep(attempt: Attempt, status: number, content: KeptAnswer | KeptRefusal): Promise<void> {
    const sealed = this.keys.encrypt(JSON.stringify(content), attempt.scope);
    if (!(await this.records.answer(attempt, status, sealed))) throw new IdempotencyInProgress();
  }

  /**
   * A refusal that would be the same again is kept; anything else leaves the key free, as soon as the database answers.
   * Never throws.
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
      this.log.debug({ error: fault }, 'The record of an idempotency key could not be settled; it is tried again.');
      this.unsettled.release(attempt);
    }
  }

  private async renew(attempt: Attempt, holdMs: number): Promise<void> {
    await this.records.hold(attempt, new Date(this.clock.now().getTime() + holdMs)).catch((error: unknown) => {
      this.log.debug({ error }, 'An idempotency key could not be held on to.');
    });
  }

  /** @throws {IdempotencyMismatch} where the pepper is gone: what was done is not known, and must not be done again. */
  private decrypt(answer: Buffer, scope: string): string {
    try {
      return this.keys.decrypt(answer, scope);
    } catch (error) {
      if (error instanceof KeyMissing) throw new IdempotencyMismatch();
      throw error;
    }
  }
}
