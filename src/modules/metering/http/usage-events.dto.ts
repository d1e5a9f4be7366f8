import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, IsArray } from 'class-validator';
import { AnswerMeta } from '../../../platform/http/page.js';
import type { RefusedEvent } from '../intake/usage-intake.service.js';
import { METERS, TOKEN_MODEL_FORM } from '../meter.js';

export const MAX_EVENTS = 1_000;

class UsageEventBody {
  @ApiProperty({ pattern: '^[a-z0-9][a-z0-9._-]{0,63}$', example: 'model-router' }) source!: string;
  @ApiProperty({
    description: 'The id of the event at its source. With `source` and `occurred_at` it identifies the event.',
    maxLength: 200,
    example: 'call-8812:input',
  })
  id!: string;
  @ApiProperty({ example: 'org_01jd3m8yeqf5rb0xkq5ym8s6tn' }) org_id!: string;
  @ApiPropertyOptional({ type: String, example: 'prj_01jd3m8yeqf5rb0xkq5ym8s6tn' }) project_id?: string;
  @ApiProperty({ example: 'ai_tokens', enum: METERS }) meter!: string;
  @ApiPropertyOptional({
    type: String,
    description: `${TOKEN_MODEL_FORM}. Required for \`ai_tokens\` only.`,
    example: 'openai/gpt-mini:input',
  })
  model?: string;
  @ApiProperty({ description: 'Tokens, milliseconds or byte-hours, as digits.', example: '1250' }) quantity!: string;
  @ApiProperty({ example: '2026-12-03T08:30:00Z', format: 'date-time' }) occurred_at!: string;
  @ApiPropertyOptional({
    example: { region: 'eu' },
    type: 'object',
    additionalProperties: { type: 'string' },
    description: 'Details for people who look into an invoice later.',
  })
  properties?: Record<string, string>;
}

export class ReportUsageBody {
  @ApiProperty({ type: [UsageEventBody], minItems: 1, maxItems: MAX_EVENTS })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(MAX_EVENTS)
  readonly events!: unknown[];
}

class RefusedEventView {
  @ApiProperty({ type: 'integer', description: 'Index in `events`, from 0.' }) index!: number;
  @ApiProperty({
    enum: ['invalid_event', 'organization_not_found', 'project_not_found', 'price_not_found', 'not_yet', 'too_old'],
  })
  code!: string;
  @ApiPropertyOptional({ type: String }) field?: string;
  @ApiProperty() message!: string;
}

export class ReportedUsageView {
  @ApiProperty({ type: 'integer', description: 'Number of events recorded now.' }) accepted!: number;
  @ApiProperty({ type: 'integer', description: 'Number of events recorded before, which are not counted again.' })
  duplicates!: number;
  @ApiProperty({ type: [RefusedEventView], description: 'Events that were not recorded. All others were.' })
  rejected!: RefusedEventView[];

  static of({
    accepted,
    duplicates,
    rejected,
  }: {
    accepted: number;
    duplicates: number;
    rejected: readonly RefusedEvent[];
  }): ReportedUsageView {
    return { accepted, duplicates, rejected: [...rejected] };
  }
}

export class ReportedUsageAnswer {
  @ApiProperty({ type: ReportedUsageView }) data!: ReportedUsageView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}
