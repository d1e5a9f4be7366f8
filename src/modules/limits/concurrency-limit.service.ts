import { Injectable, Logger } from '@nestjs/common';
import { LimitScript } from './counting/limit-script.js';

export interface ConcurrencyLimit {
  /** Of what, `sandbox` for one. */
  readonly name: string;
  readonly places: number;
  /** Longer than any work can take: by then a place that was never given back is free again. */
  readonly lifetimeMs: number;
}

/**
 * How much of something one subject, an address or an organization, may have going at once. Counted in Redis, across
 * all processes.
 */
@Injectable()
export class ConcurrencyLimitService {
  private readonly logger = new Logger(ConcurrencyLimitService.name);

  constructor(private readonly script: LimitScript) {}

  /** False when all places are taken. @throws {Error} of Redis being away, which is answered 503. */
  take(limit: ConcurrencyLimit, subject: string, holder: string): Promise<boolean> {
    return this.script.takeLease(keyOf(limit, subject), holder, limit.places, limit.lifetimeMs);
  }

  /** Never throws: the place ends by itself. */
  async end(limit: Pick<ConcurrencyLimit, 'name'>, subject: string, holder: string): Promise<void> {
    await this.script.endLease(keyOf(limit, subject), holder).catch((error: unknown) => {
      this.logger.debug(error);
    });
  }
}

const keyOf = ({ name }: Pick<ConcurrencyLimit, 'name'>, subject: string): string => `concurrency:${name}:${subject}`;
