import { Module } from '@nestjs/common';
import { CallBudgetService } from './call-budget.service.js';
import { ConcurrencyLimitService } from './concurrency-limit.service.js';
import { DailyAllowanceService } from './daily-allowance.service.js';
import { InProcessLimiter } from './counting/in-process-limiter.js';
import { LimitScript } from './counting/limit-script.js';

@Module({
  providers: [CallBudgetService, ConcurrencyLimitService, DailyAllowanceService, InProcessLimiter, LimitScript],
  exports: [CallBudgetService, ConcurrencyLimitService, DailyAllowanceService],
})
export class LimitsModule {}
