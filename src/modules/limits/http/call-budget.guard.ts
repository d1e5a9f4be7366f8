import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { isApiCall } from '../../../platform/http/api-path.js';
import { CallBudgetService } from '../call-budget.service.js';
import { clientAddressOf } from '../client-address.js';
import { noteSpent, setBudgetHeaders } from './budget-headers.js';

/** Spends one call of the caller's budget, says what is left, and refuses with 429 when nothing is. */
@Injectable()
export class CallBudgetGuard implements CanActivate {
  constructor(private readonly budgets: CallBudgetService) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    return isApiCall(request) ? this.spend(request, http.getResponse<Response>()) : true;
  }

  private async spend(request: Request, response: Response): Promise<boolean> {
    const budget = await this.budgets.spend(clientAddressOf(request.ip));
    setBudgetHeaders(response, budget);
    if (budget.refusal !== undefined) throw budget.refusal;
    noteSpent(request, budget);
    return true;
  }
}
