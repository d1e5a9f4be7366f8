import { Module } from '@nestjs/common';
import { ExecutionsModule } from '../executions/executions.module.js';
import { SandboxModule } from '../sandbox.module.js';
import { ExecutionEventsController } from './execution-events.controller.js';
import { ExecutionEvents } from './execution-events.js';
import { ExecutionsController } from './executions.controller.js';
import { PackageSetsController } from './package-sets.controller.js';
import { SandboxLimitsController } from './sandbox-limits.controller.js';
import { SandboxController } from './sandbox.controller.js';

@Module({
  imports: [ExecutionsModule, SandboxModule],
  controllers: [
    SandboxController,
    SandboxLimitsController,
    PackageSetsController,
    ExecutionsController,
    ExecutionEventsController,
  ],
  providers: [ExecutionEvents],
})
export class SandboxHttpModule {}
