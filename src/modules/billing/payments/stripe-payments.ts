import assert from 'node:assert/strict';
import Stripe from 'stripe';
import { PaymentProviderRefused, WebhookSignatureInvalid } from '../billing.errors.js';
import type { StripeSettings } from '../billing.settings.js';
import { documentNumber } from '../invoices/document-number.js';
import type { WholeInvoice } from '../invoices/invoices.service.js';
import { PLAN_IDS, type PlanId, PLANS } from '../../plans/plan.js';
import {
  type Checkout,
  type CheckoutState,
  type CheckoutOptions,
  PaymentProvider,
  type ProviderEvent,
} from './payment-provider.js';
import { providerLines } from './provider-lines.js';

const TIMEOUT_MS = 10_000;
const RETRIES = 2;
const CURRENCY = 'usd';
/** The states in which a subscription's invoices can be charged. */
const ACTIVE: readonly string[] = ['active', 'trialing', 'past_due'];

/**
 * Stripe collects payments. Each organization has a subscription without a price there, which only holds its payment
 * method. What is owed comes from our invoices, which are copied line by line.
 */
export class StripePayments extends PaymentProvider {
  readonly takesPayments = true;
  private readonly stripe: Stripe;

  constructor(
    private readonly settings: StripeSettings,
    private readonly returnUrl: string,
  ) {
    super();
    const { protocol, hostname, port } = new URL(settings.apiUrl);
    this.stripe = new Stripe(settings.secretKey, {
      protocol: protocol === 'http:' ? 'http' : 'https',
      host: hostname,
      ...(port === '' ? {} : { port }),
      timeout: TIMEOUT_MS,
      maxNetworkRetries: RETRIES,
      telemetry: false,
    });
  }

  checkout({ orgId, orgName, email, plan, customerId }: CheckoutOptions): Promise<Checkout> {
    return this.call(async () => {
      const customer =
        customerId ??
        (
          await this.stripe.customers.create(
            { name: orgName, email, metadata: { org_id: orgId } },
            { idempotencyKey: `customer-${orgId}` },
          )
        ).id;
      const { url } = await this.stripe.checkout.sessions.create({
        mode: 'subscription',
        customer,
        client_reference_id: orgId,
        metadata: { org_id: orgId, plan },
        line_items: [
          {
            quantity: 1,
            price_data: {
              currency: CURRENCY,
              unit_amount: 0,
              recurring: { interval: 'month' },
              product_data: { name: `Plan ${PLANS[plan].name}, billed at the end of each month` },
            },
          },
        ],
        payment_method_collection: 'always',
        success_url: this.returnUrl,
        cancel_url: this.returnUrl,
      });
      return { customerId: customer, url: url! };
    });
  }

  portal(customerId: string): Promise<string> {
    return this.call(
      async () =>
        (await this.stripe.billingPortal.sessions.create({ customer: customerId, return_url: this.returnUrl })).url,
    );
  }

  async mirror(
    whole: WholeInvoice,
    { customerId, providerId }: { customerId: string; providerId: string | undefined },
    remember: (providerId: string) => Promise<void>,
  ): Promise<void> {
    await this.call(async () => {
      const id = providerId ?? (await this.create(whole, customerId));
      if (providerId === undefined) await remember(id);
      const { status, total } = await this.finalized(whole, id);
      assert.equal(BigInt(total), whole.invoice.totalCents);
      if (status === 'open') await this.follow(whole, id);
      if (status === 'paid' && whole.invoice.state !== 'void') await this.correct(whole, id);
    });
  }

  eventOf(body: Buffer, signature: string): ProviderEvent {
    let event: Stripe.Event;
    try {
      event = this.stripe.webhooks.constructEvent(body, signature, this.settings.webhookSecret);
    } catch {
      throw new WebhookSignatureInvalid();
    }
    return { id: event.id, type: event.type, objectId: (event.data.object as { id?: string }).id ?? '' };
  }

