import { Module } from '@nestjs/common';
import { KeysModule } from '../../auth/keys.module.js';
import { OrgDirectoryModule } from '../../orgs/org-directory.module.js';
import { CreditsModule } from '../credits.module.js';
import { CreditsPersistenceModule } from '../persistence/credits-persistence.module.js';
import { BudgetSubjects } from './budget-subjects.js';
import { BudgetsService } from './budgets.service.js';

/** Setting budgets. That work keeps to them is part of the credits, which other processes use without people's keys. */
@Module({
  imports: [CreditsModule, CreditsPersistenceModule, KeysModule, OrgDirectoryModule],
  providers: [BudgetsService, BudgetSubjects],
  exports: [BudgetsService],
})
export class BudgetsModule {}
