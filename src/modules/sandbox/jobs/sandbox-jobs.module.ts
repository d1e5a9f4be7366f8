import { Module } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { Isolation } from '../../../platform/isolation/isolation.js';
import { IsolatedRuntime } from '../runtime/isolated-runtime.js';
import { SandboxRuntime } from '../sandbox-runtime.js';
import { SANDBOX_METRICS } from '../sandbox.metrics.js';
import { SandboxModule } from '../sandbox.module.js';
import { SandboxWorkerService } from '../workers/sandbox-worker.service.js';
import { SandboxProcessor } from './sandbox.processor.js';

const runtimeOf = ({ sandbox }: Config): SandboxRuntime => new IsolatedRuntime(new Isolation({ cgroups: sandbox.cgroups, copiesDirectory: sandbox.copiesDirectory }));

@Module({
  imports: [SandboxModule],
  providers: [
    { provide: SandboxRuntime, inject: [Config], useFactory: runtimeOf },
    SandboxProcessor,
    SandboxWorkerService,
    ...SANDBOX_METRICS,
  ],
})
export class SandboxJobsModule {}
