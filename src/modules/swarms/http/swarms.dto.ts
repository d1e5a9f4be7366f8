import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsDefined,
  IsIn,
  IsInt,
  IsString,
  Max,
  MaxLength,
  Min,
  MinLength,
  ValidateBy,
  ValidateNested,
} from 'class-validator';
import { MaxBytes } from '../../../platform/http/max-bytes.js';
import { MayBeAbsent } from '../../../platform/http/may-be-absent.js';
import { IsUsd } from '../../../platform/http/money-fields.js';
import { AnswerMeta, PageMeta, PageQuery } from '../../../platform/http/page.js';
import { formatUsd, NANO_PER_USD, parseUsd } from '../../../platform/money/nano-dollars.js';
import { inOrder, IsTitle } from '../../../platform/text/text-fields.js';
import { SWARM_STATES, type SwarmState } from '../persistence/swarm-rows.js';
import type { CreateSwarmInput } from '../teams/swarm-creation.js';
import type { ShownSwarm } from '../teams/swarms.service.js';
import { TaskFailureView } from './swarm-task-answers.dto.js';
import { IsStorableText } from './swarm-tasks.dto.js';

const MAX_WORKERS = 20;
const MAX_GOAL_BYTES = 65_536;
/** The part of the budget that is left to the coordinator by default. */
const RESERVE_PERCENT = 20n;
const MAX_COST_NANO = 10_000n * NANO_PER_USD;
const SWARM_ID = 'swm_01jd3m8yeqf5rb0xkq5ym8s6tn';
const AGENT_ID = 'agt_01jd3m8yeqf5rb0xkq5ym8s6tn';
const AGENT_FIELD = { example: AGENT_ID, maxLength: 100, description: 'Id or slug of an agent.' };

const nanoOf = (value: unknown): bigint | undefined => {
  try {
    return parseUsd(String(value));
  } catch {
    return undefined;
  }
};

const IsAtMostCost = (): PropertyDecorator =>
  ValidateBy({
    name: 'isAtMostCost',
    validator: {
      validate: (value: unknown) => (nanoOf(value) ?? 0n) <= MAX_COST_NANO,
      defaultMessage: () => `cost must be at most ${formatUsd(MAX_COST_NANO)}`,
    },
  });

const IsAtMostBudget = (): PropertyDecorator =>
  ValidateBy({
    name: 'isAtMostBudget',
    validator: {
      validate: (value: unknown, fault) => {
        const { cost } = fault!.object as SwarmBudgetBody;
        return (nanoOf(value) ?? 0n) <= (nanoOf(cost) ?? 0n);
      },
      defaultMessage: () => 'coordinator_reserve must be at most cost',
    },
  });

const countOf = (worker: unknown): number => {
  const { count } = (worker ?? {}) as { count?: unknown };
  return typeof count === 'number' ? count : 1;
};

const HaveRoom = (): PropertyDecorator =>
  ValidateBy({
    name: 'maxWorkers',
    validator: {
      validate: (workers: unknown) =>
        !Array.isArray(workers) ||
        workers.reduce((sum: number, each: unknown) => sum + countOf(each), 0) <= MAX_WORKERS,
      defaultMessage: () => `workers must be at most ${MAX_WORKERS} together`,
    },
  });

class CoordinatorBody {
  @ApiProperty(AGENT_FIELD)
  @inOrder(IsString(), MinLength(1), MaxLength(100))
  readonly agent_id!: string;
}

class WorkerBody {
  @ApiProperty(AGENT_FIELD)
  @inOrder(IsString(), MinLength(1), MaxLength(100))
  readonly agent_id!: string;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: MAX_WORKERS,
    default: 1,
    example: 3,
    description: 'How many runs of the agent may work at the same time.',
  })
  @MayBeAbsent()
  @inOrder(IsInt(), Min(1), Max(MAX_WORKERS))
  readonly count: number = 1;
}

class SwarmBudgetBody {
  @ApiProperty({ example: '5.00', description: 'The most that the swarm may cost, in US dollars.' })
  @inOrder(IsUsd({ least: 1n }), IsAtMostCost())
  readonly cost!: string;

  @ApiPropertyOptional({
    type: String,
    example: '1.00',
    description: 'What of it workers cannot spend. Default: a fifth.',
  })
  @MayBeAbsent()
  @inOrder(IsUsd({ least: 0n }), IsAtMostBudget())
  readonly coordinator_reserve?: string;
}

export class CreateSwarmBody {
  @ApiProperty({ minLength: 1, maxLength: 100, example: 'Price comparison' })
  @IsTitle()
  readonly name!: string;

  @ApiProperty({
    maxLength: MAX_GOAL_BYTES,
    example: 'Compare the prices of ten hosts for containers. Answer with a table.',
    description: 'What the coordinator has to reach, at most 64 KiB.',
  })
  @inOrder(IsString(), MinLength(1), MaxBytes(MAX_GOAL_BYTES), IsStorableText())
  readonly goal!: string;

  @ApiProperty({ type: CoordinatorBody, example: { agent_id: AGENT_ID } })
  @IsDefined()
  @ValidateNested()
  @Type(() => CoordinatorBody)
  readonly coordinator!: CoordinatorBody;

