import { Module } from '@nestjs/common';
import { BilledMonths } from './billed-months.js';
import { METERING_METRICS } from './metrics/metering.metrics.js';
import { PriceVersionsStore } from './persistence/price-versions.store.js';
import { UnpaidUsageStore } from './persistence/unpaid-usage.store.js';
import { UsageEventsStore } from './persistence/usage-events.store.js';
import { UsageMonthsStore } from './persistence/usage-months.store.js';
import { UsagePartitionsStore } from './persistence/usage-partitions.store.js';
import { UsageReportStore } from './persistence/usage-report.store.js';
import { UsageTotalsStore } from './persistence/usage-totals.store.js';
import { PriceCatalog } from './prices/price-catalog.js';
import { PriceUpdatesService } from './price-updates.service.js';
import { PricesService } from './prices.service.js';
import { StorageSources } from './storage-source.js';
import { UsageMonths } from './recording/usage-months.js';
import { UsagePartitions } from './recording/usage-partitions.js';
import { UnpaidUsageService } from './unpaid-usage.service.js';
import { UsagePeriodsService } from './usage-periods.service.js';
import { UsageReportService } from './usage-report.service.js';
import { UsageTotalsService } from './usage-totals.service.js';
import { UsageService } from './usage.service.js';

/** Records usage and prices it. */
@Module({
  providers: [
    BilledMonths,
    PriceCatalog,
    PricesService,
    PriceUpdatesService,
    PriceVersionsStore,
    UsageEventsStore,
    UsageMonths,
    UsageMonthsStore,
    UsagePartitions,
    UsagePartitionsStore,
    StorageSources,
    UnpaidUsageService,
    UnpaidUsageStore,
    UsagePeriodsService,
    UsageReportService,
    UsageReportStore,
    UsageService,
    UsageTotalsService,
    UsageTotalsStore,
    ...METERING_METRICS,
  ],
  exports: [
    BilledMonths,
    PriceCatalog,
    PricesService,
    PriceUpdatesService,
    StorageSources,
    UnpaidUsageService,
    UsagePartitions,
    UsagePeriodsService,
    UsageReportService,
    UsageService,
    UsageTotalsService,
  ],
})
export class MeteringModule {}
