import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { BilledMonths } from '../../metering/billed-months.js';
import { ClosedPeriodsStore } from '../persistence/closed-periods.store.js';

/** Tells metering which months are billed. */
@Injectable()
export class BilledMonthsSource implements OnApplicationBootstrap {
  constructor(
    private readonly months: BilledMonths,
    private readonly closed: ClosedPeriodsStore,
  ) {}

  onApplicationBootstrap(): void {
    this.months.readBy(async () => (await this.closed.last()).to);
  }
}
