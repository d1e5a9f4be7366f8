import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Clock } from '../../../../platform/time/clock.js';
import { type AttemptRule, AttemptsService } from '../../../auth/attempts.service.js';
import { clientAddressOf } from '../../../limits/client-address.js';
import { LimitExceeded, TooManyAttempts } from '../../../limits/limits.errors.js';
import { Arrivals } from '../arrivals.js';

const QUARTER_HOUR = 900;
/** While attempts cannot be counted, one failure ends them for this long. */
const UNCOUNTED_MS = 1_000;

const rule = (name: string, attempts: number): AttemptRule => ({
  name,
  attempts,
  periodSeconds: QUARTER_HOUR,
  Refusal: TooManyAttempts,
});

const BY_NETWORK = rule('database_sign_in_address', 30);
const BY_USER_AND_NETWORK = rule('database_sign_in', 10);

/**
 * Limits failed attempts to sign in. A success costs nothing, because apps connect as often as they like; so a refusal
 * is remembered here, and is the same for the right password.
 */
@Injectable()
export class LoginAttempts {
  private readonly refusedUntilMs = new LRUCache<string, number>({ max: 10_000 });

  constructor(
    private readonly attempts: AttemptsService,
    private readonly arrivals: Arrivals,
    private readonly clock: Clock,
  ) {}

  /** Returns for how many more seconds this user may not try from this address; 0 when it may. */
  waitSecondsOf(ip: string, username: string): number {
    const until = Math.max(...this.subjectsOf(ip, username).map((key) => this.refusedUntilMs.get(key) ?? 0));
    return Math.max(0, Math.ceil((until - this.clock.now().getTime()) / 1_000));
  }

  /** Counts a failure. It never throws. */
  async failed(ip: string, username: string): Promise<void> {
    const [byUser, byNetwork] = this.subjectsOf(ip, username);
    await this.count(byUser!, () => this.attempts.countTypedFrom(BY_USER_AND_NETWORK, username, ip));
    if (byNetwork !== undefined) await this.count(byNetwork, () => this.attempts.countAddress(BY_NETWORK, ip));
  }

  private async count(subject: string, count: () => Promise<void>): Promise<void> {
    try {
      await count();
    } catch (error) {
      const waitMs = error instanceof LimitExceeded ? (error.help.retryAfterSeconds ?? 1) * 1_000 : UNCOUNTED_MS;
      this.refusedUntilMs.set(subject, this.clock.now().getTime() + waitMs);
    }
  }

  private subjectsOf(ip: string, username: string): string[] {
    const shared = this.arrivals.networkOf(ip);
    const byUser = `${clientAddressOf(ip).network} ${username.slice(0, 63)}`;
    return shared === undefined ? [byUser] : [byUser, shared];
  }
}
