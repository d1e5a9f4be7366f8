import { Module } from '@nestjs/common';
import { OrgDirectoryModule } from '../orgs/org-directory.module.js';
import { EventsModule } from '../events/events.module.js';
import { MeteringModule } from '../metering/metering.module.js';
import { CreditOperationsService } from './grants/credit-operations.service.js';
import { BilledUsageService } from './billed-usage.service.js';
import { CreditBalanceService } from './credit-balance.service.js';
import { CREDITS_METRICS } from './metrics/credits.metrics.js';
import { GrantExpiry } from './grants/grant-expiry.js';
import { GrantsService } from './grants/grants.service.js';
import { LedgerService } from './ledger.service.js';
import { WorkBatchService } from './paid/work-batch.service.js';
import { PaidWorkService } from './paid-work.service.js';
import { CreditsPersistenceModule } from './persistence/credits-persistence.module.js';
import { UnheldCharges } from './purse/unheld-charges.js';
import { PursesService } from './purse/purses.service.js';
import { SpendWarnings } from './purse/spend-warnings.js';
import { SpendCapsService } from './spend-caps/spend-caps.service.js';
import { UnheldUsageService } from './unheld-usage.service.js';
import { UsageAllowanceService } from './usage-allowance.service.js';
import { WorkBudgetsService } from './work-budgets.service.js';

/** Credits, holds, spend caps and the ledger. */
@Module({
  imports: [CreditsPersistenceModule, EventsModule, MeteringModule, OrgDirectoryModule],
  providers: [
    BilledUsageService,
    CreditBalanceService,
    CreditOperationsService,
    GrantExpiry,
    GrantsService,
    LedgerService,
    PaidWorkService,
    SpendCapsService,
    SpendWarnings,
    UnheldCharges,
    UnheldUsageService,
    UsageAllowanceService,
    PursesService,
    WorkBatchService,
    WorkBudgetsService,
    ...CREDITS_METRICS,
  ],
  exports: [
    BilledUsageService,
    CreditBalanceService,
    CreditOperationsService,
    GrantsService,
    LedgerService,
    PaidWorkService,
    SpendCapsService,
    UnheldUsageService,
    UsageAllowanceService,
    WorkBudgetsService,
    // The jobs of this module need these.
    GrantExpiry,
    PursesService,
    WorkBatchService,
  ],
})
export class CreditsModule {}
