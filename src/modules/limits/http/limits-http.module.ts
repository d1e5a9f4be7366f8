import { Global, Module } from '@nestjs/common';
import { FailureHeaders } from '../../../platform/http/failure-headers.js';
import { LimitsModule } from '../limits.module.js';
import { BudgetHeaders } from './budget-headers.js';
import { LIMITS_METRICS, LimitsMetrics } from './limits.metrics.js';

/** Global, because the error filter of the whole role needs the headers of a failure. */
@Global()
@Module({
  imports: [LimitsModule],
  providers: [{ provide: FailureHeaders, useClass: BudgetHeaders }, ...LIMITS_METRICS],
  exports: [FailureHeaders, LimitsMetrics, LimitsModule],
})
export class LimitsHttpModule {}
