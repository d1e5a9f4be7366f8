import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsString } from 'class-validator';
import { MayBeAbsent } from '../../../platform/http/may-be-absent.js';
import { AnswerMeta, PageMeta, PageQuery } from '../../../platform/http/page.js';
import { formatUsd } from '../../../platform/money/nano-dollars.js';
import {
  GENERATION_OUTCOMES,
  type GenerationOutcome,
  USAGE_SOURCES,
  type UsageSource,
} from '../domain/generation-state.js';
import { BILLED_TO, type BilledTo } from '../domain/billed-to.js';
import type { Generation } from '../persistence/generation.entity.js';
import type { GenerationFilter } from '../persistence/generations.store.js';
import { type Protocol, PROTOCOLS } from '../routers/model-router.js';

export class GenerationsQuery extends PageQuery {
  @ApiPropertyOptional({ type: String, example: 'openai/gpt-mini', description: 'Only generations of this model.' })
  @MayBeAbsent()
  @IsString()
  readonly model?: string;

  @ApiPropertyOptional({
    enum: GENERATION_OUTCOMES,
    example: 'failed',
    description: 'Only generations with this outcome.',
  })
  @MayBeAbsent()
  @IsIn(GENERATION_OUTCOMES)
  readonly outcome?: GenerationOutcome;

  @ApiPropertyOptional({
    type: String,
    example: 'key_01jd3m8yeqf5rb0xkq5ym8s6tn',
    description: 'Only calls with this API key.',
  })
  @MayBeAbsent()
  @IsString()
  readonly key_id?: string;

  @ApiPropertyOptional({
    type: String,
    example: 'prj_01jd3m8yeqf5rb0xkq5ym8s6tn',
    description: 'Only calls of deploys of the project with this ID.',
  })
  @MayBeAbsent()
  @IsString()
  readonly project_id?: string;

  get filter(): GenerationFilter {
    const { model, outcome, key_id: keyId, project_id: projectId } = this;
    return { model, outcome, keyId, projectId };
  }
}

class GenerationTokensView {
  @ApiProperty({ type: 'integer', description: 'Input that no cache had.' }) input!: number;
  @ApiProperty({ type: 'integer' }) output!: number;
  @ApiProperty({ type: 'integer', description: 'Input that the provider had in its cache.' }) cache_read!: number;
  @ApiProperty({ type: 'integer', description: 'Input that the provider wrote to its cache.' }) cache_write!: number;
}

/** What a model did, without any text. */
export class GenerationView {
  @ApiProperty({ example: 'gen_01jd3m8yeqf5rb0xkq5ym8s6tn' }) id!: string;
  @ApiProperty({ enum: PROTOCOLS }) protocol!: Protocol;
  @ApiProperty({ example: 'openai/gpt-mini', description: 'The model that answered.' }) model!: string;
  @ApiPropertyOptional({ type: String, description: 'The API key of the call. Absent for a session.' }) key_id?: string;
  @ApiPropertyOptional({ type: String, description: 'The project whose deploys made the call with their key.' })
  project_id?: string;
  @ApiProperty({ type: Boolean }) streamed!: boolean;
  @ApiProperty({
    enum: GENERATION_OUTCOMES,
    description:
      '`cancelled` when the connection was closed before the end, `failed` when the model broke off, and `lost` when ' +
      'the platform lost the answer.',
  })
  outcome!: GenerationOutcome;
  @ApiProperty({ type: String, nullable: true, example: 'stop' }) finish_reason!: string | null;
  @ApiProperty({ type: GenerationTokensView }) tokens!: GenerationTokensView;
  @ApiProperty({
    enum: USAGE_SOURCES,
    description:
      'Who counted: the router in its answer (`stream`) or when it was asked later (`router`), or the platform, when ' +
      'the router tells nothing (`counted`).',
  })
  usage_source!: UsageSource;
  @ApiProperty({
    enum: BILLED_TO,
    description: 'Who pays: the credits, or the organization at its provider, whose key the call was sent with.',
  })
  billed_to!: BilledTo;
  @ApiProperty({ example: '0.000131', description: 'What the credits paid, in US dollars.' }) cost!: string;
  @ApiProperty({ type: Number, nullable: true, description: 'Milliseconds that the model took to begin.' })
  first_byte_ms!: number | null;
  @ApiProperty({ format: 'date-time' }) created_at!: string;
  @ApiProperty({ format: 'date-time' }) finished_at!: string;

  static of(generation: Generation): GenerationView {
    const { keyId, projectId, inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, firstByteMs } = generation;
    return {
      id: generation.id,
      protocol: generation.protocol,
      model: generation.model,
      ...(keyId === null ? {} : { key_id: keyId }),
      ...(projectId === null ? {} : { project_id: projectId }),
      streamed: generation.streamed,
      outcome: generation.outcome,
      finish_reason: generation.finishReason,
      tokens: {
        input: Number(inputTokens),
        output: Number(outputTokens),
        cache_read: Number(cacheReadTokens),
        cache_write: Number(cacheWriteTokens),
      },
      usage_source: generation.usageSource,
      billed_to: generation.billedTo,
      cost: formatUsd(BigInt(generation.costNano)),
      first_byte_ms: firstByteMs === null ? null : Math.round(firstByteMs * 100) / 100,
      created_at: generation.createdAt.toISOString(),
      finished_at: generation.finishedAt.toISOString(),
    };
  }
}

export class GenerationAnswer {
  @ApiProperty({ type: GenerationView }) data!: GenerationView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

export class GenerationPageAnswer {
  @ApiProperty({ type: [GenerationView] }) data!: GenerationView[];
  @ApiProperty({ type: PageMeta }) meta!: PageMeta;
}
