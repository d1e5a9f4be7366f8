import { Injectable } from '@nestjs/common';
import { TooManyStreams } from './too-many-streams.js';

const MAX_OF_ORG = 20;
const MAX_IN_ALL = 500;

/** Counts the streams that this process has open, so that no organization takes the places of all others. */
@Injectable()
export class OpenStreams {
  private readonly byOrg = new Map<string, number>();
  private count = 0;

  /**
   * Takes a place, which the returned function frees.
   *
   * @throws {TooManyStreams} `concurrency_limit_exceeded`
   */
  take(orgId: string): () => void {
    const own = this.byOrg.get(orgId) ?? 0;
    if (own >= MAX_OF_ORG) throw new TooManyStreams(MAX_OF_ORG);
    if (this.count >= MAX_IN_ALL) throw new TooManyStreams(MAX_IN_ALL);
    this.byOrg.set(orgId, own + 1);
    this.count++;
    return () => {
      this.count--;
      const left = this.byOrg.get(orgId)! - 1;
      if (left === 0) this.byOrg.delete(orgId);
      else this.byOrg.set(orgId, left);
    };
  }
}
