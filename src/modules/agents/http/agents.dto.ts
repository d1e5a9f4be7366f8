import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsString, MaxLength, ValidateBy } from 'class-validator';
import { MayBeAbsent, MayBeCleared } from '../../../platform/http/may-be-absent.js';
import { AnswerMeta, PageMeta } from '../../../platform/http/page.js';
import { isSlug } from '../../../platform/text/slug.js';
import { inOrder, IsOneLine, IsTitle, Trimmed } from '../../../platform/text/text-fields.js';
import { type Scope, SCOPES } from '../../auth/scopes.js';
import type { AgentToolKind } from '../agent-tool.js';
import { type Agent, AGENT_STATES, type AgentState, PAUSED_BECAUSE, type PausedBecause } from '../domain/agent.js';
import type { CreateAgentInput, UpdateAgentInput } from '../registry/agent-management.service.js';
import { DefinitionFields } from './definition-fields.js';

const MAX_DESCRIPTION = 500;
const NAME = { minLength: 1, maxLength: 100, example: 'Support' };
const DESCRIPTION = { type: String, maxLength: MAX_DESCRIPTION, example: 'Answers customers of the shop.' };

const IsSlug = (): PropertyDecorator =>
  inOrder(
    IsString(),
    ValidateBy({
      name: 'isSlug',
      validator: {
        validate: (value: unknown) => typeof value === 'string' && isSlug(value),
        defaultMessage: () => 'slug must be 1 to 63 characters of a-z, 0-9 and single hyphens between them',
      },
    }),
  );
const IsDescription = (): PropertyDecorator => inOrder(Trimmed(), IsString(), MaxLength(MAX_DESCRIPTION), IsOneLine());

export class CreateAgentBody extends DefinitionFields {
  @ApiProperty(NAME)
  @IsTitle()
  readonly name!: string;

  @ApiPropertyOptional({
    type: String,
    pattern: '^[a-z0-9](-?[a-z0-9])*$',
    maxLength: 63,
    example: 'support',
    description: 'Derived from the name if absent. It never changes.',
  })
  @MayBeAbsent()
  @IsSlug()
  readonly slug?: string;

  @ApiPropertyOptional(DESCRIPTION)
  @MayBeAbsent()
  @IsDescription()
  readonly description?: string;

  get input(): CreateAgentInput {
    const { name, slug, description = null, definition } = this;
    return { name, slug, description, definition };
  }
}

export class UpdateAgentBody extends DefinitionFields {
  @ApiPropertyOptional({ type: String, ...NAME })
  @MayBeAbsent()
  @IsTitle()
  readonly name?: string;

  @ApiPropertyOptional({ ...DESCRIPTION, nullable: true })
  @MayBeCleared()
  @IsDescription()
  readonly description?: string | null;

  @ApiPropertyOptional({ enum: AGENT_STATES, example: 'active', description: 'A paused agent starts no runs.' })
  @MayBeAbsent()
  @IsIn(AGENT_STATES)
  readonly state?: AgentState;

  @ApiPropertyOptional({
    type: Boolean,
    default: true,
    example: false,
    description: 'If false, a new version does not become live.',
  })
  @MayBeAbsent()
  @IsBoolean()
  readonly promote: boolean = true;

  get input(): UpdateAgentInput {
    const { name, description, state, promote, definition } = this;
    return {
      ...(name === undefined ? {} : { name }),
      ...(description === undefined ? {} : { description }),
      ...(state === undefined ? {} : { state }),
      promote,
      definition,
    };
  }
}

export class AgentView {
  @ApiProperty({ example: 'agt_01jd3m8yeqf5rb0xkq5ym8s6tn' }) id!: string;
  @ApiProperty({ example: 'org_01jd3m8yeqf5rb0xkq5ym8s6tn' }) org_id!: string;
  @ApiProperty({ example: 'Support' }) name!: string;
  @ApiProperty({ example: 'support' }) slug!: string;
  @ApiPropertyOptional({ type: String, example: 'Answers customers of the shop.' }) description?: string;
  @ApiProperty({ enum: AGENT_STATES, description: 'A paused agent starts no runs.' }) state!: AgentState;
  @ApiPropertyOptional({
    enum: PAUSED_BECAUSE,
    description: 'plan: the plan has no room for it. It is resumed when there is room again.',
  })
  paused_because?: PausedBecause;
  @ApiProperty({ type: 'integer', example: 3, description: 'The version that new runs use.' }) live_version!: number;
  @ApiProperty({ format: 'date-time' }) created_at!: string;
  @ApiProperty({ format: 'date-time' }) updated_at!: string;
  @ApiPropertyOptional({ type: String, example: 'usr_01jd3m8yeqf5rb0xkq5ym8s6tn' }) created_by?: string;

  static of(agent: Agent): AgentView {
    const { description, pausedBecause, createdBy } = agent;
    return {
      id: agent.id,
      org_id: agent.orgId,
      name: agent.name,
      slug: agent.slug,
      ...(description === null ? {} : { description }),
      state: agent.state,
      ...(pausedBecause === null ? {} : { paused_because: pausedBecause }),
      live_version: agent.liveVersion,
      created_at: agent.createdAt.toISOString(),
      updated_at: agent.updatedAt.toISOString(),
      ...(createdBy === null ? {} : { created_by: createdBy }),
    };
  }
}

export class AgentToolView {
  @ApiProperty({ example: 'remember' }) name!: string;
  @ApiProperty({ example: 'Stores a text in the memory of the agent.' }) summary!: string;
  @ApiProperty({ enum: SCOPES, isArray: true, description: 'Scopes that a version needs to use it.' })
  scopes!: Scope[];

  static of({ name, summary, scopes }: AgentToolKind): AgentToolView {
    return { name, summary, scopes: [...scopes] };
  }
}

export class AgentAnswer {
  @ApiProperty({ type: AgentView }) data!: AgentView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

export class AgentPageAnswer {
  @ApiProperty({ type: [AgentView] }) data!: AgentView[];
  @ApiProperty({ type: PageMeta }) meta!: PageMeta;
}

export class AgentToolsAnswer {
  @ApiProperty({ type: [AgentToolView] }) data!: AgentToolView[];
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}
