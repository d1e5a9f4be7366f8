import { AsyncResource } from 'node:async_hooks';
import { Injectable } from '@nestjs/common';
import { Tracing } from '../../../platform/tracing/tracing.js';
import type { LogPhase } from '../domain/deploy-facts.js';
import { DeployMetrics } from '../metrics/deploys.metrics.js';
import type { Deploy } from '../persistence/deploy.entity.js';
import { PhaseClock } from './phase-clock.js';

/** Starts the clocks of attempts, whose phases become metrics and spans. */
@Injectable()
export class PhaseClocks {
  constructor(
    private readonly metrics: DeployMetrics,
    private readonly tracing: Tracing,
  ) {}

  start({ id, type }: Pick<Deploy, 'id' | 'type'>): PhaseClock<LogPhase> {
    const attributes = { 'service_platform.deploy.id': id, 'service_platform.deploy.type': type };
    const ended = (phase: LogPhase, ms: number): void => {
      this.metrics.observePhase(phase, type, ms / 1000);
      this.tracing.record(`deploy ${phase}`, ms, { attributes });
    };
    // A phase may begin with the output of a program, which does not know which job it belongs to.
    return new PhaseClock<LogPhase>('resolve', AsyncResource.bind(ended));
  }
}
