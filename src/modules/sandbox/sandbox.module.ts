import { Module } from '@nestjs/common';
import { LimitsModule } from '../limits/limits.module.js';
import { SandboxStatusService } from './sandbox-status.service.js';
import { SandboxService } from './sandbox.service.js';
import { WorkerReports } from './workers/worker-reports.js';

@Module({
  imports: [LimitsModule],
  providers: [SandboxService, SandboxStatusService, WorkerReports],
  exports: [SandboxService, SandboxStatusService, WorkerReports],
})
export class SandboxModule {}
