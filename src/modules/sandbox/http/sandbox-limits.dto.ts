import { ApiProperty } from '@nestjs/swagger';
import { AnswerMeta } from '../../../platform/http/page.js';
import { PLAN_IDS, type PlanId } from '../../plans/plan.js';
import type { CallerLimits } from '../executions/caller-limits.service.js';
import { MIN_MEMORY_MIB } from './executions.dto.js';

const MEBIBYTE = 1_048_576;

class SandboxTimeoutView {
  @ApiProperty({ type: 'integer', example: 30_000, description: 'For executions that name none.' }) default!: number;
  @ApiProperty({ type: 'integer', example: 60_000 }) max!: number;
}

class SandboxMemoryView {
  @ApiProperty({ type: 'integer', example: 256, description: 'For executions that name none.' }) default!: number;
  @ApiProperty({ type: 'integer', example: 64 }) min!: number;
  @ApiProperty({ type: 'integer', example: 512 }) max!: number;
}

class SandboxSessionsLimitView {
  @ApiProperty({ type: 'integer', example: 5, description: 'Sessions at once.' }) count!: number;
  @ApiProperty({
    type: 'integer',
    example: 240,
    description: 'A session ends after this time, however much it is used.',
  })
  max_minutes!: number;
}

class SandboxCallsView {
  @ApiProperty({ type: 'integer', nullable: true, example: 10_000, description: 'Null when calls are unlimited.' })
  limit!: number | null;
  @ApiProperty({ type: 'integer', nullable: true, example: 9_990 }) remaining!: number | null;
  @ApiProperty({ format: 'date-time' }) resets_at!: string;
}

export class SandboxLimitsView {
  @ApiProperty({ enum: PLAN_IDS }) plan!: PlanId;
  @ApiProperty({ type: SandboxTimeoutView }) timeout_ms!: SandboxTimeoutView;
  @ApiProperty({ type: SandboxMemoryView }) memory_mib!: SandboxMemoryView;
  @ApiProperty({ type: 'integer', description: 'Limit of standard output and of standard error, each.' })
  output_bytes!: number;
  @ApiProperty({ type: 'integer', example: 64, description: 'How many processes a program may start.' })
  processes!: number;
  @ApiProperty({ type: 'integer', example: 8, description: 'Executions at once, queued ones included.' })
  concurrency!: number;
  @ApiProperty({ type: 'integer', description: 'The artifacts of one execution together.' })
  artifact_bytes!: number;
  @ApiProperty({ type: Boolean, description: 'Whether executions may connect to hosts that they name.' })
  network!: boolean;
  @ApiProperty({ type: SandboxSessionsLimitView }) sessions!: SandboxSessionsLimitView;
  @ApiProperty({ type: SandboxCallsView, description: 'API calls of the organization today.' })
  calls!: SandboxCallsView;

  static of({ plan, defaults, network, calls }: CallerLimits): SandboxLimitsView {
    const { timeoutMs, memoryMib, artifactMib, concurrency, sessions } = plan.sandbox;
    return {
      plan: plan.id,
      timeout_ms: { default: defaults.timeoutMs, max: timeoutMs },
      memory_mib: { default: defaults.memoryBytes / MEBIBYTE, min: MIN_MEMORY_MIB, max: memoryMib },
      output_bytes: defaults.outputBytes,
      processes: defaults.processes ?? 0,
      concurrency,
      artifact_bytes: artifactMib * MEBIBYTE,
      network,
      sessions: { count: sessions.count, max_minutes: sessions.minutes },
      calls: { limit: calls.limit, remaining: calls.remaining, resets_at: calls.resetsAt.toISOString() },
    };
  }
}

export class SandboxLimitsAnswer {
  @ApiProperty({ type: SandboxLimitsView }) data!: SandboxLimitsView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}
