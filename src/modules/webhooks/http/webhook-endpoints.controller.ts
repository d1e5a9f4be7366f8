import { Body, Controller, Delete, Get, HttpCode, HttpStatus, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { GENERIC_ERRORS } from '../../../platform/errors/generic.errors.js';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { TakesJson, TakesNothing } from '../../../platform/http/json-body.js';
import { PageQuery, pageEnvelope } from '../../../platform/http/page.js';
import { ACCESS_ERRORS, ANY_CALLER } from '../../auth/access.errors.js';
import { type Call, Caller } from '../../auth/caller.js';
import { RequireScope, TakesSession } from '../../auth/require-scope.js';
import { RequireVerifiedEmail } from '../../auth/require-verified-email.js';
import { ANY_BODY, ANY_WRITE } from '../../idempotency/idempotency.errors.js';
import { ORG_ERRORS } from '../../orgs/orgs.errors.js';
import { WebhookEndpointsService } from '../endpoints/webhook-endpoints.service.js';
import { WEBHOOK_ERRORS } from '../webhooks.errors.js';
import {
  CreateWebhookEndpointBody,
  IssuedWebhookEndpointAnswer,
  IssuedWebhookEndpointView,
  RotateWebhookSecretBody,
  UpdateWebhookEndpointBody,
  WebhookEndpointAnswer,
  WebhookEndpointPageAnswer,
  WebhookEndpointView,
} from './webhooks.dto.js';

const MISSING = [ORG_ERRORS.organization_not_found, WEBHOOK_ERRORS.webhook_endpoint_not_found];

@ApiTags('webhooks')
@TakesSession('or_key')
@Controller('api/v1/orgs/:org_id/webhook-endpoints')
export class WebhookEndpointsController {
  constructor(private readonly endpoints: WebhookEndpointsService) {}

  @Post()
  @RequireScope('orgs:write', { in: 'resource' })
  @RequireVerifiedEmail()
  @TakesJson()
  @ApiOperation({
    summary: 'Creates a webhook endpoint.',
    description: 'Returns the secret once. Messages are signed as Standard Webhooks describes it.',
  })
  @ApiCreatedResponse({ type: IssuedWebhookEndpointAnswer })
  @ApiRefusals(...ANY_CALLER, ...ANY_BODY, ORG_ERRORS.organization_not_found, ACCESS_ERRORS.email_not_verified)
  async create(
    @Caller() call: Call,
    @Param('org_id') org: string,
    @Body() { url, description, types }: CreateWebhookEndpointBody,
  ): Promise<Envelope<IssuedWebhookEndpointView>> {
    return new Envelope(
      IssuedWebhookEndpointView.issued(await this.endpoints.create(call, org, { url, description, types })),
    );
  }

  @Get()
  @RequireScope('orgs:write', { in: 'resource' })
  @ApiOperation({
    summary: 'Lists the webhook endpoints of an organization, newest first.',
    description: 'Needs `orgs:write`, because URLs may contain secrets.',
  })
  @ApiOkResponse({ type: WebhookEndpointPageAnswer })
  @ApiRefusals(...ANY_CALLER, GENERIC_ERRORS.invalid_request, ORG_ERRORS.organization_not_found)
  async list(
    @Caller() call: Call,
    @Param('org_id') org: string,
    @Query() query: PageQuery,
  ): Promise<Envelope<WebhookEndpointView[]>> {
    return pageEnvelope(await this.endpoints.list(call, org, query.page), (each) => WebhookEndpointView.of(each));
  }

  @Get(':endpoint_id')
  @RequireScope('orgs:write', { in: 'resource' })
  @ApiOperation({ summary: 'Returns a webhook endpoint without its secret.' })
  @ApiOkResponse({ type: WebhookEndpointAnswer })
  @ApiRefusals(...ANY_CALLER, ...MISSING)
  async get(
    @Caller() call: Call,
    @Param('org_id') org: string,
    @Param('endpoint_id') id: string,
  ): Promise<Envelope<WebhookEndpointView>> {
    return new Envelope(WebhookEndpointView.of(await this.endpoints.get(call, org, id)));
  }

  @Patch(':endpoint_id')
  @RequireScope('orgs:write', { in: 'resource' })
  @TakesJson()
  @ApiOperation({ summary: 'Updates, pauses or resumes a webhook endpoint. Absent fields stay the same.' })
  @ApiOkResponse({ type: WebhookEndpointAnswer })
  @ApiRefusals(...ANY_CALLER, ...ANY_BODY, ...MISSING)
  async update(
    @Caller() call: Call,
    @Param('org_id') org: string,
    @Param('endpoint_id') id: string,
    @Body() { url, description, types, state }: UpdateWebhookEndpointBody,
  ): Promise<Envelope<WebhookEndpointView>> {
    const change = {
      ...(url === undefined ? {} : { url }),
      ...(description === undefined ? {} : { description }),
      ...(types === undefined ? {} : { types }),
      ...(state === undefined ? {} : { state }),
    };
    return new Envelope(WebhookEndpointView.of(await this.endpoints.update(call, org, id, change)));
  }

  @Delete(':endpoint_id')
  @RequireScope('orgs:write', { in: 'resource' })
  @TakesNothing()
  @HttpCode(HttpStatus.NO_CONTENT)
  @ApiOperation({ summary: 'Deletes a webhook endpoint and the records of its deliveries.' })
  @ApiNoContentResponse()
  @ApiRefusals(...ANY_CALLER, ...ANY_WRITE, ...MISSING)
  async delete(@Caller() call: Call, @Param('org_id') org: string, @Param('endpoint_id') id: string): Promise<void> {
    await this.endpoints.delete(call, org, id);
  }

  @Post(':endpoint_id/rotate-secret')
  @RequireScope('orgs:write', { in: 'resource' })
  @RequireVerifiedEmail()
  @TakesJson()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    summary: 'Rotates the secret of a webhook endpoint.',
    description: 'The new secret is returned once. Messages are signed with both for `grace_seconds`.',
  })
  @ApiOkResponse({ type: IssuedWebhookEndpointAnswer })
  @ApiRefusals(...ANY_CALLER, ...ANY_BODY, ...MISSING, ACCESS_ERRORS.email_not_verified)
  async rotateSecret(
    @Caller() call: Call,
    @Param('org_id') org: string,
    @Param('endpoint_id') id: string,
    @Body() { grace_seconds }: RotateWebhookSecretBody,
  ): Promise<Envelope<IssuedWebhookEndpointView>> {
    return new Envelope(
      IssuedWebhookEndpointView.issued(await this.endpoints.rotateSecret(call, org, id, grace_seconds)),
    );
  }
}
