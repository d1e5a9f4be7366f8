import { Module } from '@nestjs/common';
import { BudgetsModule } from '../budgets/budgets.module.js';
import { CreditsModule } from '../credits.module.js';
import { BudgetsController } from './budgets.controller.js';
import { CreditOperationsController } from './credit-operations.controller.js';
import { CreditsController } from './credits.controller.js';

@Module({
  imports: [BudgetsModule, CreditsModule],
  controllers: [BudgetsController, CreditsController, CreditOperationsController],
})
export class CreditsHttpModule {}
