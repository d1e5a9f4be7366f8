import { Body, Controller, Delete, Get, HttpCode, HttpStatus, Param, Put } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { TakesJson, TakesNothing } from '../../../platform/http/json-body.js';
import { ANY_CALLER } from '../../auth/access.errors.js';
import { type Call, Caller } from '../../auth/caller.js';
import { RequireScope, TakesSession } from '../../auth/require-scope.js';
import { ANY_BODY, ANY_WRITE } from '../../idempotency/idempotency.errors.js';
import { AI_ERRORS } from '../ai.errors.js';
import { ProviderKeysService } from '../provider-keys/provider-keys.service.js';
import {
  ProviderKeyAnswer,
  ProviderKeyView,
  ProviderListAnswer,
  ProviderView,
  SetProviderKeyBody,
} from './provider-keys.dto.js';

@ApiTags('ai')
@TakesSession('or_key')
@Controller('api/v1/ai/providers')
export class ProviderKeysController {
  constructor(private readonly keys: ProviderKeysService) {}

  @Get()
  @RequireScope('billing:read')
  @ApiOperation({
    summary: 'Lists the providers of models, with whether a key is set for each.',
    description: 'No key is shown. Models of a provider with a key of the organization are paid there.',
  })
  @ApiOkResponse({ type: ProviderListAnswer })
  @ApiRefusals(...ANY_CALLER)
  async list(@Caller() call: Call): Promise<Envelope<ProviderView[]>> {
    return new Envelope((await this.keys.list(call)).map((provider) => ProviderView.of(provider)));
  }

  @Get(':provider_id/key')
  @RequireScope('billing:read')
  @ApiOperation({ summary: 'Returns the last characters of the key that an organization has set for a provider.' })
  @ApiOkResponse({ type: ProviderKeyAnswer })
  @ApiRefusals(...ANY_CALLER, AI_ERRORS.provider_not_found, AI_ERRORS.provider_key_not_found)
  async get(@Caller() call: Call, @Param('provider_id') id: string): Promise<Envelope<ProviderKeyView>> {
    return new Envelope(ProviderKeyView.of(await this.keys.get(call, id)));
  }

  @Put(':provider_id/key')
  @RequireScope('billing:write')
  @TakesJson()
  @ApiOperation({
    summary: 'Sets the key of an organization for a provider of models.',
    description:
      'From the next call on, models of this provider are called with this key and paid on its account. Credits pay ' +
      'nothing for them, while budgets count their list price.',
  })
  @ApiOkResponse({ type: ProviderKeyAnswer })
  @ApiRefusals(...ANY_CALLER, ...ANY_BODY, AI_ERRORS.provider_not_found)
  async set(
    @Caller() call: Call,
    @Param('provider_id') id: string,
    @Body() { api_key }: SetProviderKeyBody,
  ): Promise<Envelope<ProviderKeyView>> {
    return new Envelope(ProviderKeyView.of(await this.keys.set(call, id, api_key)));
  }

  @Delete(':provider_id/key')
  @RequireScope('billing:write')
  @TakesNothing()
  @HttpCode(HttpStatus.NO_CONTENT)
  @ApiOperation({
    summary: 'Deletes the key of an organization for a provider, so that credits pay for its models again.',
  })
  @ApiNoContentResponse()
  @ApiRefusals(...ANY_CALLER, ...ANY_WRITE, AI_ERRORS.provider_not_found, AI_ERRORS.provider_key_not_found)
  delete(@Caller() call: Call, @Param('provider_id') id: string): Promise<void> {
    return this.keys.delete(call, id);
  }
}
