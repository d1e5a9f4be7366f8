import { Module } from '@nestjs/common';
import { AttemptLimitService } from './attempt-limit.service.js';
import { CallBudgetService } from './call-budget.service.js';
import { ConcurrencyLimitService } from './concurrency-limit.service.js';
import { DailyAllowanceService } from './daily-allowance.service.js';
import { InProcessLimiter } from './counting/in-process-limiter.js';
import { LimitScript } from './counting/limit-script.js';
import { TokenRateService } from './token-rate.service.js';

@Module({
  providers: [
    AttemptLimitService,
    CallBudgetService,
    ConcurrencyLimitService,
    DailyAllowanceService,
    InProcessLimiter,
    LimitScript,
    TokenRateService,
  ],
  exports: [AttemptLimitService, CallBudgetService, ConcurrencyLimitService, DailyAllowanceService, TokenRateService],
})
export class LimitsModule {}
