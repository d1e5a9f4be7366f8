import { ModuleSettings } from '../../platform/config/module-settings.js';
import { ChoiceSetting, TextSetting, UrlSetting } from '../../platform/config/setting.js';

/** The Stripe account that receives payments. */
export interface StripeSettings {
  readonly secretKey: string;
  readonly webhookSecret: string;
  readonly apiUrl: string;
}

export class BillingSettings extends ModuleSettings {
  @ChoiceSetting({
    name: 'PLAN_CHANGES',
    summary: 'Without Stripe: a larger plan waits for an operator (`approved`) or begins at once (`free`).',
    see: 'billing.md#plans',
    values: ['approved', 'free'],
  })
  readonly planChanges: 'approved' | 'free' = 'approved';

  @TextSetting({
    name: 'INVOICE_ISSUER',
    summary: 'Issuer shown on invoices: name, address and tax number, as lines separated by semicolons.',
    maxLength: 500,
  })
  private readonly issuerText: string = '';

  @TextSetting({
    name: 'STRIPE_SECRET_KEY',
    summary: 'Secret key of the Stripe account that receives payments.',
    unset: 'invoices are paid manually',
    see: 'billing.md#stripe',
    minLength: 16,
  })
  private readonly stripeSecretKey?: string;

  @TextSetting({
    name: 'STRIPE_WEBHOOK_SECRET',
    summary: 'Signing secret of the Stripe webhook `<PUBLIC_URL>/webhooks/stripe`. Required with the key.',
    minLength: 16,
  })
  private readonly stripeWebhookSecret?: string;

  @UrlSetting({ name: 'STRIPE_API_URL', summary: 'URL of the Stripe API.' })
  private readonly stripeApiUrl: string = 'https://api.stripe.com';

  /** The issuer in lines. If it is empty, invoices name no issuer. */
  get invoiceIssuer(): readonly string[] {
    return this.issuerText
      .split(';')
      .map((line) => line.trim())
      .filter(Boolean);
  }

  /** Undefined when invoices are paid manually. */
  get stripe(): StripeSettings | undefined {
    const { stripeSecretKey: secretKey, stripeWebhookSecret: webhookSecret, stripeApiUrl: apiUrl } = this;
    return secretKey === undefined || webhookSecret === undefined ? undefined : { secretKey, webhookSecret, apiUrl };
  }

  /** Without the key no payment is possible, and without the secret no payment is noticed. */
  override faults(): readonly string[] {
    if ((this.stripeSecretKey === undefined) === (this.stripeWebhookSecret === undefined)) return [];
    return [
      this.stripeSecretKey === undefined
        ? 'STRIPE_SECRET_KEY must be set with STRIPE_WEBHOOK_SECRET'
        : 'STRIPE_WEBHOOK_SECRET must be set with STRIPE_SECRET_KEY',
    ];
  }
}
