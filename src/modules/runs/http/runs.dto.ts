import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsString, Matches } from 'class-validator';
import { MayBeAbsent } from '../../../platform/http/may-be-absent.js';
import { AnswerMeta, PageMeta, PageQuery } from '../../../platform/http/page.js';
import { formatUsd } from '../../../platform/money/nano-dollars.js';
import { type Scope, SCOPES } from '../../auth/scopes.js';
import type { StartRunInput } from '../requests/run-starts.js';
import type { RunsFilterInput, ShownRun } from '../requests/runs.service.js';
import {
  RUN_STATES,
  RUN_TRIGGERS,
  RUN_WAITS,
  type RunState,
  type RunTrigger,
  type RunWait,
} from '../domain/run-state.js';
import { ANY_JSON, IsRunInput, RunBudgetBody, RunBudgetField } from './run-fields.js';

const RUN_ID_FORM = /^run_[0-9a-z]{26}$/;
const RUN_EXAMPLE = 'run_01jd3m8yeqf5rb0xkq5ym8s6tn';

export class StartRunBody {
  @ApiProperty({
    oneOf: [{ type: 'string' }, { type: 'object', additionalProperties: true }],
    example: 'Why did the last deploy of the shop fail?',
    description: 'Text or a JSON object, of at most 256 KiB.',
  })
  @IsRunInput()
  readonly input!: unknown;

  @RunBudgetField('Limits below those of the version.')
  readonly budget?: RunBudgetBody;

  @ApiPropertyOptional({
    type: String,
    example: RUN_EXAMPLE,
    description: 'An earlier run of this agent, whose conversation goes on.',
  })
  @MayBeAbsent()
  @Matches(RUN_ID_FORM)
  readonly continues?: string;

  get start(): StartRunInput {
    return { input: this.input, budget: this.budget?.limits ?? {}, continues: this.continues };
  }
}

export class ResumeRunBody {
  @RunBudgetField('New limits, which replace those of the run. What it has used counts.')
  readonly budget?: RunBudgetBody;
}

export class RunsQuery extends PageQuery {
  @ApiPropertyOptional({ enum: RUN_STATES, example: 'waiting', description: 'Only the runs in this state.' })
  @MayBeAbsent()
  @IsIn(RUN_STATES)
  readonly state?: RunState;

  @ApiPropertyOptional({ type: String, example: 'support', description: 'Id or slug of an agent.' })
  @MayBeAbsent()
  @IsString()
  readonly agent_id?: string;

  @ApiPropertyOptional({
    type: String,
    example: 'swm_01jd3m8yeqf5rb0xkq5ym8s6tn',
    description: 'Only the runs of this swarm.',
  })
  @MayBeAbsent()
  @IsString()
  readonly swarm_id?: string;

  @ApiPropertyOptional({
    type: String,
    example: 'sch_01jd3m8yeqf5rb0xkq5ym8s6tn',
    description: 'Only the runs of this schedule.',
  })
  @MayBeAbsent()
  @IsString()
  readonly schedule_id?: string;

  @ApiPropertyOptional({ type: String, example: RUN_EXAMPLE, description: 'Only the runs that this run has started.' })
  @MayBeAbsent()
  @IsString()
  readonly parent_run_id?: string;

  get filter(): RunsFilterInput {
    const { state, agent_id: agent, swarm_id: swarmId, schedule_id: scheduleId, parent_run_id: parentRunId } = this;
    return { state, agent, swarmId, scheduleId, parentRunId };
  }
}

class RunErrorView {
  @ApiProperty({ example: 'access_revoked' }) code!: string;
  @ApiProperty({ example: 'The agent was deleted.' }) message!: string;
}

class RunBudgetView {
  @ApiProperty({ example: '1', description: 'USD for the run and all runs below it.' }) cost!: string;
  @ApiProperty({ type: 'integer', example: 50 }) steps!: number;
  @ApiProperty({ type: 'integer', example: 3_600 }) active_seconds!: number;
  @ApiProperty({ type: 'integer', example: 200 }) tool_calls!: number;
}

class RunUseView {
  @ApiProperty({ type: 'integer', example: 4 }) steps!: number;
  @ApiProperty({ type: 'integer', example: 12 }) active_seconds!: number;
  @ApiProperty({ type: 'integer', example: 3 }) tool_calls!: number;
}

class RunStarterView {
  @ApiProperty({ example: 'usr_01jd3m8yeqf5rb0xkq5ym8s6tn' }) user_id!: string;
  @ApiPropertyOptional({ type: String, example: 'key_01jd3m8yeqf5rb0xkq5ym8s6tn' }) key_id?: string;
}

