import { Body, Controller, Get, HttpCode, HttpStatus, Post, Req, Res } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { GENERIC_ERRORS } from '../../../platform/errors/generic.errors.js';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { TakesJson } from '../../../platform/http/json-body.js';
import { NeedsNoStorage } from '../../../platform/storage/storage.guard.js';
import { ANY_OPERATOR } from '../../operators/operators.errors.js';
import { RequireOperatorToken } from '../../operators/require-operator-token.js';
import { AlertIntakeService } from '../alerts/alert-intake.service.js';
import { type Manifest, ManifestService } from '../manifest/manifest.service.js';
import { unlessUnchanged } from './not-modified.js';
import { GenericAlertBody, IntakeView } from './ops.dto.js';

const NEEDS =
  'Requires `OPS_TOKEN` as the bearer token if it is set. Otherwise only programs on the same machine can call it.';

@ApiTags('operations')
@NeedsNoStorage()
@Controller('ops')
@RequireOperatorToken('ops')
export class OpsController {
  constructor(
    private readonly manifest: ManifestService,
    private readonly alerts: AlertIntakeService,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'Returns the manifest for agents: the state of the service, its endpoints, runbooks and tasks.',
    description: NEEDS,
  })
  @ApiOkResponse({
    schema: {
      type: 'object',
      required: ['schemaVersion', 'service', 'status', 'parts', 'endpoints', 'runbooks'],
      properties: {
        schemaVersion: { type: 'string' },
        service: { type: 'object' },
        status: { type: 'string', enum: ['ok', 'degraded', 'draining'] },
        parts: { type: 'object' },
        endpoints: { type: 'array', items: { type: 'object' } },
        runbooks: { type: 'array', items: { type: 'object' } },
      },
    },
  })
  @ApiRefusals(...ANY_OPERATOR)
  async show(@Req() request: Request, @Res({ passthrough: true }) response: Response): Promise<Manifest | undefined> {
    return unlessUnchanged(await this.manifest.describe(), request, response);
  }

  @Post('alert')
  @TakesJson()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    summary: 'Creates tasks from alerts, sent by Alertmanager or in the generic form.',
    description:
      `${NEEDS} Unknown fields are ignored. ` +
      'The call is refused with 503 only while the database is unavailable; send the alerts again then.',
  })
  @ApiBody({ type: GenericAlertBody })
  @ApiOkResponse({ type: IntakeView })
  @ApiRefusals(
    ...ANY_OPERATOR,
    GENERIC_ERRORS.invalid_request,
    GENERIC_ERRORS.malformed_json,
    GENERIC_ERRORS.payload_too_large,
    GENERIC_ERRORS.unsupported_media_type,
    GENERIC_ERRORS.service_unavailable,
  )
  async alert(@Body() body: Record<string, unknown>): Promise<IntakeView> {
    return IntakeView.of(await this.alerts.take(body));
  }
}
