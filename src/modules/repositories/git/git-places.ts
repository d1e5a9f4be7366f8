import { availableParallelism } from 'node:os';
import { Injectable } from '@nestjs/common';

/** Most processes wait for their callers; those that compute share the processors. */
const PER_PROCESSOR = 16;

/** Limits the git processes of this process for all callers, because each takes memory. */
@Injectable()
export class GitPlaces {
  readonly count = PER_PROCESSOR * availableParallelism();
  private taken = 0;

  /** Returns false when all places are taken. */
  take(): boolean {
    if (this.taken >= this.count) return false;
    this.taken++;
    return true;
  }

  giveBack(): void {
    this.taken--;
  }
}
