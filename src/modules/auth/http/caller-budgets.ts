import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { type BudgetHolder, BudgetHolders, budgetHolderOf } from '../../limits/budget-account.js';
import { CallAdmission } from './call-admission.js';

/** Finds the budget by the credential of the request, if the credential is valid. */
@Injectable()
export class CallerBudgets extends BudgetHolders {
  constructor(private readonly admission: CallAdmission) {
    super();
  }

  async find(request: Request): Promise<BudgetHolder | undefined> {
    await this.admission.admitIfKnown(request);
    return budgetHolderOf(request);
  }
}
