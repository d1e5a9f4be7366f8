import { Body, Controller, Delete, Get, HttpCode, HttpStatus, Put } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { TakesJson, TakesNothing } from '../../../platform/http/json-body.js';
import { ANY_CALLER } from '../../auth/access.errors.js';
import { type Call, Caller } from '../../auth/caller.js';
import { RequireScope, TakesSession } from '../../auth/require-scope.js';
import { ANY_BODY, ANY_WRITE } from '../../idempotency/idempotency.errors.js';
import { PoliciesService } from '../policies/policies.service.js';
import { ModelPolicyAnswer, ModelPolicyView, SetModelPolicyBody } from './model-policy.dto.js';

@ApiTags('ai')
@TakesSession('or_key')
@Controller('api/v1/ai/policy')
export class ModelPolicyController {
  constructor(private readonly policies: PoliciesService) {}

  @Get()
  @RequireScope('orgs:read')
  @ApiOperation({
    summary: 'Returns what an organization allows its own calls of models.',
    description: 'An organization without a policy has the default one.',
  })
  @ApiOkResponse({ type: ModelPolicyAnswer })
  @ApiRefusals(...ANY_CALLER)
  async get(@Caller() call: Call): Promise<Envelope<ModelPolicyView>> {
    return new Envelope(ModelPolicyView.of(await this.policies.get(call)));
  }

  @Put()
  @RequireScope('orgs:write')
  @TakesJson()
  @ApiOperation({
    summary: 'Replaces the policy of an organization for its calls of models.',
    description:
      'Absent fields get their defaults. It holds from the next call on: other models are refused with 403 ' +
      '`model_not_allowed`, also as fallbacks. Without `retention_days`, all kept texts are deleted.',
  })
  @ApiOkResponse({ type: ModelPolicyAnswer })
  @ApiRefusals(...ANY_CALLER, ...ANY_BODY)
  async set(@Caller() call: Call, @Body() { policy }: SetModelPolicyBody): Promise<Envelope<ModelPolicyView>> {
    return new Envelope(ModelPolicyView.of(await this.policies.set(call, policy)));
  }

  @Delete()
  @RequireScope('orgs:write')
  @TakesNothing()
  @HttpCode(HttpStatus.NO_CONTENT)
  @ApiOperation({ summary: 'Returns an organization to the default policy, and deletes all kept texts.' })
  @ApiNoContentResponse()
  @ApiRefusals(...ANY_CALLER, ...ANY_WRITE)
  delete(@Caller() call: Call): Promise<void> {
    return this.policies.delete(call);
  }
}
