import { Controller, Get, HttpCode, HttpStatus, Param, Post, Query } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { GENERIC_ERRORS } from '../../../platform/errors/generic.errors.js';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { TakesNothing } from '../../../platform/http/json-body.js';
import { PageQuery, pageEnvelope } from '../../../platform/http/page.js';
import { ANY_CALLER } from '../../auth/access.errors.js';
import { type Call, Caller } from '../../auth/caller.js';
import { RequireScope } from '../../auth/require-scope.js';
import { RequireFeature } from '../../features/require-feature.js';
import { ANY_WRITE } from '../../idempotency/idempotency.errors.js';
import { OPERATOR_ERRORS } from '../../operators/operators.errors.js';
import { PLAN_ERRORS } from '../../plans/plans.errors.js';
import { SchedulesService } from '../domain/schedules.service.js';
import { ManualFiresService } from '../firing/manual-fires.service.js';
import { SCHEDULE_ERRORS } from '../schedules.errors.js';
import { FireAnswer, FirePageAnswer, FireView } from './agent-schedule-views.dto.js';

@ApiTags('schedules')
@Controller('api/v1/schedules/:schedule_id')
export class ScheduleFiresController {
  constructor(
    private readonly schedules: SchedulesService,
    private readonly manual: ManualFiresService,
  ) {}

  @Get('fires')
  @RequireScope('agents:read', { in: 'resource' })
  @ApiOperation({
    summary: 'Lists what came of the times of a schedule, newest first.',
    description: 'They are kept for 90 days.',
  })
  @ApiOkResponse({ type: FirePageAnswer })
  @ApiRefusals(...ANY_CALLER, GENERIC_ERRORS.invalid_request, SCHEDULE_ERRORS.schedule_not_found)
  async list(
    @Caller() call: Call,
    @Param('schedule_id') id: string,
    @Query() query: PageQuery,
  ): Promise<Envelope<FireView[]>> {
    return pageEnvelope(await this.schedules.listFires(call, id, query.page), (fire) => FireView.of(fire));
  }

  @Post('trigger')
  @RequireFeature('schedules')
  @RequireScope('agents:write', { in: 'resource' })
  @TakesNothing()
  @HttpCode(HttpStatus.ACCEPTED)
  @ApiOperation({
    summary: 'Fires a schedule now, whether or not it is paused.',
    description: 'Overlap counts: with `skip`, the fire is `skipped` while the last run is active.',
  })
  @ApiAcceptedResponse({ type: FireAnswer })
  @ApiRefusals(
    ...ANY_CALLER,
    ...ANY_WRITE,
    SCHEDULE_ERRORS.schedule_not_found,
    PLAN_ERRORS.feature_not_in_plan,
    OPERATOR_ERRORS.feature_disabled,
  )
  async trigger(@Caller() call: Call, @Param('schedule_id') id: string): Promise<Envelope<FireView>> {
    return new Envelope(FireView.of(await this.manual.trigger(call, id)));
  }
}
