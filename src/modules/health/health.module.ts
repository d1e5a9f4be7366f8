import { Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { SandboxModule } from '../sandbox/sandbox.module.js';
import { HEALTH_METRICS } from './metrics/health.metrics.js';
import { ReadinessService } from './readiness.service.js';

@Module({
  // Probes come every second; what they find is in their answer and in the metrics, and need not fill the log.
  imports: [TerminusModule.forRoot({ logger: false }), SandboxModule],
  providers: [ReadinessService, ...HEALTH_METRICS],
  exports: [ReadinessService],
})
export class HealthModule {}
