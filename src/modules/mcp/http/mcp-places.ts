import { Injectable } from '@nestjs/common';
import { isRedisUnavailable } from '../../../platform/redis/redis-unavailable.js';
import type { Call } from '../../auth/caller.js';
import { type ConcurrencyLimit, ConcurrencyLimitService } from '../../limits/concurrency-limit.service.js';
import { TooManyMcpCalls } from './mcp-refusals.js';

/** A place that was never released is free after the longest run of a tool. */
const PLACES: ConcurrencyLimit = { name: 'mcp', places: 8, lifetimeMs: 900_000 };

/** Limits how many messages of one key are answered at once. */
@Injectable()
export class McpPlaces {
  constructor(private readonly limits: ConcurrencyLimitService) {}

  /** @throws {TooManyMcpCalls} `concurrency_limit_exceeded` */
  hold<T>({ principal, requestId }: Call, work: () => Promise<T>): Promise<T> {
    const { credential, user } = principal;
    return this.holdFor(credential.type === 'api_key' ? credential.keyId : user.id, requestId, work);
  }

  /** @throws {TooManyMcpCalls} `concurrency_limit_exceeded` */
  async holdFor<T>(subject: string, requestId: string, work: () => Promise<T>): Promise<T> {
    // A caller can send one request id many times, and each request takes a place.
    const holder = `${requestId}/${process.pid}/${next++}`;
    if (!(await this.take(subject, holder))) throw new TooManyMcpCalls(PLACES.places);
    try {
      return await work();
    } finally {
      await this.limits.end(PLACES, subject, holder);
    }
  }

  /** Without Redis the calls go on: those of tools have limits of their own. */
  private async take(subject: string, holder: string): Promise<boolean> {
    try {
      return await this.limits.take(PLACES, subject, holder);
    } catch (error) {
      if (!isRedisUnavailable(error)) throw error;
      return true;
    }
  }
}

let next = 0;
