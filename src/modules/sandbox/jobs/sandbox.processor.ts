import { Injectable } from '@nestjs/common';
import type { JobHandler } from '../../../platform/queues/queue-definition.js';
import { Clock } from '../../../platform/time/clock.js';
import { type SandboxOutcome, SandboxRuntime } from '../sandbox-runtime.js';
import { SandboxMetrics } from '../sandbox.metrics.js';
import type { SandboxJob } from './sandbox.queue.js';

@Injectable()
export class SandboxProcessor implements JobHandler<SandboxJob, SandboxOutcome> {
  constructor(
    private readonly runtime: SandboxRuntime,
    private readonly metrics: SandboxMetrics,
    private readonly clock: Clock,
  ) {}

  async handle({ executionId, language, code, stdin, limits, startBeforeMs }: SandboxJob): Promise<SandboxOutcome> {
    if (this.clock.now().getTime() > startBeforeMs) throw new Error('The run waited so long that its caller has gone.');
    try {
      const outcome = await this.runtime.run({ id: executionId, language, code, stdin, limits });
      this.metrics.executed(language, outcome.status);
      return outcome;
    } catch (error) {
      this.metrics.executed(language, 'platform_error');
      throw error;
    }
  }
}
