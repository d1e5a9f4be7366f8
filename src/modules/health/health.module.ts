import { Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { AppNetworkStatusModule } from '../hosting/app-network-status.module.js';
import { SandboxModule } from '../sandbox/sandbox.module.js';
import { HEALTH_METRICS } from './metrics/health.metrics.js';
import { OptionalParts } from './parts/optional-parts.js';
import { PartChecks } from './parts/part-checks.js';
import { ReadinessService } from './readiness.service.js';

@Module({
  // Probes arrive every second. Their results are in the answer and in the metrics, and would only fill the log.
  imports: [TerminusModule.forRoot({ logger: false }), AppNetworkStatusModule, SandboxModule],
  providers: [OptionalParts, PartChecks, ReadinessService, ...HEALTH_METRICS],
  exports: [ReadinessService],
})
export class HealthModule {}
