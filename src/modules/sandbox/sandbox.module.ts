import { Module } from '@nestjs/common';
import { LimitsModule } from '../limits/limits.module.js';
import { AnonymousQuota } from './runs/anonymous-quota.js';
import { AnonymousSandboxService } from './runs/anonymous-sandbox.service.js';
import { SandboxStatusService } from './sandbox-status.service.js';
import { EXECUTION_METRICS, ExecutionCounter } from './metrics/sandbox.metrics.js';
import { AnonymousStreams } from './runs/anonymous-streams.js';
import { OpenExecutionStreams } from './output/open-execution-streams.js';
import { OutputFollower } from './output/output-follower.js';
import { OutputSignals } from './output/output-signals.js';
import { KeptOutput } from './output/kept-output.js';
import { SandboxService } from './runs/sandbox.service.js';
import { Backlog } from './workers/backlog.js';
import { WorkerReports } from './workers/worker-reports.js';

@Module({
  imports: [LimitsModule],
  providers: [
    AnonymousQuota,
    AnonymousSandboxService,
    AnonymousStreams,
    Backlog,
    OpenExecutionStreams,
    OutputFollower,
    OutputSignals,
    KeptOutput,
    SandboxService,
    SandboxStatusService,
    WorkerReports,
    ...EXECUTION_METRICS,
  ],
  exports: [
    AnonymousSandboxService,
    AnonymousStreams,
    Backlog,
    ExecutionCounter,
    OpenExecutionStreams,
    OutputFollower,
    OutputSignals,
    KeptOutput,
    SandboxService,
    SandboxStatusService,
    WorkerReports,
  ],
})
export class SandboxModule {}
