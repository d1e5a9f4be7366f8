import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayUnique, IsArray, IsBoolean, IsInt, Matches, Max, Min } from 'class-validator';
import { MayBeAbsent, MayBeCleared } from '../../../platform/http/may-be-absent.js';
import { AnswerMeta } from '../../../platform/http/page.js';
import { DEFAULT_POLICY, MAX_RETENTION_DAYS, type ModelPolicy } from '../domain/model-policy.js';
import type { ShownPolicy } from '../policies/policies.service.js';

const MAX_PATTERNS = 100;
/** The characters of IDs of models, `*` included. */
const PATTERN = /^[!-~]{1,180}$/;

const ALLOWED_FIELD = {
  type: String,
  isArray: true,
  nullable: true,
  maxItems: MAX_PATTERNS,
  example: ['openai/*', '*:free'],
  description: 'Models that may be called. `*` stands for any characters. Null, or absent, means all, `[]` none.',
};
const DENIED_FIELD = {
  type: String,
  isArray: true,
  maxItems: MAX_PATTERNS,
  example: ['openai/gpt-old'],
  description: 'Models that may not be called, also if `allowed_models` has them.',
};
const ZERO_RETENTION_FIELD = {
  type: Boolean,
  example: false,
  description: 'Allows only providers that keep no texts and do not learn from them.',
};
const SECRETS_FIELD = {
  type: Boolean,
  example: true,
  description: 'Refuses requests that contain a valid key of this service.',
};
const RETENTION_FIELD = {
  type: 'integer',
  nullable: true,
  minimum: 1,
  maximum: MAX_RETENTION_DAYS,
  example: 7,
  description: 'How many days prompts and answers are kept, encrypted. Null, or absent, means that none are kept.',
} as const;

export class SetModelPolicyBody {
  @ApiPropertyOptional({ ...ALLOWED_FIELD, default: null })
  @MayBeCleared()
  @IsArray()
  @ArrayMaxSize(MAX_PATTERNS)
  @ArrayUnique()
  @Matches(PATTERN, { each: true })
  readonly allowed_models: string[] | null = null;

  @ApiPropertyOptional({ ...DENIED_FIELD, default: [] })
  @MayBeAbsent()
  @IsArray()
  @ArrayMaxSize(MAX_PATTERNS)
  @ArrayUnique()
  @Matches(PATTERN, { each: true })
  readonly denied_models: string[] = [];

  @ApiPropertyOptional({ ...ZERO_RETENTION_FIELD, default: DEFAULT_POLICY.zeroRetentionOnly })
  @MayBeAbsent()
  @IsBoolean()
  readonly zero_retention_only: boolean = DEFAULT_POLICY.zeroRetentionOnly;

  @ApiPropertyOptional({ ...SECRETS_FIELD, default: DEFAULT_POLICY.blocksSecrets })
  @MayBeAbsent()
  @IsBoolean()
  readonly blocks_secrets: boolean = DEFAULT_POLICY.blocksSecrets;

  @ApiPropertyOptional({ ...RETENTION_FIELD, default: null })
  @MayBeCleared()
  @IsInt()
  @Min(1)
  @Max(MAX_RETENTION_DAYS)
  readonly retention_days: number | null = null;

  get policy(): ModelPolicy {
    return {
      allowedModels: this.allowed_models,
      deniedModels: this.denied_models,
      zeroRetentionOnly: this.zero_retention_only,
      blocksSecrets: this.blocks_secrets,
      retentionDays: this.retention_days,
    };
  }
}

export class ModelPolicyView {
  @ApiProperty(ALLOWED_FIELD) allowed_models!: readonly string[] | null;
  @ApiProperty(DENIED_FIELD) denied_models!: readonly string[];
  @ApiProperty(ZERO_RETENTION_FIELD) zero_retention_only!: boolean;
  @ApiProperty(SECRETS_FIELD) blocks_secrets!: boolean;
  @ApiProperty(RETENTION_FIELD) retention_days!: number | null;
  @ApiPropertyOptional({ type: String, format: 'date-time', description: 'Absent for the default policy.' })
  updated_at?: string;

  static of({ updatedAt, ...policy }: ShownPolicy): ModelPolicyView {
    return {
      allowed_models: policy.allowedModels,
      denied_models: policy.deniedModels,
      zero_retention_only: policy.zeroRetentionOnly,
      blocks_secrets: policy.blocksSecrets,
      retention_days: policy.retentionDays,
      ...(updatedAt === undefined ? {} : { updated_at: updatedAt.toISOString() }),
    };
  }
}

export class ModelPolicyAnswer {
  @ApiProperty({ type: ModelPolicyView }) data!: ModelPolicyView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}
