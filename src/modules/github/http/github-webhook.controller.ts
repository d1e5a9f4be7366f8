import { Controller, HttpCode, HttpStatus, Post, Req } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request } from 'express';
import { Envelope } from '../../../platform/http/envelope.js';
import { Public } from '../../../platform/http/public.js';
import { UnsignedBodies } from '../../../platform/http/unsigned-bodies.js';
import { clientAddressOf } from '../../limits/client-address.js';
import { GithubDeliveries } from '../github-deliveries.js';

/** The maximum size of a delivery at GitHub. */
const LIMIT_BYTES = 25 * 1_048_576;
/** Room for eight of the largest deliveries. */
const TOTAL_BYTES = 8 * LIMIT_BYTES;
/** High, because GitHub sends the deliveries of many repositories from a few addresses. */
const PLACES_BY_ADDRESS = 16;

/**
 * Receives the webhooks of GitHub, which are signed and carry no key. The route is outside of the API, so that no
 * caller's budget pays for it.
 */
@ApiExcludeController()
@Controller('webhooks/github')
@Public()
export class GithubWebhookController {
  private readonly bodies = new UnsignedBodies({
    limitBytes: LIMIT_BYTES,
    totalBytes: TOTAL_BYTES,
    placesByAddress: PLACES_BY_ADDRESS,
  });

  constructor(private readonly deliveries: GithubDeliveries) {}

  @Post()
  @HttpCode(HttpStatus.ACCEPTED)
  async take(@Req() request: Request): Promise<Envelope<{ outcome: string }>> {
    const headers = {
      id: headerOf(request, 'x-github-delivery'),
      event: headerOf(request, 'x-github-event'),
      signature: headerOf(request, 'x-hub-signature-256'),
    };
    this.deliveries.requireHeaders(headers);
    const body = await this.bodies.read(request, clientAddressOf(request.ip).network);
    return new Envelope({ outcome: await this.deliveries.take({ ...headers, body }) });
  }
}

function headerOf({ headers }: Request, name: string): string {
  const value = headers[name];
  return typeof value === 'string' ? value : '';
}
