import { Body, Controller, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { GENERIC_ERRORS } from '../../../platform/errors/generic.errors.js';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { DryRun } from '../../../platform/http/dry-run.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { TakesJson, TakesNothing } from '../../../platform/http/json-body.js';
import { ANY_CALLER } from '../../auth/access.errors.js';
import { type Call, Caller } from '../../auth/caller.js';
import { RequireScope, TakesSession } from '../../auth/require-scope.js';
import { ANY_BODY, ANY_WRITE } from '../../idempotency/idempotency.errors.js';
import { BILLING_ERRORS } from '../billing.errors.js';
import { PaymentsService } from '../payments/payments.service.js';
import { CheckoutBody, PaymentPageAnswer, PaymentPageView } from './payments.dto.js';

@ApiTags('billing')
@TakesSession('or_key')
@Controller('api/v1/billing')
export class PaymentsController {
  constructor(private readonly payments: PaymentsService) {}

  @Post('checkout')
  @RequireScope('billing:write')
  @TakesJson({ actsOutside: true })
  @ApiOperation({
    summary: 'Creates a checkout page for a plan.',
    description:
      'Open the returned page in a browser to add a payment method; the plan then begins. Refuses plans by contract.',
  })
  @ApiCreatedResponse({ type: PaymentPageAnswer })
  @ApiRefusals(
    ...ANY_CALLER,
    ...ANY_BODY,
    GENERIC_ERRORS.integration_not_configured,
    BILLING_ERRORS.plan_by_contract,
    GENERIC_ERRORS.upstream_error,
  )
  async checkout(
    @Caller() call: Call,
    @Body() { plan }: CheckoutBody,
    @DryRun() dryRun: boolean,
  ): Promise<Envelope<PaymentPageView>> {
    return PaymentPageView.envelope(await this.payments.checkout(call, plan, dryRun));
  }

  @Post('portal')
  @RequireScope('billing:write')
  @TakesNothing({ actsOutside: true })
  @ApiOperation({
    summary: 'Creates a page to manage the payment method.',
    description:
      'Open the returned page in a browser to change the payment method or end the subscription. ' +
      'Refuses organizations without a payment method.',
  })
  @ApiCreatedResponse({ type: PaymentPageAnswer })
  @ApiRefusals(
    ...ANY_CALLER,
    ...ANY_WRITE,
    GENERIC_ERRORS.integration_not_configured,
    BILLING_ERRORS.payment_method_required,
    GENERIC_ERRORS.upstream_error,
  )
  async portal(@Caller() call: Call, @DryRun() dryRun: boolean): Promise<Envelope<PaymentPageView>> {
    return PaymentPageView.envelope(await this.payments.portal(call, dryRun));
  }
}
