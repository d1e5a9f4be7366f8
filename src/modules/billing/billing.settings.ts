import { ModuleSettings } from '../../platform/config/module-settings.js';
import { ChoiceSetting, TextSetting, UrlSetting } from '../../platform/config/setting.js';

/** The account at Stripe that takes the money. */
export interface StripeSettings {
  readonly secretKey: string;
  readonly webhookSecret: string;
  readonly apiUrl: string;
}

export class BillingSettings extends ModuleSettings {
  @ChoiceSetting({
    name: 'PLAN_CHANGES',
    summary:
      'Without Stripe: a larger plan that an organization chooses waits for an operator (`approved`), or begins at once (`free`).',
    see: 'billing.md#plans',
    values: ['approved', 'free'],
  })
  readonly planChanges: 'approved' | 'free' = 'approved';

  @TextSetting({
    name: 'INVOICE_ISSUER',
    summary: 'Who writes invoices, as it stands on them: name, address, tax number, with semicolons between the lines.',
    maxLength: 500,
  })
  private readonly issuerText: string = '';

  @TextSetting({
    name: 'STRIPE_SECRET_KEY',
    summary: 'Secret key of the account at Stripe that takes the money for invoices.',
    unset: 'they are paid by hand',
    see: 'billing.md#stripe',
    minLength: 16,
  })
  private readonly stripeSecretKey?: string;

  @TextSetting({
    name: 'STRIPE_WEBHOOK_SECRET',
    summary: 'Signing secret of the endpoint `<PUBLIC_URL>/webhooks/stripe` there; set with the key, or not at all.',
    minLength: 16,
  })
  private readonly stripeWebhookSecret?: string;

  @UrlSetting({ name: 'STRIPE_API_URL', summary: 'Where the API of Stripe is.' })
  private readonly stripeApiUrl: string = 'https://api.stripe.com';

  /** In lines; empty: invoices name nobody. */
  get invoiceIssuer(): readonly string[] {
    return this.issuerText
      .split(';')
      .map((line) => line.trim())
      .filter(Boolean);
  }

  /** Undefined: invoices are paid by hand. */
  get stripe(): StripeSettings | undefined {
    const { stripeSecretKey: secretKey, stripeWebhookSecret: webhookSecret, stripeApiUrl: apiUrl } = this;
    return secretKey === undefined || webhookSecret === undefined ? undefined : { secretKey, webhookSecret, apiUrl };
  }

  /** Without the one nobody could pay, without the other nobody would learn of it. */
  override faults(): readonly string[] {
    if ((this.stripeSecretKey === undefined) === (this.stripeWebhookSecret === undefined)) return [];
    return [
      this.stripeSecretKey === undefined
        ? 'STRIPE_SECRET_KEY must be set where STRIPE_WEBHOOK_SECRET is'
        : 'STRIPE_WEBHOOK_SECRET must be set where STRIPE_SECRET_KEY is',
    ];
  }
}
