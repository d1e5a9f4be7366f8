import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { AnswerMeta } from '../../../platform/http/page.js';
import { Public } from '../../../platform/http/public.js';
import { formatUsd } from '../../../platform/money/nano-dollars.js';
import { ANY_CALL } from '../../limits/limits.errors.js';
import { type Plan, PLAN_IDS, type PlanId, PLANS } from '../../plans/plan.js';

class PlanLimitsView {
  @ApiProperty({ type: 'integer', nullable: true, description: '`null` if unlimited.' }) calls_per_day!: number | null;
  @ApiProperty({ type: 'integer', nullable: true, description: '`null` if unlimited.' }) agents!: number | null;
  @ApiProperty({ type: 'integer', nullable: true, description: '`null` if unlimited.' }) projects!: number | null;
  @ApiProperty({ type: 'integer', description: 'Storage for the files of all deploys of an organization, in MiB.' })
  deploys_stored_mib!: number;
}

class PlanModelsView {
  @ApiProperty({ type: 'integer', example: 400_000, description: 'Tokens of models in a minute, of an organization.' })
  tokens_per_minute!: number;
  @ApiProperty({ type: 'integer', example: 32, description: 'Calls of models at the same time.' })
  concurrency!: number;
}

class PlanFeaturesView {
  @ApiProperty() production_deploys!: boolean;
  @ApiProperty({ description: 'Builds that reach every public address instead of package registries only.' })
  open_build_network!: boolean;
  @ApiProperty() swarms_and_cron!: boolean;
  @ApiProperty() sso!: boolean;
  @ApiProperty() wildcard_domains!: boolean;
}

class PlanAppsView {
  @ApiProperty({
    type: 'integer',
    example: 8,
    description: 'Servers of deploys that can run on one machine at once, including sleeping ones.',
  })
  servers!: number;
  @ApiProperty({ type: 'integer', example: 512, description: 'Memory of each server in MiB.' }) memory_mib!: number;
  @ApiProperty({
    type: 'integer',
    example: 100,
    description: 'Relative CPU share of each server under contention.',
  })
  cpu_weight!: number;
  @ApiProperty({ type: 'integer', example: 200, description: 'CPU limit of each server, in percent of one processor.' })
  cpu_max_percent!: number;
}

class PlanView {
  @ApiProperty({ enum: PLAN_IDS }) id!: PlanId;
  @ApiProperty({ example: 'Builder' }) name!: string;
  @ApiProperty({
    type: String,
    nullable: true,
    example: '49',
    description: 'Price in USD, as a decimal. `null` if by contract.',
  })
  price_usd_per_month!: string | null;
  @ApiProperty({ type: PlanLimitsView }) limits!: PlanLimitsView;
  @ApiProperty({ type: PlanFeaturesView }) features!: PlanFeaturesView;
  @ApiProperty({ type: PlanAppsView }) apps!: PlanAppsView;
  @ApiProperty({ type: PlanModelsView }) models!: PlanModelsView;
  @ApiProperty({
    type: String,
    example: '5',
    description: 'Credits in USD that each person gets once, for all metered usage.',
  })
  included_credits_usd!: string;
  @ApiProperty({
    description: '`true` if usage beyond the credits is billed. Otherwise it stops when they are used up.',
  })
  bills_usage!: boolean;
  @ApiProperty({ enum: ['community', 'email', 'priority', 'dedicated'] }) support!: string;

  static of({
    id,
    name,
    priceUsdPerMonth,
    limits,
    features,
    creditNano,
    billsUsage,
    support,
    deploys,
    apps,
    ai,
  }: Plan): PlanView {
    return {
      id,
      name,
      price_usd_per_month: priceUsdPerMonth === null ? null : String(priceUsdPerMonth),
      limits: {
        calls_per_day: limits.callsPerDay,
        agents: limits.agents,
        projects: limits.projects,
        deploys_stored_mib: deploys.storedMib,
      },
      features,
      apps: {
        servers: apps.servers,
        memory_mib: apps.memoryMib,
        cpu_weight: apps.cpuWeight,
        cpu_max_percent: apps.cpuMaxPercent,
      },
      models: { tokens_per_minute: ai.tokensPerMinute, concurrency: ai.concurrency },
      included_credits_usd: formatUsd(creditNano),
      bills_usage: billsUsage,
      support,
    };
  }
}

class PlansAnswer {
  @ApiProperty({ type: [PlanView] }) data!: PlanView[];
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

@ApiTags('billing')
@Controller('api/v1/billing/plans')
export class PlansController {
  /** Service document §8, "Plans". */
  @Get()
  @Public()
  @ApiOperation({ summary: 'Lists the plans, from the smallest to the largest.' })
  @ApiOkResponse({ type: PlansAnswer })
  @ApiRefusals(...ANY_CALL)
  list(): Envelope<PlanView[]> {
    return new Envelope(PLAN_IDS.map((id) => PlanView.of(PLANS[id])));
  }
}
