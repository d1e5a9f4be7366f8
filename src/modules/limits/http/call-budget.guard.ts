import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { isCountedCall } from '../../../platform/http/api-path.js';
import { addDefaultHeaders } from '../../../platform/http/fast-messages.js';
import { type BudgetHolder, budgetHolderOf } from '../budget-account.js';
import { type Budget, CallBudgetService } from '../call-budget.service.js';
import { clientAddressOf } from '../client-address.js';
import { budgetHeadersOf, noteSpent } from './budget-headers.js';
import { LimitsMetrics } from './limits.metrics.js';

/** Spends one call of the caller's budget, reports the remaining budget, and refuses with 429 when it is used up. */
@Injectable()
export class CallBudgetGuard implements CanActivate {
  constructor(
    private readonly budgets: CallBudgetService,
    private readonly metrics: LimitsMetrics,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    return isCountedCall(request) ? this.admit(request, http.getResponse<Response>()) : true;
  }

  private async admit(request: Request, response: Response): Promise<boolean> {
    const holder = budgetHolderOf(request);
    const budget =
      holder === undefined
        ? await this.budgets.spend(this.budgets.accountOfAddress(clientAddressOf(request.ip)))
        : await this.spendOf(holder);
    addDefaultHeaders(response, budgetHeadersOf(budget));
    this.metrics.counted(budget);
    if (budget.refusal !== undefined) throw budget.refusal;
    noteSpent(request, budget);
    return true;
  }

  /** Looks up a caller again that has changed since it was cached, and counts its call against its current account. */
  private async spendOf(holder: BudgetHolder): Promise<Budget> {
    const budget = await this.budgets.spend(holder.account, holder.stamps);
    if (!holder.isStale(budget.stamps)) return budget;
    if (budget.refusal === undefined) await this.budgets.giveBack(budget);
    const { account } = await holder.refresh();
    return this.budgets.spend(account);
  }
}
