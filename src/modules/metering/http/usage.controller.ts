import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { GENERIC_ERRORS } from '../../../platform/errors/generic.errors.js';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { Clock } from '../../../platform/time/clock.js';
import { ANY_CALLER } from '../../auth/access.errors.js';
import { type Call, Caller } from '../../auth/caller.js';
import { RequireScope, TakesSession } from '../../auth/require-scope.js';
import { UsageReportService } from '../usage-report.service.js';
import { UsageAnswer, usageAnswerOf, UsageQuery } from './usage.dto.js';

@ApiTags('billing')
@TakesSession('or_key')
@Controller('api/v1/billing/usage')
export class UsageController {
  constructor(
    private readonly report: UsageReportService,
    private readonly clock: Clock,
  ) {}

  @Get()
  @RequireScope('billing:read')
  @ApiOperation({
    summary: 'Returns usage and its cost.',
    description:
      'Groups usage by meter and by `group_by`. Usage that became known after its month was closed counts at the ' +
      'hour when it became known.',
  })
  @ApiOkResponse({ type: UsageAnswer })
  @ApiRefusals(...ANY_CALLER, GENERIC_ERRORS.invalid_request)
  async show(@Caller() { org }: Call, @Query() query: UsageQuery): Promise<Envelope<UsageAnswer['data']>> {
    const time = query.timeAt(this.clock.now());
    return new Envelope(...usageAnswerOf(await this.report.of(org.id, time, query.groups), time));
  }
}
