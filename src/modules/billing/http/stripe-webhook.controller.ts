import { Controller, HttpCode, HttpStatus, Post, Req } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request } from 'express';
import { Envelope } from '../../../platform/http/envelope.js';
import { Public } from '../../../platform/http/public.js';
import { rawBodyOf } from '../../../platform/http/raw-body.js';
import { PaymentsService } from '../payments/payments.service.js';

/** Stripe sends nothing as large. */
const LIMIT_BYTES = 1_048_576;

/** What Stripe calls. It shows no key: what it sends is signed. Beside the API, so that its calls are on no caller's budget. */
@ApiExcludeController()
@Controller('webhooks/stripe')
@Public()
export class StripeWebhookController {
  constructor(private readonly payments: PaymentsService) {}

  @Post()
  @HttpCode(HttpStatus.OK)
  async take(@Req() request: Request): Promise<Envelope<{ outcome: string }>> {
    const signature = request.headers['stripe-signature'];
    return new Envelope({ outcome: await this.payments.take(await rawBodyOf(request, LIMIT_BYTES), typeof signature === 'string' ? signature : '') });
  }
}
