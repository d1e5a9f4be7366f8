import { Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE } from '@nestjs/core';
import { AccessGuard } from '../modules/auth/http/access.guard.js';
import { AuthHttpModule } from '../modules/auth/http/auth-http.module.js';
import { AuthenticationGuard } from '../modules/auth/http/authentication.guard.js';
import { ScopeGuard } from '../modules/auth/http/scope.guard.js';
import { AppDomain } from '../modules/hosting/http/app-domain.js';
import { HealthHttpModule } from '../modules/health/http/health-http.module.js';
import { CallBudgetGuard } from '../modules/limits/http/call-budget.guard.js';
import { IdempotencyHttpModule } from '../modules/idempotency/http/idempotency-http.module.js';
import { LimitsHttpModule } from '../modules/limits/http/limits-http.module.js';
import { MetricsHttpModule } from '../modules/metrics/http/metrics-http.module.js';
import { OperatorTokenGuard } from '../modules/operators/http/operator-token.guard.js';
import { OperatorsHttpModule } from '../modules/operators/http/operators-http.module.js';
import { SiteErrorFilter } from '../modules/site/http/site-error.filter.js';
import { SiteModule } from '../modules/site/site.module.js';
import { RequestValidation } from '../platform/http/validation.js';
import { StorageGuard } from '../platform/storage/storage.guard.js';

/** The parts of every process that serves HTTP: the guards in their order, and the probes. */
@Module({
  imports: [
    AuthHttpModule,
    IdempotencyHttpModule,
    LimitsHttpModule,
    OperatorsHttpModule,
    HealthHttpModule,
    MetricsHttpModule,
    SiteModule,
  ],
  providers: [
    { provide: APP_FILTER, useClass: SiteErrorFilter },
    { provide: APP_GUARD, useClass: AccessGuard },
    { provide: APP_GUARD, useClass: OperatorTokenGuard },
    { provide: APP_GUARD, useClass: AuthenticationGuard },
    { provide: APP_GUARD, useClass: CallBudgetGuard },
    { provide: APP_GUARD, useClass: ScopeGuard },
    { provide: APP_GUARD, useClass: StorageGuard },
    { provide: APP_PIPE, useClass: RequestValidation },
    AppDomain,
  ],
})
export class HttpModule {}
