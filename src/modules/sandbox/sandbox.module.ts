import { Module } from '@nestjs/common';
import { LimitsModule } from '../limits/limits.module.js';
import { AnonymousSandboxService } from './anonymous-sandbox.service.js';
import { SandboxStatusService } from './sandbox-status.service.js';
import { SandboxService } from './sandbox.service.js';
import { Backlog } from './workers/backlog.js';
import { WorkerReports } from './workers/worker-reports.js';

@Module({
  imports: [LimitsModule],
  providers: [AnonymousSandboxService, Backlog, SandboxService, SandboxStatusService, WorkerReports],
  exports: [AnonymousSandboxService, Backlog, SandboxService, SandboxStatusService, WorkerReports],
})
export class SandboxModule {}
