import { Global, Module } from '@nestjs/common';
import { BudgetHolders } from '../../limits/budget-account.js';
import { CallersModule } from '../callers/callers.module.js';
import { KeysModule } from '../keys.module.js';
import { OperatorSessions } from '../../operators/operator-sessions.js';
import { RouteDirectory } from '../route-directory.js';
import { SessionCookie } from '../session-cookie.js';
import { PageCallersService } from '../page-callers.service.js';
import { SessionsModule } from '../sessions.module.js';
import { AccessGuard } from './access.guard.js';
import { ACCESS_METRICS, AccessMetrics } from './access.metrics.js';
import { CallAdmission } from './call-admission.js';
import { DeclaredRoutes } from './declared-routes.js';
import { OPEN_SURFACES } from './open-surfaces.js';
import { CallerBudgets } from './caller-budgets.js';
import { OperatorPages } from './operator-pages.js';

/** Provides what the guards of every role need. It is global because the limits need the caller. */
@Global()
@Module({
  imports: [CallersModule, KeysModule, SessionsModule],
  providers: [
    AccessGuard,
    CallAdmission,
    SessionCookie,
    OperatorPages,
    PageCallersService,
    { provide: OperatorSessions, useExisting: OperatorPages },
    { provide: BudgetHolders, useClass: CallerBudgets },
    { provide: RouteDirectory, useClass: DeclaredRoutes },
    ...ACCESS_METRICS,
    ...OPEN_SURFACES,
  ],
  exports: [
    AccessGuard,
    AccessMetrics,
    BudgetHolders,
    CallAdmission,
    OperatorPages,
    OperatorSessions,
    PageCallersService,
    RouteDirectory,
    SessionCookie,
  ],
})
export class AuthHttpModule {}
