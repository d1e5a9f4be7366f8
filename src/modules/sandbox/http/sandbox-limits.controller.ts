import { Controller, Get, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { ANY_CALLER } from '../../auth/access.errors.js';
import { type Call, Caller } from '../../auth/caller.js';
import { RequireScope } from '../../auth/require-scope.js';
import { budgetHolderOf } from '../../limits/budget-account.js';
import { CallerLimitsService } from '../executions/caller-limits.service.js';
import { SandboxLimitsAnswer, SandboxLimitsView } from './sandbox-limits.dto.js';

@ApiTags('sandbox')
@Controller('api/v1/sandbox/limits')
export class SandboxLimitsController {
  constructor(private readonly limits: CallerLimitsService) {}

  @Get()
  @RequireScope('sandbox:execute')
  @ApiOperation({
    summary: 'Returns the limits of executions on the plan of the organization, and the calls left today.',
  })
  @ApiOkResponse({ type: SandboxLimitsAnswer })
  @ApiRefusals(...ANY_CALLER)
  async show(@Caller() { org }: Call, @Req() request: Request): Promise<Envelope<SandboxLimitsView>> {
    // A guard has verified the caller.
    const { account } = budgetHolderOf(request)!;
    return new Envelope(SandboxLimitsView.of(await this.limits.of(org.plan, account)));
  }
}
