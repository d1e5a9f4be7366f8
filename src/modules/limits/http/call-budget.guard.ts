import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { isCountedCall } from '../../../platform/http/api-path.js';
import { addDefaultHeaders } from '../../../platform/http/fast-messages.js';
import { innerOriginOf } from '../../../platform/http/inner-calls.js';
import { type BudgetHolder, budgetHolderOf } from '../budget-account.js';
import { type Budget, CallBudgetService } from '../call-budget.service.js';
import { clientAddressOf } from '../client-address.js';
import { noteSpent } from '../spent-call.js';
import { budgetHeadersOf } from './budget-headers.js';
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
    // The outer request was counted.
    if (innerOriginOf(request) !== undefined) return this.checkCurrent(request);
    return isCountedCall(request) ? this.admit(request, http.getResponse<Response>()) : true;
  }

  /** Looks up a caller again that has changed since it was cached, and counts nothing. */
  private async checkCurrent(request: Request): Promise<true> {
    const holder = budgetHolderOf(request);
    if (holder === undefined) return true;
    const { stamps } = await this.budgets.look(holder.account, holder.stamps);
    if (holder.isStale(stamps)) await holder.refresh();
    return true;
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
