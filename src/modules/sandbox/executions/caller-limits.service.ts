import { Injectable } from '@nestjs/common';
import { Clock, nextUtcMidnight } from '../../../platform/time/clock.js';
import { HostingSettings } from '../../hosting/hosting.settings.js';
import type { BudgetAccount } from '../../limits/budget-account.js';
import { CallBudgetService } from '../../limits/call-budget.service.js';
import { type Plan, type PlanId, PLANS } from '../../plans/plan.js';
import type { SandboxLimits } from '../domain/sandbox-runtime.js';
import { SandboxSettings } from '../sandbox.settings.js';
import { limitsOf } from './plan-limits.js';

/** What an organization may use of the sandbox now. */
export interface CallerLimits {
  readonly plan: Plan;
  /** What an execution gets that asks for nothing. */
  readonly defaults: SandboxLimits;
  /** True when executions may connect to hosts that they name. */
  readonly network: boolean;
  /** Both are null when calls are unlimited. */
  readonly calls: { readonly limit: number | null; readonly remaining: number | null; readonly resetsAt: Date };
}

/** Says which limits hold for the executions of an organization. */
@Injectable()
export class CallerLimitsService {
  constructor(
    private readonly settings: SandboxSettings,
    private readonly hosting: HostingSettings,
    private readonly budgets: CallBudgetService,
    private readonly clock: Clock,
  ) {}

  async of(planId: PlanId, account: BudgetAccount): Promise<CallerLimits> {
    const plan = PLANS[planId];
    const limit = account.tier.callsPerDay;
    const { remaining } = await this.budgets.look(account);
    return {
      plan,
      defaults: limitsOf(plan, {}, this.settings),
      network: plan.sandbox.network && this.hosting.appsNetwork !== 'off',
      calls: { limit, remaining: limit === null ? null : remaining, resetsAt: nextUtcMidnight(this.clock.now()) },
    };
  }
}
