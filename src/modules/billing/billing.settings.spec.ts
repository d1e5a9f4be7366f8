import { readSettings } from '../../platform/config/settings.js';
import { BillingSettings } from './billing.settings.js';

const load = (source: NodeJS.ProcessEnv): BillingSettings =>
  readSettings([BillingSettings], source).of(BillingSettings);

describe('BillingSettings', () => {
  it('take both secrets of Stripe or neither', () => {
    const stripe = { STRIPE_SECRET_KEY: 'sk_test_of_nobody_at_all', STRIPE_WEBHOOK_SECRET: 'whsec_of_nobody_at_all' };
    expect(load({}).stripe).toBeUndefined();
    expect(load({ ...stripe, STRIPE_API_URL: 'http://127.0.0.1:12111/' }).stripe).toEqual({
      secretKey: stripe.STRIPE_SECRET_KEY,
      webhookSecret: stripe.STRIPE_WEBHOOK_SECRET,
      apiUrl: 'http://127.0.0.1:12111',
    });
    expect(load(stripe).stripe?.apiUrl).toBe('https://api.stripe.com');
    expect(() => load({ ...stripe, STRIPE_SECRET_KEY: '' })).toThrow(
      /^Bad configuration:\n {2}STRIPE_SECRET_KEY must be set with STRIPE_WEBHOOK_SECRET$/,
    );
    expect(() => load({ ...stripe, STRIPE_WEBHOOK_SECRET: '' })).toThrow(
      /^Bad configuration:\n {2}STRIPE_WEBHOOK_SECRET must be set with STRIPE_SECRET_KEY$/,
    );
    expect(() => load({ ...stripe, STRIPE_SECRET_KEY: 'short' })).toThrow(/^(?!.*short)[^]*STRIPE_SECRET_KEY/);
  });

  it('split the issuer of invoices into lines', () => {
    expect(load({ INVOICE_ISSUER: 'Acme; Main Street 1;' }).invoiceIssuer).toEqual(['Acme', 'Main Street 1']);
    expect(load({}).invoiceIssuer).toEqual([]);
  });
});
