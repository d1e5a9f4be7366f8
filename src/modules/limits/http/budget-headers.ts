import { Injectable, Logger } from '@nestjs/common';
import type { Request, Response } from 'express';
import { isCountedCall } from '../../../platform/http/api-path.js';
import { FailureHeaders } from '../../../platform/http/failure-headers.js';
import { budgetHolderOf, BudgetHolders } from '../budget-account.js';
import type { Budget } from '../call-budget.service.js';
import { CallBudgetService } from '../call-budget.service.js';
import { clientAddressOf } from '../client-address.js';
import { isFree, spentBy } from '../spent-call.js';
import { burstSizeOf } from '../tier.js';

const BURST_WINDOW_SECONDS = 2;
const DAY_SECONDS = 86_400;

/** Returns names and values alternately, as Node takes raw headers. */
export function budgetHeadersOf({ account: { tier }, limit, remaining, burstLeft, resetSeconds }: Budget): string[] {
  return [
    'x-service-tier',
    tier.name,
    'x-service-calls-limit',
    `${limit}`,
    'x-service-calls-remaining',
    `${remaining}`,
    'x-service-calls-reset',
    `${resetSeconds}`,
    'RateLimit-Policy',
    `"burst";q=${burstSizeOf(tier)};w=${BURST_WINDOW_SECONDS}, "daily";q=${limit};w=${DAY_SECONDS}`,
    'RateLimit',
    `"burst";r=${burstLeft};t=${BURST_WINDOW_SECONDS}, "daily";r=${remaining};t=${resetSeconds}`,
  ];
}

/** Replaces the budget headers that the answer has so far. */
function setBudgetHeaders(response: Response, budget: Budget): void {
  const headers = budgetHeadersOf(budget);
  for (let at = 0; at < headers.length; at += 2) response.setHeader(headers[at]!, headers[at + 1]!);
}

/** Adds the budget to every failure under `/api/v1`, including those that occur before the guards run. */
@Injectable()
export class BudgetHeaders extends FailureHeaders {
  private readonly logger = new Logger(BudgetHeaders.name);

  constructor(
    private readonly budgets: CallBudgetService,
    private readonly holders: BudgetHolders,
  ) {
    super();
  }

  async complete(request: Request, response: Response, status: number): Promise<void> {
    if (!isCountedCall(request)) return;
    try {
      await this.correct(request, response, status);
    } catch (error) {
      this.logger.error(error);
    }
  }

  private async correct(request: Request, response: Response, status: number): Promise<void> {
    const spent = spentBy(request);
    if (spent === undefined) {
      if (response.hasHeader('x-service-tier')) return;
      const holder = request.route === undefined ? await this.holders.find(request) : budgetHolderOf(request);
      const account = holder?.account ?? this.budgets.accountOfAddress(clientAddressOf(request.ip));
      setBudgetHeaders(response, await this.budgets.look(account));
      return;
    }
    if (!isFree(status) || spent.account.burstOnly !== undefined) return;
    await this.budgets.giveBack(spent);
    setBudgetHeaders(response, { ...spent, remaining: Math.min(spent.limit, spent.remaining + 1) });
  }
}
