import type { Listing, ListQuery } from './page.js';
import type { Answer, RequestOptions, Transport } from './transport.js';
import type {
  Credits,
  Forecast,
  Invoice,
  ListedInvoice,
  Plan,
  PlanId,
  Price,
  SpendCap,
  Subscription,
  UpcomingInvoice,
  Usage,
  UsageMeta,
  UsageQuery,
} from './types.js';

/** Plans, what is paid for them and for usage, and invoices. Amounts are decimal strings in US dollars. */
export class Billing {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** All plans with their prices and limits. Needs no key. */
  plans(options?: RequestOptions): Listing<Plan> {
    return this.#transport.list('/api/v1/billing/plans', {}, options);
  }

  /** What usage costs now, by meter and model. Needs no key. */
  prices(options?: RequestOptions): Promise<readonly Price[]> {
    return this.#transport.get('/api/v1/billing/prices', options);
  }

  /** The plan of the organization, what a month of it costs, and what is planned. Needs `billing:read`. */
  subscription(options?: RequestOptions): Promise<Subscription> {
    return this.#transport.get('/api/v1/billing/subscription', options);
  }

  /**
   * Chooses a plan: a larger one begins at once, a smaller one with the next month; the present one drops what is
   * planned. Where the service has no payment provider, a larger plan waits for its operator: `pending_change` says so.
   * Needs `billing:write`.
   *
   * @throws {ConflictError} `plan_too_small`: `details` lists what is too much. `plan_by_contract`.
   *   `payment_method_required`: {@link checkout} leads to where one is given.
   */
  choosePlan(plan: PlanId, options?: RequestOptions): Promise<Subscription> {
    return this.#transport.post('/api/v1/billing/subscription', { plan }, options);
  }

  /**
   * Where a person gives a means of payment for a plan, which begins once that is done. Needs `billing:write`.
   *
   * @throws {ConflictError} `integration_not_configured`: invoices are paid by hand here. `plan_by_contract`.
   */
  checkout(plan: Exclude<PlanId, 'free'>, options?: RequestOptions): Promise<{ readonly url?: string }> {
    return this.#transport.post('/api/v1/billing/checkout', { plan }, options);
  }

  /**
   * Where a person changes the means of payment, or ends the subscription. Needs `billing:write`.
   *
   * @throws {ConflictError} `integration_not_configured`, `payment_method_required`.
   */
  portal(options?: RequestOptions): Promise<{ readonly url?: string }> {
    return this.#transport.post('/api/v1/billing/portal', {}, options);
  }

  /** What can be spent, and by which grants. Needs `billing:read`. */
  credits(options?: RequestOptions): Promise<Credits> {
    return this.#transport.get('/api/v1/billing/credits', options);
  }

  /**
   * What the organization lets itself be billed for the usage of a month, and what is billed so far. Needs
   * `billing:read`.
   */
  spendCap(options?: RequestOptions): Promise<SpendCap> {
    return this.#transport.get('/api/v1/billing/spend-cap', options);
  }

  /**
   * Sets what the organization lets itself be billed for the usage of a month, beyond its credits; it holds at once.
   * Needs `billing:write`.
   *
   * @param amount decimal US dollars; `"0"`: only credits are used; null: no cap.
   * @throws {ValidationError} `invalid_request`: it is not an amount.
   */
  setSpendCap(amount: string | null, options?: RequestOptions): Promise<SpendCap> {
    return this.#transport.put('/api/v1/billing/spend-cap', { amount }, options);
  }

  /** Those of the organization, the newest first. Needs `billing:read`. */
  invoices(query?: ListQuery, options?: RequestOptions): Listing<ListedInvoice> {
    return this.#transport.list('/api/v1/billing/invoices', query, options);
  }

  /** What the invoice of the running month would be if nothing more were used. Needs `billing:read`. */
  upcomingInvoice(options?: RequestOptions): Promise<UpcomingInvoice> {
    return this.#transport.get('/api/v1/billing/invoices/upcoming', options);
  }

  /**
   * An invoice with its lines, which come to its total, and the credit notes that have corrected it. Needs
   * `billing:read`.
   *
   * @throws {NotFoundError} `invoice_not_found`.
   */
  invoice(invoiceId: string, options?: RequestOptions): Promise<Invoice> {
    return this.#transport.get(`/api/v1/billing/invoices/${encodeURIComponent(invoiceId)}`, options);
  }

  /**
   * What the organization of the call has used, by meter and by what `group_by` names, in `data`; `meta.cost` is what
   * all of it costs. Costs are decimal strings in US dollars. Needs `billing:read`.
   *
   * @throws {ValidationError} `invalid_request`: the times are not whole hours, or lie more than 400 days apart.
   */
  usage({ from, to, group_by }: UsageQuery = {}, options?: RequestOptions): Promise<Answer<Usage[], UsageMeta>> {
    return this.#transport.send(
      { method: 'GET', path: '/api/v1/billing/usage', query: { from, to, group_by: group_by?.join(',') } },
      options,
    );
  }

  /**
   * When the calls of the day and the credits run out at the present rate, and what uses most. Needs `billing:read`.
   */
  forecast(options?: RequestOptions): Promise<Forecast> {
    return this.#transport.get('/api/v1/billing/forecast', options);
  }
}
