import { Body, Controller, Get, HttpCode, HttpStatus, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ANY_BODY, ANY_OPERATOR, ApiRefusals } from '../../../platform/http/api-refusals.js';
import { TakesJson } from '../../../platform/http/json-body.js';
import { NeedsNoStorage } from '../../../platform/storage/storage.guard.js';
import { RequireOperatorToken } from '../../operators/require-operator-token.js';
import { FlagAdministrationService } from '../flag-administration.service.js';
import { FlagsView, ToggledView, ToggleFlagBody } from './features.dto.js';

@ApiTags('operations')
@NeedsNoStorage()
@Controller('ops/features')
@RequireOperatorToken('ops')
export class FeaturesController {
  constructor(private readonly flags: FlagAdministrationService) {}

  @Get()
  @ApiOperation({
    summary: 'Shows the feature flags, and which of them may be toggled.',
    description: 'Needs `OPS_TOKEN` as bearer token when it is set.',
  })
  @ApiOkResponse({ type: FlagsView })
  @ApiRefusals(...ANY_OPERATOR, 'service_unavailable')
  async list(): Promise<FlagsView> {
    return FlagsView.of(await this.flags.list(), this.flags.allowlist);
  }

  @Post()
  @TakesJson()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    summary: 'Toggles a feature flag of the allowlist, in every process within a second.',
    description: 'Needs `OPS_TOKEN` as bearer token when it is set.',
  })
  @ApiOkResponse({ type: ToggledView })
  @ApiRefusals(
    ...ANY_OPERATOR,
    ...ANY_BODY,
    'flag_not_found',
    'flag_not_allowlisted',
    'flag_fixed',
    'stale_version',
    'service_unavailable',
  )
  async toggle(@Body() body: ToggleFlagBody): Promise<ToggledView> {
    const { name, enabled, reason, expectedVersion } = body;
    return ToggledView.of(await this.flags.toggle({ name, enabled, reason, expectedVersion }));
  }
}
