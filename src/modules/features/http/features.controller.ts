import { Body, Controller, Get, HttpCode, HttpStatus, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { GENERIC_ERRORS } from '../../../platform/errors/generic.errors.js';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { TakesJson } from '../../../platform/http/json-body.js';
import { NeedsNoStorage } from '../../../platform/storage/storage.guard.js';
import { ANY_BODY } from '../../idempotency/idempotency.errors.js';
import { ANY_OPERATOR } from '../../operators/operators.errors.js';
import { RequireOperatorToken } from '../../operators/require-operator-token.js';
import { FEATURE_ERRORS } from '../features.errors.js';
import { FlagAdministrationService } from '../flags/flag-administration.service.js';
import { FlagsView, ToggledView, ToggleFlagBody } from './features.dto.js';

@ApiTags('operations')
@NeedsNoStorage()
@Controller('ops/features')
@RequireOperatorToken('ops')
export class FeaturesController {
  constructor(private readonly flags: FlagAdministrationService) {}

  @Get()
  @ApiOperation({
    summary: 'Lists the feature flags, and which of them can be toggled.',
    description: 'Requires `OPS_TOKEN` as the bearer token if it is set.',
  })
  @ApiOkResponse({ type: FlagsView })
  @ApiRefusals(...ANY_OPERATOR, GENERIC_ERRORS.service_unavailable)
  async list(): Promise<FlagsView> {
    return FlagsView.of(await this.flags.list(), this.flags.allowlist);
  }

  @Post()
  @TakesJson()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    summary: 'Toggles a feature flag on the allowlist, in every process within a second.',
    description: 'Requires `OPS_TOKEN` as the bearer token if it is set.',
  })
  @ApiOkResponse({ type: ToggledView })
  @ApiRefusals(
    ...ANY_OPERATOR,
    ...ANY_BODY,
    FEATURE_ERRORS.flag_not_found,
    FEATURE_ERRORS.flag_not_allowlisted,
    FEATURE_ERRORS.flag_fixed,
    GENERIC_ERRORS.stale_version,
    GENERIC_ERRORS.service_unavailable,
  )
  async toggle(@Body() body: ToggleFlagBody): Promise<ToggledView> {
    const { name, enabled, reason, expectedVersion } = body;
    return ToggledView.of(await this.flags.toggle({ name, enabled, reason, expectedVersion }));
  }
}
