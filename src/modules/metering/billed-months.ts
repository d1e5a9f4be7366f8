import { Injectable } from '@nestjs/common';

/** Returns the first moment of the first month that is not closed for all organizations. */
export type FirstOpenMonth = () => Promise<Date>;

/**
 * Knows which months are billed. `billing`, which is above `metering` in the tree of modules, adds the answer when the
 * worker starts.
 */
@Injectable()
export class BilledMonths {
  private read: FirstOpenMonth | undefined;

  readBy(read: FirstOpenMonth): void {
    this.read = read;
  }

  /** @throws {Error} in a process without `billing`, as no month may count as billed there. */
  async firstOpen(): Promise<Date> {
    if (this.read === undefined) throw new Error('Nothing in this process knows which months are billed.');
    return this.read();
  }
}
