import { Logger, Module } from '@nestjs/common';
import { ArtifactBlobsModule } from '../artifacts/artifact-blobs.module.js';
import { ArtifactOrgDeletedProcessor } from '../artifacts/artifact-org-deleted.processor.js';
import { ArtifactReceivers } from '../artifacts/artifact-receivers.js';
import { ExpiredArtifactsSweeper } from '../artifacts/expired-artifacts.sweeper.js';
import { IsolationModule } from '../../../platform/isolation/isolation.module.js';
import { ExecutionRecorder } from '../executions/execution-recorder.js';
import { ExecutionsModule } from '../executions/executions.module.js';
import { OldExecutionsSweeper } from '../executions/old-executions-sweeper.js';
import { openRuntime } from '../runtime/open-runtime.js';
import { OutputRecorder } from '../output/output-recorder.js';
import { ExecutionRuns } from '../network/execution-runs.js';
import { RunNetworks } from '../network/run-networks.js';
import { SandboxRuntime } from '../domain/sandbox-runtime.js';
import { RunMeasures } from '../metrics/run-measures.js';
import { SANDBOX_METRICS, SandboxMetrics, TemplateMetrics } from '../metrics/sandbox.metrics.js';
import { SandboxPersistenceModule } from '../persistence/sandbox-persistence.module.js';
import { SandboxSettings } from '../sandbox.settings.js';
import { SandboxModule } from '../sandbox.module.js';
import { SandboxWorkerService } from '../workers/sandbox-worker.service.js';
import { WorkerHeartbeat } from '../workers/worker-heartbeat.js';
import { BuildsModule } from '../../builds/builds.module.js';
import { OldPackageLocksSweeper } from '../packages/old-package-locks-sweeper.js';
import { PackageInstaller } from '../packages/package-installer.js';
import { PackagesProcessor } from './packages.processor.js';
import { SESSION_METRICS } from '../metrics/session.metrics.js';
import { OldSessionsSweeper } from '../sessions/jobs/old-sessions-sweeper.js';
import { SandboxOrgDeletedProcessor } from '../sessions/jobs/sandbox-org-deleted.processor.js';
import { SessionStartProcessor } from '../sessions/jobs/session-start.processor.js';
import { SessionProcesses } from '../sessions/host/session-processes.js';
import { SandboxSessionsModule } from '../sessions/sandbox-sessions.module.js';
import { HeldSessions } from '../sessions/worker/held-sessions.js';
import { SessionAnswering } from '../sessions/worker/session-answering.js';
import { SessionAnswers } from '../sessions/worker/session-answers.js';
import { SessionArtifacts } from '../sessions/worker/session-artifacts.js';
import { SessionRoom } from '../sessions/worker/session-room.js';
import { WaitingStarts } from '../sessions/worker/waiting-starts.js';
import { SessionRuns } from '../sessions/worker/session-runs.js';
import { SessionTimes } from '../sessions/worker/session-times.js';
import { SessionWorkerService } from '../sessions/worker/session-worker.service.js';
import { MeasuredRuns } from './measured-runs.js';
import { SandboxProcessor } from './sandbox.processor.js';

const logger = new Logger('SandboxRuntime');

function runtimeOf(settings: SandboxSettings, metrics: SandboxMetrics, templates: TemplateMetrics): SandboxRuntime {
  const { cgroups, cpuWeight, copiesDirectory, bubblewrap, concurrency, memoryBytes, timeoutMs, forkServer } = settings;
  const places = bubblewrap === undefined ? {} : { bubblewrapPlaces: [bubblewrap] };
  const runtime = openRuntime({
    isolation: { cgroups, cpuWeight, copiesDirectory, ...places },
    runtime: { concurrency, limits: { memoryBytes, timeoutMs }, forkServer },
  });
  metrics.watchPools(() => runtime.readings);
  templates.watchPools(() => runtime.readings);
  runtime.listen((event) => {
    if (event.kind === 'acquired') metrics.acquired(event.language, event.seconds, event.warm);
    if (event.kind === 'lost') metrics.lost('died');
    if (event.kind === 'start_failed') metrics.lost('start_failed');
    if (event.kind === 'template_started') templates.count(event.interpreter, 'started');
    if (event.kind === 'template_failed') {
      templates.count(event.interpreter, 'failed');
      logger.warn(`Sandboxes for ${event.interpreter} start by themselves for now: ${String(event.error)}`);
    }
  });
  return runtime;
}

@Module({
  imports: [
    ArtifactBlobsModule,
    BuildsModule,
    ExecutionsModule,
    IsolationModule,
    SandboxModule,
    SandboxPersistenceModule,
    SandboxSessionsModule,
  ],
  providers: [
    { provide: SandboxRuntime, inject: [SandboxSettings, SandboxMetrics, TemplateMetrics], useFactory: runtimeOf },
    ArtifactOrgDeletedProcessor,
    ArtifactReceivers,
    ExecutionRecorder,
    ExecutionRuns,
    MeasuredRuns,
    ExpiredArtifactsSweeper,
    OldExecutionsSweeper,
    OldPackageLocksSweeper,
    OutputRecorder,
    RunMeasures,
    PackageInstaller,
    PackagesProcessor,
    RunNetworks,
    SandboxProcessor,
    SandboxWorkerService,
    WorkerHeartbeat,
    HeldSessions,
    OldSessionsSweeper,
    SandboxOrgDeletedProcessor,
    SessionAnswering,
    SessionAnswers,
    SessionArtifacts,
    SessionRoom,
    SessionRuns,
    SessionStartProcessor,
    SessionTimes,
    SessionWorkerService,
    SessionProcesses,
    WaitingStarts,
    ...SANDBOX_METRICS,
    ...SESSION_METRICS,
  ],
})
export class SandboxJobsModule {}
