import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsInt, Max, Min } from 'class-validator';
import type { PageRequest } from '../../../platform/database/page.js';
import { MayBeAbsent } from '../../../platform/http/may-be-absent.js';
import { AnswerMeta, decodeCursor, IsCursor, PageMeta } from '../../../platform/http/page.js';
import { type Scope, SCOPES } from '../../auth/scopes.js';
import {
  APPROVAL_RULES,
  type ApprovalRule,
  UNKNOWN_OUTCOME_RULES,
  type UnknownOutcomeRule,
} from '../agent-definition.js';
import type { ShownVersion } from '../agent-versions.service.js';

const numberOf = (cursor: unknown): string | undefined => decodeCursor(cursor, (key) => /^[1-9]\d{0,8}$/.test(key));

/** The page of a list of versions. Its cursor is a number. */
export class VersionsQuery {
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: 100,
    default: 20,
    example: 50,
    description: 'Number of items on a page.',
  })
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(100)
  readonly limit: number = 20;

  @ApiPropertyOptional({
    type: String,
    example: Buffer.from('12').toString('base64url'),
    description: 'The `meta.next_cursor` of an earlier page. The list continues after it.',
  })
  @MayBeAbsent()
  @IsCursor(numberOf)
  readonly cursor?: string;

  get page(): PageRequest {
    return { limit: this.limit, after: numberOf(this.cursor) };
  }
}

class VersionToolView {
  @ApiProperty({ example: 'remember' }) name!: string;
  @ApiProperty({ enum: APPROVAL_RULES }) approval!: ApprovalRule;
  @ApiProperty({ enum: UNKNOWN_OUTCOME_RULES }) unknown_outcome!: UnknownOutcomeRule;
  @ApiProperty({ type: 'object', additionalProperties: true }) settings!: Record<string, unknown>;
}

class RunLimitsView {
  @ApiProperty({ example: '1', description: 'USD.' }) cost!: string;
  @ApiProperty({ type: 'integer', example: 50 }) steps!: number;
  @ApiProperty({ type: 'integer', example: 3_600 }) active_seconds!: number;
  @ApiProperty({ type: 'integer', example: 200 }) tool_calls!: number;
}

class FirstBlockView {
  @ApiProperty({ example: 'persona' }) label!: string;
  @ApiPropertyOptional({ type: String, example: 'How it speaks.' }) description?: string;
  @ApiProperty({ example: 'Be brief.' }) value!: string;
}

class VersionMemoryView {
  @ApiProperty({ type: [FirstBlockView] }) blocks!: FirstBlockView[];
  @ApiProperty() archive!: boolean;
}

export class AgentVersionView {
  @ApiProperty({ example: 'agt_01jd3m8yeqf5rb0xkq5ym8s6tn' }) agent_id!: string;
  @ApiProperty({ type: 'integer', example: 3 }) number!: number;
  @ApiProperty({ description: 'Whether new runs use it.' }) live!: boolean;
  @ApiProperty({ example: 'Answer questions about the shop.' }) instructions!: string;
  @ApiProperty({ type: [String], example: ['openai/gpt-mini'] }) models!: string[];
  @ApiProperty({ type: [VersionToolView] }) tools!: VersionToolView[];
  @ApiProperty({ enum: SCOPES, isArray: true }) scopes!: Scope[];
  @ApiProperty({ type: RunLimitsView }) budget!: RunLimitsView;
  @ApiProperty({ type: String, nullable: true, example: '20' }) monthly_cost!: string | null;
  @ApiProperty({ type: 'integer', example: 86_400 }) approval_expires_seconds!: number;
  @ApiProperty({ type: VersionMemoryView }) memory!: VersionMemoryView;
  @ApiProperty({ type: 'object', additionalProperties: true, nullable: true })
  output_schema!: Record<string, unknown> | null;
  @ApiPropertyOptional({ type: 'integer', example: 4_096 }) max_output_tokens?: number;
  @ApiPropertyOptional({ type: Number, example: 0.2 }) temperature?: number;
  @ApiProperty({ format: 'date-time' }) created_at!: string;
  @ApiPropertyOptional({ type: String, example: 'usr_01jd3m8yeqf5rb0xkq5ym8s6tn' }) created_by?: string;

  /** The fields have the order in which people read a version, so that two of them can be compared line by line. */
  static of({ version, isLive }: ShownVersion): AgentVersionView {
    const { agentId, number, definition, createdAt, createdBy } = version;
    const { max_output_tokens: maxOutputTokens, temperature, ...fields } = definition;
    return {
      agent_id: agentId,
      number,
      live: isLive,
      ...(fields as Omit<typeof fields, 'models' | 'tools'> & Pick<AgentVersionView, 'models' | 'tools' | 'scopes'>),
      memory: { blocks: [...fields.memory.blocks], archive: fields.memory.archive },
      ...(maxOutputTokens === null ? {} : { max_output_tokens: maxOutputTokens }),
      ...(temperature === null ? {} : { temperature }),
      created_at: createdAt.toISOString(),
      ...(createdBy === null ? {} : { created_by: createdBy }),
    };
  }
}

export class AgentVersionAnswer {
  @ApiProperty({ type: AgentVersionView }) data!: AgentVersionView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

export class AgentVersionPageAnswer {
  @ApiProperty({ type: [AgentVersionView] }) data!: AgentVersionView[];
  @ApiProperty({ type: PageMeta }) meta!: PageMeta;
}
