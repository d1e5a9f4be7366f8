import { Module } from '@nestjs/common';
import { CreditsModule } from '../credits.module.js';
import { BudgetsController } from './budgets.controller.js';
import { CreditOperationsController } from './credit-operations.controller.js';
import { CreditsController } from './credits.controller.js';

@Module({ imports: [CreditsModule], controllers: [BudgetsController, CreditsController, CreditOperationsController] })
export class CreditsHttpModule {}