  @ApiPropertyOptional({
    type: [WorkerBody],
    maxItems: MAX_WORKERS,
    default: [],
    example: [{ agent_id: AGENT_ID, count: 3 }],
    description: 'At most 20 runs together. Without any, programs outside of the service claim the tasks.',
  })
  @MayBeAbsent()
  @IsArray()
  @ArrayMaxSize(MAX_WORKERS)
  @HaveRoom()
  @ValidateNested({ each: true })
  @Type(() => WorkerBody)
  readonly workers: WorkerBody[] = [];

  @ApiProperty({ type: SwarmBudgetBody, example: { cost: '5.00', coordinator_reserve: '1.00' } })
  @IsDefined()
  @ValidateNested()
  @Type(() => SwarmBudgetBody)
  readonly budget!: SwarmBudgetBody;

  get input(): CreateSwarmInput {
    const { name, goal, coordinator, workers, budget } = this;
    const costNano = parseUsd(budget.cost);
    const { coordinator_reserve: reserve } = budget;
    return {
      ...{ name, goal, coordinator: coordinator.agent_id, costNano },
      workers: workers.map(({ agent_id: agentId, count }) => ({ agentId, count })),
      reserveNano: reserve === undefined ? (costNano * RESERVE_PERCENT) / 100n : parseUsd(reserve),
    };
  }
}

export class SwarmsQuery extends PageQuery {
  @ApiPropertyOptional({ enum: SWARM_STATES, example: 'running', description: 'Only the swarms in this state.' })
  @MayBeAbsent()
  @IsIn(SWARM_STATES)
  readonly state?: SwarmState;
}

class SwarmCoordinatorView {
  @ApiProperty({ example: AGENT_ID }) agent_id!: string;
  @ApiPropertyOptional({ type: String, example: 'run_01jd3m8yeqf5rb0xkq5ym8s6tn' }) run_id?: string;
}

class SwarmWorkerView {
  @ApiProperty({ example: AGENT_ID }) agent_id!: string;
  @ApiProperty({ type: 'integer', example: 3 }) count!: number;
}

class SwarmBudgetView {
  @ApiProperty({ example: '5' }) cost!: string;
  @ApiProperty({ example: '1' }) coordinator_reserve!: string;
}

class TaskCountsView {
  @ApiProperty({ type: 'integer' }) blocked!: number;
  @ApiProperty({ type: 'integer' }) open!: number;
  @ApiProperty({ type: 'integer' }) claimed!: number;
  @ApiProperty({ type: 'integer' }) done!: number;
  @ApiProperty({ type: 'integer' }) failed!: number;
  @ApiProperty({ type: 'integer' }) cancelled!: number;
}

export class SwarmView {
  @ApiProperty({ example: SWARM_ID }) id!: string;
  @ApiProperty({ example: 'org_01jd3m8yeqf5rb0xkq5ym8s6tn' }) org_id!: string;
  @ApiProperty({ example: 'Price comparison' }) name!: string;
  @ApiProperty({ example: 'Compare the prices of ten hosts.' }) goal!: string;
  @ApiProperty({
    enum: SWARM_STATES,
    description: '`stalled`: nothing on the board can move. The swarm runs again when something on it changes.',
  })
  state!: SwarmState;
  @ApiProperty({ type: SwarmCoordinatorView }) coordinator!: SwarmCoordinatorView;
  @ApiProperty({ type: [SwarmWorkerView] }) workers!: SwarmWorkerView[];
  @ApiProperty({ type: SwarmBudgetView }) budget!: SwarmBudgetView;
  @ApiProperty({ example: '0.0123', description: 'What all runs of the swarm have cost, in US dollars.' })
  cost!: string;
  @ApiProperty({ type: TaskCountsView, description: 'Number of tasks by state.' }) tasks!: TaskCountsView;
  @ApiPropertyOptional({ description: 'Output of the coordinator.' }) output?: unknown;
  @ApiPropertyOptional({ type: TaskFailureView }) error?: TaskFailureView;
  @ApiProperty({ format: 'date-time' }) created_at!: string;
  @ApiPropertyOptional({ type: String, format: 'date-time' }) ended_at?: string;
  @ApiProperty({ example: 'usr_01jd3m8yeqf5rb0xkq5ym8s6tn' }) created_by!: string;

  static of({ swarm, tasks, spentNano }: ShownSwarm): SwarmView {
    const { id, orgId, name, goal, state, coordinatorAgentId, coordinatorRunId, workers, output, error } = swarm;
    return {
      ...{ id, org_id: orgId, name, goal, state },
      coordinator: { agent_id: coordinatorAgentId, ...(coordinatorRunId === null ? {} : { run_id: coordinatorRunId }) },
      workers: workers.map(({ agentId, count }) => ({ agent_id: agentId, count })),
      budget: { cost: formatUsd(swarm.costNano), coordinator_reserve: formatUsd(swarm.reserveNano) },
      cost: formatUsd(spentNano),
      tasks: { ...tasks },
      ...(output === null ? {} : { output }),
      ...(error === null ? {} : { error }),
      created_at: swarm.createdAt.toISOString(),
      ...(swarm.endedAt === null ? {} : { ended_at: swarm.endedAt.toISOString() }),
      created_by: swarm.createdBy,
    };
  }
}

export class SwarmAnswer {
  @ApiProperty({ type: SwarmView }) data!: SwarmView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

export class SwarmPageAnswer {
  @ApiProperty({ type: [SwarmView] }) data!: SwarmView[];
  @ApiProperty({ type: PageMeta }) meta!: PageMeta;
}
