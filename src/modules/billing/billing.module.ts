import { Module } from '@nestjs/common';
import { OwningOrgsModule } from '../auth/owning-orgs.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { RepositoriesModule } from '../repositories/repositories.module.js';
import { SubscriptionOperations } from './operators/subscription-operations.service.js';
import { SubscriptionsStore } from './persistence/subscriptions.store.js';
import { PlanChanges } from './subscriptions/plan-changes.service.js';
import { PlanRoom } from './subscriptions/plan-room.service.js';
import { PlannedChanges } from './subscriptions/planned-changes.service.js';
import { SubscriptionsService } from './subscriptions/subscriptions.service.js';

@Module({
  imports: [OwningOrgsModule, ProjectsModule, RepositoriesModule],
  providers: [PlanChanges, PlannedChanges, PlanRoom, SubscriptionOperations, SubscriptionsService, SubscriptionsStore],
  exports: [PlannedChanges, SubscriptionOperations, SubscriptionsService],
})
export class BillingModule {}