  checkoutState(id: string): Promise<CheckoutState> {
    return this.call(async () => {
      const { metadata, status, customer, subscription } = await this.stripe.checkout.sessions.retrieve(id);
      const plan = PLAN_IDS.find((known) => known === metadata?.['plan']);
      const orgId = metadata?.['org_id'];
      assert(
        plan !== undefined && orgId !== undefined && customer !== null,
        'The checkout does not belong to this service.',
      );
      return {
        orgId,
        plan: plan satisfies PlanId,
        customerId: idOf(customer),
        ...(status === 'complete' && subscription !== null ? { subscriptionId: idOf(subscription) } : {}),
      };
    });
  }

  isActive(subscriptionId: string): Promise<boolean> {
    return this.call(async () => ACTIVE.includes((await this.stripe.subscriptions.retrieve(subscriptionId)).status));
  }

  paidInvoice(providerId: string): Promise<string | undefined> {
    return this.call(async () => {
      const { status, metadata } = await this.stripe.invoices.retrieve(providerId);
      return status === 'paid' ? metadata?.['invoice_id'] : undefined;
    });
  }

  private async create({ invoice }: WholeInvoice, customer: string): Promise<string> {
    const { id } = await this.stripe.invoices.create(
      {
        customer,
        currency: CURRENCY,
        collection_method: 'charge_automatically',
        auto_advance: false,
        pending_invoice_items_behavior: 'exclude',
        description: documentNumber('invoice', invoice.number!),
        metadata: { invoice_id: invoice.id, number: documentNumber('invoice', invoice.number!) },
      },
      { idempotencyKey: invoice.id },
    );
    return id;
  }

  /** Requests are repeated with the same idempotency key, so Stripe does nothing twice. */
  private async finalized({ invoice, lines }: WholeInvoice, id: string): Promise<Stripe.Invoice> {
    const known = await this.stripe.invoices.retrieve(id);
    if (known.status !== 'draft') return known;
    const customer = idOf(known.customer!);
    for (const { position, description, amountCents } of providerLines(lines)) {
      await this.stripe.invoiceItems.create(
        { customer, invoice: id, currency: CURRENCY, amount: Number(amountCents), description },
        { idempotencyKey: `${invoice.id}-${position}` },
      );
    }
    return this.stripe.invoices.finalizeInvoice(
      id,
      { auto_advance: true },
      { idempotencyKey: `${invoice.id}-finalize` },
    );
  }

  private async follow(whole: WholeInvoice, id: string): Promise<void> {
    const { invoice } = whole;
    if (invoice.state === 'void') {
      await this.stripe.invoices.voidInvoice(id, {}, { idempotencyKey: `${invoice.id}-void` });
      return;
    }
    await this.correct(whole, id);
    // The invoice was paid outside of Stripe, so Stripe must not collect it.
    const { status } = await this.stripe.invoices.retrieve(id);
    if (invoice.state === 'paid' && status === 'open')
      await this.stripe.invoices.pay(id, { paid_out_of_band: true }, { idempotencyKey: `${invoice.id}-paid` });
  }

  private async correct({ creditNotes }: WholeInvoice, id: string): Promise<void> {
    if (creditNotes.length === 0) return;
    const { data: known } = await this.stripe.creditNotes.list({ invoice: id, limit: 100 });
    for (const note of creditNotes.filter(
      (own) => !known.some(({ metadata }) => metadata?.['credit_note_id'] === own.id),
    )) {
      await this.stripe.creditNotes.create(
        {
          invoice: id,
          amount: Number(note.amountCents),
          memo: `${documentNumber('credit_note', note.number)}: ${note.reason}`,
          metadata: { credit_note_id: note.id },
        },
        { idempotencyKey: note.id },
      );
    }
  }

  /** Errors of the SDK contain requests and responses. Only their code is passed on. */
  private async call<T>(request: () => Promise<T>): Promise<T> {
    try {
      return await request();
    } catch (error) {
      if (error instanceof Stripe.errors.StripeError)
        throw new PaymentProviderRefused(error.statusCode, error.code ?? error.type);
      throw error;
    }
  }
}

const idOf = (object: string | { readonly id: string }): string => (typeof object === 'string' ? object : object.id);
