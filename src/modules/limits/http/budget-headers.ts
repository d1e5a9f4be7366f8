import { Injectable, Logger } from '@nestjs/common';
import type { Request, Response } from 'express';
import { isCountedCall } from '../../../platform/http/api-path.js';
import { FailureHeaders } from '../../../platform/http/failure-headers.js';
import { budgetHolderOf, BudgetHolders } from '../budget-account.js';
import type { Budget } from '../call-budget.service.js';
import { CallBudgetService } from '../call-budget.service.js';
import { clientAddressOf } from '../client-address.js';
import { burstSizeOf } from '../tier.js';

const BURST_WINDOW_SECONDS = 2;
const DAY_SECONDS = 86_400;

/** Refused before it did anything, or failed by us: the call costs nothing (service document §8). */
const isFree = (status: number): boolean => status === 401 || status === 403 || status === 429 || status >= 500;

const SPENT = Symbol('budget spent by this request');
type Carrier = Request & { [SPENT]?: Budget };

/** Notes that a request has spent a call, for {@link BudgetHeaders} to give back if it fails. */
export function noteSpent(request: Request, budget: Budget): void {
  (request as Carrier)[SPENT] = budget;
}

export function setBudgetHeaders(response: Response, { account: { tier }, limit, remaining, burstLeft, resetSeconds }: Budget): void {
  const burst = burstSizeOf(tier);
  response.setHeader('x-service-tier', tier.name);
  response.setHeader('x-service-calls-limit', limit);
  response.setHeader('x-service-calls-remaining', remaining);
  response.setHeader('x-service-calls-reset', resetSeconds);
  response.setHeader('RateLimit-Policy', `"burst";q=${burst};w=${BURST_WINDOW_SECONDS}, "daily";q=${limit};w=${DAY_SECONDS}`);
  response.setHeader('RateLimit', `"burst";r=${burstLeft};t=${BURST_WINDOW_SECONDS}, "daily";r=${remaining};t=${resetSeconds}`);
}

/** Every failure under `/api/v1` carries the budget, also one that came before the guards. */
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
    const spent = (request as Carrier)[SPENT];
    if (spent === undefined) {
      if (response.hasHeader('x-service-tier')) return;
      const holder = request.route === undefined ? await this.holders.find(request) : budgetHolderOf(request);
      const account = holder?.account ?? this.budgets.accountOfAddress(clientAddressOf(request.ip));
      setBudgetHeaders(response, await this.budgets.look(account));
      return;
    }
    if (!isFree(status)) return;
    await this.budgets.giveBack(spent);
    setBudgetHeaders(response, { ...spent, remaining: Math.min(spent.limit, spent.remaining + 1) });
  }
}
