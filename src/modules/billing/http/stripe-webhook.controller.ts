import { Controller, HttpCode, HttpStatus, Post, Req } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request } from 'express';
import { Envelope } from '../../../platform/http/envelope.js';
import { Public } from '../../../platform/http/public.js';
import { UnsignedBodies } from '../../../platform/http/unsigned-bodies.js';
import { clientAddressOf } from '../../limits/client-address.js';
import { PaymentsService } from '../payments/payments.service.js';

/** Stripe never sends a body this large. */
const LIMIT_BYTES = 1_048_576;
const TOTAL_BYTES = 64 * LIMIT_BYTES;
/** Stripe sends from a few addresses. */
const PLACES_BY_ADDRESS = 16;

/**
 * Receives webhooks from Stripe, which are signed instead of using a key. The route is outside of the API, so that it
 * counts towards no caller's budget.
 */
@ApiExcludeController()
@Controller('webhooks/stripe')
@Public()
export class StripeWebhookController {
  private readonly bodies = new UnsignedBodies({
    limitBytes: LIMIT_BYTES,
    totalBytes: TOTAL_BYTES,
    placesByAddress: PLACES_BY_ADDRESS,
  });

  constructor(private readonly payments: PaymentsService) {}

  @Post()
  @HttpCode(HttpStatus.OK)
  async take(@Req() request: Request): Promise<Envelope<{ outcome: string }>> {
    const signature = request.headers['stripe-signature'];
    const body = await this.bodies.read(request, clientAddressOf(request.ip).network);
    return new Envelope({ outcome: await this.payments.take(body, typeof signature === 'string' ? signature : '') });
  }
}
