import { Injectable } from '@nestjs/common';
import type { EndedRun } from './new-run.js';

/** Notified in the transaction that ends a run. An error rolls the end back, and the run ends again later. */
export type RunObserver = (run: EndedRun) => Promise<void>;

/** Modules above this one learn here that runs have ended. */
@Injectable()
export class RunObservers {
  private readonly observers: RunObserver[] = [];

  register(observer: RunObserver): void {
    this.observers.push(observer);
  }

  async ended(run: EndedRun): Promise<void> {
    for (const observe of this.observers) await observe(run);
  }
}
