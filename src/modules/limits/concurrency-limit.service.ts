import { Injectable, Logger } from '@nestjs/common';
import { LimitScript } from './counting/limit-script.js';

export interface ConcurrencyLimit {
  /** What is limited, for example `sandbox`. */
  readonly name: string;
  readonly places: number;
  /** Must exceed the longest possible run: a slot that was never released is free after this time. */
  readonly lifetimeMs: number;
}

/**
 * Limits how many operations of one kind a subject, an address or an organization, may run at once. The slots are
 * counted in Redis, across all processes.
 */
@Injectable()
export class ConcurrencyLimitService {
  private readonly logger = new Logger(ConcurrencyLimitService.name);

  constructor(private readonly script: LimitScript) {}

  /**
   * Returns false when all slots are taken.
   *
   * @throws {Error} when Redis is unavailable, which is answered with 503.
   */
  take(limit: ConcurrencyLimit, subject: string, holder: string): Promise<boolean> {
    return this.script.takeLease(keyOf(limit, subject), holder, limit.places, limit.lifetimeMs);
  }

  /** Never throws, because the slot expires by itself. */
  async end(limit: Pick<ConcurrencyLimit, 'name'>, subject: string, holder: string): Promise<void> {
    await this.script.endLease(keyOf(limit, subject), holder).catch((error: unknown) => {
      this.logger.debug(error);
    });
  }
}

const keyOf = ({ name }: Pick<ConcurrencyLimit, 'name'>, subject: string): string => `concurrency:${name}:${subject}`;