export class RunView {
  @ApiProperty({ example: RUN_EXAMPLE }) id!: string;
  @ApiProperty({ example: 'org_01jd3m8yeqf5rb0xkq5ym8s6tn' }) org_id!: string;
  @ApiProperty({ example: 'agt_01jd3m8yeqf5rb0xkq5ym8s6tn' }) agent_id!: string;
  @ApiProperty({ type: 'integer', example: 3 }) agent_version!: number;
  @ApiProperty({ enum: RUN_STATES }) state!: RunState;
  @ApiPropertyOptional({ enum: RUN_WAITS, description: 'What a waiting run waits for.' }) waiting_for?: RunWait;
  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description: 'What a person needs to know of the wait, such as which budget is full.',
  })
  wait_detail?: Readonly<Record<string, unknown>>;
  @ApiPropertyOptional({ format: 'date-time', type: String }) wakes_at?: string;
  @ApiProperty({ oneOf: [{ type: 'string' }, { type: 'object', additionalProperties: true }], example: 'Look.' })
  input!: unknown;
  @ApiPropertyOptional({ ...ANY_JSON, description: 'Text, or what fits the output schema.', example: 'Done.' })
  output?: unknown;
  @ApiPropertyOptional({ type: RunErrorView }) error?: RunErrorView;
  @ApiProperty({ enum: RUN_TRIGGERS }) trigger!: RunTrigger;
  @ApiPropertyOptional({ type: String, example: RUN_EXAMPLE }) parent_run_id?: string;
  @ApiPropertyOptional({ type: String, example: 'swm_01jd3m8yeqf5rb0xkq5ym8s6tn' }) swarm_id?: string;
  @ApiPropertyOptional({ type: String, example: 'sch_01jd3m8yeqf5rb0xkq5ym8s6tn' }) schedule_id?: string;
  @ApiPropertyOptional({ type: String, example: RUN_EXAMPLE }) continues?: string;
  @ApiProperty({ description: 'Whether the run has read text from outside of the service.' }) tainted!: boolean;
  @ApiProperty({ example: '0.0123', description: 'USD so far, with all runs below it.' }) cost!: string;
  @ApiProperty({ type: RunBudgetView }) budget!: RunBudgetView;
  @ApiProperty({ type: RunUseView }) used!: RunUseView;
  @ApiProperty({ format: 'date-time' }) created_at!: string;
  @ApiPropertyOptional({ format: 'date-time', type: String }) started_at?: string;
  @ApiPropertyOptional({ format: 'date-time', type: String }) ended_at?: string;
  @ApiProperty({ type: RunStarterView }) started_by!: RunStarterView;
  @ApiPropertyOptional({
    enum: SCOPES,
    isArray: true,
    description: 'When it is started: scopes of the version that the caller lacks. Tools that need them fail.',
  })
  missing_scopes?: Scope[];

  static of({ run, costNano, limitNano, missingScopes = [] }: ShownRun): RunView {
    const { budget, used } = run;
    return {
      id: run.id,
      org_id: run.orgId,
      agent_id: run.agentId,
      agent_version: run.agentVersion,
      state: run.state,
      ...(run.waitingFor === null ? {} : { waiting_for: run.waitingFor }),
      ...(run.waitDetail === null ? {} : { wait_detail: run.waitDetail }),
      ...(run.wakesAt === null ? {} : { wakes_at: run.wakesAt.toISOString() }),
      input: run.input,
      ...(run.output === null ? {} : { output: run.output }),
      ...(run.failure === null ? {} : { error: run.failure }),
      trigger: run.trigger,
      ...(run.parentRunId === null ? {} : { parent_run_id: run.parentRunId }),
      ...(run.swarmId === null ? {} : { swarm_id: run.swarmId }),
      ...(run.scheduleId === null ? {} : { schedule_id: run.scheduleId }),
      ...(run.continues === null ? {} : { continues: run.continues }),
      tainted: run.isTainted,
      cost: formatUsd(costNano),
      budget: {
        cost: formatUsd(limitNano),
        steps: budget.steps,
        active_seconds: Math.round(budget.activeMs / 1000),
        tool_calls: budget.toolCalls,
      },
      used: { steps: used.steps, active_seconds: Math.ceil(used.activeMs / 1000), tool_calls: used.toolCalls },
      created_at: run.createdAt.toISOString(),
      ...(run.startedAt === null ? {} : { started_at: run.startedAt.toISOString() }),
      ...(run.endedAt === null ? {} : { ended_at: run.endedAt.toISOString() }),
      started_by: { user_id: run.userId, ...(run.keyId === null ? {} : { key_id: run.keyId }) },
      ...(missingScopes.length === 0 ? {} : { missing_scopes: [...missingScopes] }),
    };
  }
}

export class RunAnswer {
  @ApiProperty({ type: RunView }) data!: RunView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

export class RunPageAnswer {
  @ApiProperty({ type: [RunView] }) data!: RunView[];
  @ApiProperty({ type: PageMeta }) meta!: PageMeta;
}
