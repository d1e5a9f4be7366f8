import { Injectable } from '@nestjs/common';
import { ServiceUnavailable } from '../../../platform/errors/platform.errors.js';

const MAX_AT_ONCE = 100;
const MAX_AT_ONCE_OF_ORG = 8;
/** Results become several times as large while they are answered. */
const MAX_BYTES = 67_108_864;

/** Bounds what the statements of callers may take of this process. */
@Injectable()
export class QueryRoom {
  private readonly byOrg = new Map<string, number>();
  private running = 0;
  private bytes = 0;

  /** @throws {ServiceUnavailable} `service_unavailable` */
  async within<T>(orgId: string, work: () => Promise<T>): Promise<T> {
    const ofOrg = this.byOrg.get(orgId) ?? 0;
    if (this.running >= MAX_AT_ONCE || ofOrg >= MAX_AT_ONCE_OF_ORG)
      throw new ServiceUnavailable(new Error('Too many statements run at once.'));
    this.running += 1;
    this.byOrg.set(orgId, ofOrg + 1);
    try {
      return await work();
    } finally {
      this.running -= 1;
      const left = this.byOrg.get(orgId)! - 1;
      if (left === 0) this.byOrg.delete(orgId);
      else this.byOrg.set(orgId, left);
    }
  }

  /** @throws {ServiceUnavailable} `service_unavailable` */
  reserve(bytes: number): void {
    if (this.bytes + bytes > MAX_BYTES)
      throw new ServiceUnavailable(new Error('The results of statements take too much memory.'));
    this.bytes += bytes;
  }

  release(bytes: number): void {
    this.bytes -= bytes;
  }
}
