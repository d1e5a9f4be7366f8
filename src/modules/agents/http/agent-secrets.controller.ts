import { Body, Controller, Delete, Get, HttpCode, HttpStatus, Param, Put } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { TakesJson, TakesNothing } from '../../../platform/http/json-body.js';
import { pageEnvelope } from '../../../platform/http/page.js';
import { ANY_CALLER } from '../../auth/access.errors.js';
import { type Call, Caller } from '../../auth/caller.js';
import { RequireScope } from '../../auth/require-scope.js';
import { ANY_BODY, ANY_WRITE } from '../../idempotency/idempotency.errors.js';
import { AgentSecretsService } from '../agent-secrets.service.js';
import { AGENT_ERRORS } from '../agents.errors.js';
import { AgentSecretAnswer, AgentSecretPageAnswer, AgentSecretView, SetAgentSecretBody } from './agent-secrets.dto.js';

@ApiTags('agents')
@Controller('api/v1/agents/:agent_id/secrets')
export class AgentSecretsController {
  constructor(private readonly secrets: AgentSecretsService) {}

  @Get()
  @RequireScope('agents:read', { in: 'resource' })
  @ApiOperation({ summary: 'Lists the secrets of an agent by name, on one page. Values are never returned.' })
  @ApiOkResponse({ type: AgentSecretPageAnswer })
  @ApiRefusals(...ANY_CALLER, AGENT_ERRORS.agent_not_found)
  async list(@Caller() call: Call, @Param('agent_id') idOrSlug: string): Promise<Envelope<AgentSecretView[]>> {
    const items = await this.secrets.list(call, idOrSlug);
    return pageEnvelope({ items, next: undefined }, (secret) => AgentSecretView.of(secret));
  }

  @Put(':secret_name')
  @RequireScope('agents:write', { in: 'resource' })
  @TakesJson()
  @ApiOperation({
    summary: 'Sets or replaces a secret of an agent.',
    description: 'Tools send it in headers, as {{secret:NAME}} in their settings. No model sees it.',
  })
  @ApiOkResponse({ type: AgentSecretAnswer })
  @ApiRefusals(...ANY_CALLER, ...ANY_BODY, AGENT_ERRORS.agent_not_found)
  async set(
    @Caller() call: Call,
    @Param('agent_id') idOrSlug: string,
    @Param('secret_name') name: string,
    @Body() { value }: SetAgentSecretBody,
  ): Promise<Envelope<AgentSecretView>> {
    return new Envelope(AgentSecretView.of(await this.secrets.set(call, idOrSlug, name, value)));
  }

  @Delete(':secret_name')
  @RequireScope('agents:write', { in: 'resource' })
  @TakesNothing()
  @HttpCode(HttpStatus.NO_CONTENT)
  @ApiOperation({
    summary: 'Deletes a secret of an agent.',
    description: 'Succeeds as well if the secret does not exist.',
  })
  @ApiNoContentResponse()
  @ApiRefusals(...ANY_CALLER, ...ANY_WRITE, AGENT_ERRORS.agent_not_found)
  async delete(
    @Caller() call: Call,
    @Param('agent_id') idOrSlug: string,
    @Param('secret_name') name: string,
  ): Promise<void> {
    await this.secrets.delete(call, idOrSlug, name);
  }
}
