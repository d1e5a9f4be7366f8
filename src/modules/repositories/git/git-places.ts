import { availableParallelism } from 'node:os';
import { Injectable } from '@nestjs/common';

/** Most of them wait for their callers; those that work share the processors. */
const PER_PROCESSOR = 16;

/** How many programs of git this process has going on at once, for whomever: each may take memory. */
@Injectable()
export class GitPlaces {
  readonly count = PER_PROCESSOR * availableParallelism();
  private taken = 0;

  /** False when all are taken. */
  take(): boolean {
    if (this.taken >= this.count) return false;
    this.taken++;
    return true;
  }

  giveBack(): void {
    this.taken--;
  }
}
