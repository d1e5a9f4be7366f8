import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform, Type } from 'class-transformer';
import { IsBoolean, IsInt, Max, Min } from 'class-validator';
import { MayBeAbsent } from '../../../platform/http/may-be-absent.js';
import { AnswerMeta, decodeCursor, IsCursor, PageMeta } from '../../../platform/http/page.js';
import { formatUsd } from '../../../platform/money/nano-dollars.js';
import type { PageRequest } from '../../../platform/database/page.js';
import type { EffectClass } from '../../agents/agent-tool.js';
import { RUN_EVENT_TYPES, type RunEvent, type RunEventType } from '../domain/run-events.js';
import type { StepKind } from '../domain/run.js';
import { TOOL_CALL_STATES, type ToolCallState } from '../domain/tool-call-state.js';
import type { ShownStep, ShownToolCall, Transcript } from '../requests/run-steps.js';
import { ANY_JSON } from './run-fields.js';
import { RunView } from './runs.dto.js';

const decode = (cursor: unknown): string | undefined => decodeCursor(cursor, (key) => /^[1-9]\d{0,8}$/.test(key));

export class StepsQuery {
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: 100,
    default: 20,
    example: 50,
    description: 'Number of steps on a page.',
  })
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(100)
  readonly limit: number = 20;

  @ApiPropertyOptional({ type: String, example: 'MjA', description: 'The `meta.next_cursor` of an earlier page.' })
  @MayBeAbsent()
  @IsCursor(decode)
  readonly cursor?: string;

  get page(): PageRequest {
    return { limit: this.limit, after: decode(this.cursor) };
  }
}

class TokenUseView {
  @ApiProperty({ type: 'integer', example: 1_200 }) input_tokens!: number;
  @ApiProperty({ type: 'integer', example: 80 }) output_tokens!: number;
}

class CallErrorView {
  @ApiProperty({ example: 'insufficient_scopes' }) code!: string;
  @ApiProperty({ example: 'deploys:write is missing.' }) message!: string;
}

export class ToolCallView {
  @ApiProperty({ example: 'tcl_01jd3m8yeqf5rb0xkq5ym8s6tn' }) id!: string;
  @ApiProperty({ type: 'integer', example: 1 }) step!: number;
  @ApiProperty({ type: 'integer', example: 0, description: 'Place among the calls of the step.' }) index!: number;
  @ApiProperty({ example: 'http_get' }) tool!: string;
  @ApiProperty({ type: 'object', additionalProperties: true, example: { url: 'https://example.com' } })
  arguments!: Readonly<Record<string, unknown>>;
  @ApiProperty({ enum: TOOL_CALL_STATES }) state!: ToolCallState;
  @ApiProperty({ enum: ['local', 'read', 'keyed', 'once'] }) effect!: EffectClass;
  @ApiPropertyOptional({ type: String, example: 'answer', description: 'What the call waits for, besides approval.' })
  waiting_for?: string;
  @ApiPropertyOptional({ ...ANY_JSON, description: 'Result of the tool, with secrets masked.', example: 'It works.' })
  output?: unknown;
  @ApiPropertyOptional({ type: CallErrorView }) error?: CallErrorView;
  @ApiPropertyOptional({ type: String, example: 'apr_01jd3m8yeqf5rb0xkq5ym8s6tn' }) approval_id?: string;
  @ApiPropertyOptional({ format: 'date-time', type: String }) started_at?: string;
  @ApiPropertyOptional({ format: 'date-time', type: String }) ended_at?: string;

  static of(call: ShownToolCall): ToolCallView {
    return {
      id: call.id,
      step: call.step,
      index: call.place,
      tool: call.tool,
      arguments: call.arguments,
      state: call.state,
      effect: call.effect,
      ...(call.waitingFor === null ? {} : { waiting_for: call.waitingFor }),
      ...(call.output === null ? {} : { output: call.output }),
      ...(call.error === null ? {} : { error: call.error }),
      ...(call.approvalId === undefined ? {} : { approval_id: call.approvalId }),
      ...(call.startedAt === null ? {} : { started_at: call.startedAt.toISOString() }),
      ...(call.endedAt === null ? {} : { ended_at: call.endedAt.toISOString() }),
    };
  }
}

