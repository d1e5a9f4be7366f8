import { Module } from '@nestjs/common';
import { ExportedUsage } from './exported-usage.js';
import { OrgDirectoryModule } from '../../orgs/org-directory.module.js';
import { UsageIntakeService } from '../intake/usage-intake.service.js';
import { UsageOwners } from '../intake/usage-owners.js';
import { MeteringModule } from '../metering.module.js';
import { UsageEventsController } from './usage-events.controller.js';
import { UsageController } from './usage.controller.js';

@Module({
  imports: [MeteringModule, OrgDirectoryModule],
  controllers: [UsageController, UsageEventsController],
  providers: [ExportedUsage, UsageIntakeService, UsageOwners],
})
export class MeteringHttpModule {}
