import { Body, Controller, HttpCode, HttpStatus, Post } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { TakesJson } from '../../../platform/http/json-body.js';
import { ANY_BODY } from '../../idempotency/idempotency.errors.js';
import { ANY_CALL } from '../../limits/limits.errors.js';
import { OPERATOR_ERRORS } from '../../operators/operators.errors.js';
import { RequireOperatorToken } from '../../operators/require-operator-token.js';
import { UsageIntakeService } from '../intake/usage-intake.service.js';
import { type Reported, ReportedEvents } from './reported-events.js';
import { ReportedUsageAnswer, ReportedUsageView, ReportUsageBody } from './usage-events.dto.js';

/** The size of a thousand events with all of their fields. */
const BODY_BYTES = 8 * 1_048_576;

@ApiTags('billing')
@Controller('api/v1/billing/events')
export class UsageEventsController {
  constructor(private readonly intake: UsageIntakeService) {}

  @Post()
  @RequireOperatorToken('usage')
  @TakesJson({ limitBytes: BODY_BYTES })
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    summary: 'Records usage from trusted sources.',
    description:
      'Needs `USAGE_TOKEN` as the bearer token and is disabled while that is not set. Each event is accepted or ' +
      'rejected on its own. Safe to repeat: an event is recorded once.',
  })
  @ApiBody({ type: ReportUsageBody })
  @ApiOkResponse({ type: ReportedUsageAnswer })
  @ApiRefusals(...ANY_CALL, ...ANY_BODY, OPERATOR_ERRORS.invalid_token, OPERATOR_ERRORS.feature_disabled)
  async report(@Body(ReportedEvents) { events }: Reported): Promise<Envelope<ReportedUsageView>> {
    return new Envelope(ReportedUsageView.of(await this.intake.take(events)));
  }
}