export class RunStepView {
  @ApiProperty({ example: 'run_01jd3m8yeqf5rb0xkq5ym8s6tn' }) run_id!: string;
  @ApiProperty({ type: 'integer', example: 1 }) seq!: number;
  @ApiProperty({ enum: ['answer', 'summary'], description: 'summary: of earlier steps, for a full context.' })
  kind!: StepKind;
  @ApiPropertyOptional({ type: String, example: 'openai/gpt-mini' }) model?: string;
  @ApiPropertyOptional({ type: String, example: 'I look at the log first.' }) text?: string;
  @ApiPropertyOptional({ type: String, example: 'gen_01jd3m8yeqf5rb0xkq5ym8s6tn' }) generation_id?: string;
  @ApiPropertyOptional({ type: TokenUseView }) usage?: TokenUseView;
  @ApiPropertyOptional({ type: String, example: '0.0004', description: 'USD of the answer, if known by now.' })
  cost?: string;
  @ApiProperty({ type: [ToolCallView] }) tool_calls!: ToolCallView[];
  @ApiProperty({ format: 'date-time' }) created_at!: string;
  @ApiPropertyOptional({ format: 'date-time', type: String }) ended_at?: string;

  static of({ runId, step, calls }: ShownStep): RunStepView {
    const { inputTokens, outputTokens } = step;
    return {
      run_id: runId,
      seq: step.seq,
      kind: step.kind,
      ...(step.model === null ? {} : { model: step.model }),
      ...(step.text === null ? {} : { text: step.text }),
      ...(step.generationId === null ? {} : { generation_id: step.generationId }),
      ...(inputTokens === null || outputTokens === null
        ? {}
        : { usage: { input_tokens: inputTokens, output_tokens: outputTokens } }),
      ...(step.costNano === null ? {} : { cost: formatUsd(step.costNano) }),
      tool_calls: calls.map((call) => ToolCallView.of(call)),
      created_at: step.createdAt.toISOString(),
      ...(step.endedAt === null ? {} : { ended_at: step.endedAt.toISOString() }),
    };
  }
}

export class RunEventView {
  @ApiProperty({ type: 'integer', example: 7, description: 'Number of the event, from 1 and without gaps.' })
  seq!: number;
  @ApiProperty({ enum: RUN_EVENT_TYPES }) type!: RunEventType;
  @ApiProperty({ format: 'date-time' }) at!: string;
  @ApiProperty({ type: 'object', additionalProperties: true, example: { step: 1 } })
  data!: Readonly<Record<string, unknown>>;

  static of({ seq, type, at, data }: RunEvent): RunEventView {
    return { seq, type, at: at.toISOString(), data };
  }
}

export class TranscriptView {
  @ApiProperty({ type: RunView }) run!: RunView;
  @ApiProperty({ type: [RunStepView] }) steps!: RunStepView[];

  static of({ shown, steps }: Transcript): TranscriptView {
    return { run: RunView.of(shown), steps: steps.map((step) => RunStepView.of(step)) };
  }
}

export class RunStepPageAnswer {
  @ApiProperty({ type: [RunStepView] }) data!: RunStepView[];
  @ApiProperty({ type: PageMeta }) meta!: PageMeta;
}

export class TranscriptAnswer {
  @ApiProperty({ type: TranscriptView }) data!: TranscriptView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

export class RunEventsQuery {
  @ApiPropertyOptional({ type: 'integer', minimum: 0, example: 7, description: 'Only the events after this `seq`.' })
  @MayBeAbsent()
  @Type(() => Number)
  @IsInt()
  @Min(0)
  readonly after?: number;

  @ApiPropertyOptional({
    example: false,
    type: Boolean,
    default: true,
    description: 'Waits for new events until the run ends. `false` returns the events that exist now.',
  })
  @MayBeAbsent()
  @Transform(({ value }: { value: unknown }) => (value === 'true' ? true : value === 'false' ? false : value))
  @IsBoolean()
  readonly follow: boolean = true;
}
