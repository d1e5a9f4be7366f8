import { Controller, Get, HttpCode, HttpStatus, Param, Post, Query } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { GENERIC_ERRORS } from '../../../platform/errors/generic.errors.js';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { TakesNothing } from '../../../platform/http/json-body.js';
import { PageQuery, pageEnvelope } from '../../../platform/http/page.js';
import { ANY_CALLER } from '../../auth/access.errors.js';
import { type Call, Caller } from '../../auth/caller.js';
import { RequireScope, TakesSession } from '../../auth/require-scope.js';
import { ANY_WRITE } from '../../idempotency/idempotency.errors.js';
import { ORG_ERRORS } from '../../orgs/orgs.errors.js';
import { DeliveriesService } from '../deliveries/deliveries.service.js';
import { WEBHOOK_ERRORS } from '../webhooks.errors.js';
import { WebhookDeliveryAnswer, WebhookDeliveryPageAnswer, WebhookDeliveryView } from './webhooks.dto.js';

const MISSING = [ORG_ERRORS.organization_not_found, WEBHOOK_ERRORS.webhook_endpoint_not_found];

@ApiTags('webhooks')
@TakesSession('or_key')
@Controller('api/v1/orgs/:org_id/webhook-endpoints/:endpoint_id')
export class WebhookDeliveriesController {
  constructor(private readonly deliveries: DeliveriesService) {}

  @Post('test')
  @RequireScope('orgs:write', { in: 'resource' })
  @TakesNothing()
  @HttpCode(HttpStatus.ACCEPTED)
  @ApiOperation({ summary: 'Sends a message of the type `webhook_endpoint.test` to a webhook endpoint.' })
  @ApiAcceptedResponse({ type: WebhookDeliveryAnswer })
  @ApiRefusals(...ANY_CALLER, ...ANY_WRITE, ...MISSING, WEBHOOK_ERRORS.webhook_endpoint_paused)
  async test(
    @Caller() call: Call,
    @Param('org_id') org: string,
    @Param('endpoint_id') endpointId: string,
  ): Promise<Envelope<WebhookDeliveryView>> {
    return new Envelope(WebhookDeliveryView.of(await this.deliveries.test(call, org, endpointId)));
  }

  @Get('deliveries')
  @RequireScope('orgs:write', { in: 'resource' })
  @ApiOperation({
    summary: 'Lists the deliveries to a webhook endpoint, newest first.',
    description: 'They are kept for 7 days.',
  })
  @ApiOkResponse({ type: WebhookDeliveryPageAnswer })
  @ApiRefusals(...ANY_CALLER, GENERIC_ERRORS.invalid_request, ...MISSING)
  async list(
    @Caller() call: Call,
    @Param('org_id') org: string,
    @Param('endpoint_id') endpointId: string,
    @Query() query: PageQuery,
  ): Promise<Envelope<WebhookDeliveryView[]>> {
    const page = await this.deliveries.list(call, org, endpointId, query.page);
    return pageEnvelope(page, (delivery) => WebhookDeliveryView.of(delivery));
  }

  @Get('deliveries/:delivery_id')
  @RequireScope('orgs:write', { in: 'resource' })
  @ApiOperation({ summary: 'Returns a delivery to a webhook endpoint, with how its last attempt ended.' })
  @ApiOkResponse({ type: WebhookDeliveryAnswer })
  @ApiRefusals(...ANY_CALLER, ...MISSING, WEBHOOK_ERRORS.webhook_delivery_not_found)
  async get(
    @Caller() call: Call,
    @Param('org_id') org: string,
    @Param('endpoint_id') endpointId: string,
    @Param('delivery_id') id: string,
  ): Promise<Envelope<WebhookDeliveryView>> {
    return new Envelope(WebhookDeliveryView.of(await this.deliveries.get(call, org, endpointId, id)));
  }

  @Post('deliveries/:delivery_id/replay')
  @RequireScope('orgs:write', { in: 'resource' })
  @TakesNothing()
  @HttpCode(HttpStatus.ACCEPTED)
  @ApiOperation({
    summary: 'Sends the message of a delivery again.',
    description: 'It has the same `webhook-id`, so that a receiver recognizes what it has already handled.',
  })
  @ApiAcceptedResponse({ type: WebhookDeliveryAnswer })
  @ApiRefusals(
    ...ANY_CALLER,
    ...ANY_WRITE,
    ...MISSING,
    WEBHOOK_ERRORS.webhook_delivery_not_found,
    WEBHOOK_ERRORS.webhook_endpoint_paused,
  )
  async replay(
    @Caller() call: Call,
    @Param('org_id') org: string,
    @Param('endpoint_id') endpointId: string,
    @Param('delivery_id') id: string,
  ): Promise<Envelope<WebhookDeliveryView>> {
    return new Envelope(WebhookDeliveryView.of(await this.deliveries.replay(call, org, endpointId, id)));
  }
}
