import { Module } from '@nestjs/common';
import { LimitsModule } from '../limits/limits.module.js';
import { AnonymousQuota } from './runs/anonymous-quota.js';
import { AnonymousSandboxService } from './runs/anonymous-sandbox.service.js';
import { SandboxStatusService } from './sandbox-status.service.js';
import { EXECUTION_METRICS, ExecutionCounter } from './metrics/sandbox.metrics.js';
import { SandboxService } from './runs/sandbox.service.js';
import { Backlog } from './workers/backlog.js';
import { WorkerReports } from './workers/worker-reports.js';

@Module({
  imports: [LimitsModule],
  providers: [
    AnonymousQuota,
    AnonymousSandboxService,
    Backlog,
    SandboxService,
    SandboxStatusService,
    WorkerReports,
    ...EXECUTION_METRICS,
  ],
  exports: [AnonymousSandboxService, Backlog, ExecutionCounter, SandboxService, SandboxStatusService, WorkerReports],
})
export class SandboxModule {}
