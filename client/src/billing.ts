import { methodsOf } from './methods.js';
import type { Listing, ListQuery } from './page.js';
import type { Answer, RequestOptions, Transport } from './transport.js';
import type {
  SpendingBudget,
  Credits,
  Forecast,
  Invoice,
  ListedInvoice,
  NewSpendingBudget,
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

/** Plans, subscriptions, usage, credits, budgets and invoices. Amounts are decimal strings in US dollars. */
export interface Billing {
  /** Lists the plans with their prices and limits. Needs no key. */
  plans(options?: RequestOptions): Listing<Plan>;

  /** Returns the current prices of usage, by meter and model. Needs no key. */
  prices(options?: RequestOptions): Promise<readonly Price[]>;

  /** Returns the plan of the organization, its monthly price and any scheduled change. Needs `billing:read`. */
  subscription(options?: RequestOptions): Promise<Subscription>;

  /**
   * Changes the plan. A larger plan starts at once, a smaller one next month, and the current one cancels a scheduled
   * change. If the service has no payment provider, a larger plan waits for the operator, as `pending_change` shows.
   * Needs `billing:write`.
   *
   * @throws {ConflictError} `plan_too_small`: `details` lists what exceeds its limits. `plan_by_contract`.
   *   `payment_method_required`: add one with {@link checkout}.
   */
  choosePlan(plan: PlanId, options?: RequestOptions): Promise<Subscription>;

  /**
   * Returns the address where a person enters a payment method for a plan, which starts once that is done. Needs
   * `billing:write`.
   *
   * @throws {ConflictError} `integration_not_configured`: the service has no payment provider. `plan_by_contract`.
   */
  checkout(plan: Exclude<PlanId, 'free'>, options?: RequestOptions): Promise<{ readonly url?: string }>;

  /**
   * Returns the address where a person changes the payment method or ends the subscription. Needs `billing:write`.
   *
   * @throws {ConflictError} `integration_not_configured`, `payment_method_required`.
   */
  portal(options?: RequestOptions): Promise<{ readonly url?: string }>;

  /** Returns the balance of credits and its grants. Needs `billing:read`. */
  credits(options?: RequestOptions): Promise<Credits>;

  /**
   * Returns the monthly spend cap, and how much of it this month's usage has reached. Needs `billing:read`.
   */
  spendCap(options?: RequestOptions): Promise<SpendCap>;

  /**
   * Sets the monthly spend cap: how much usage may be billed beyond the credits. It applies at once. Needs
   * `billing:write`.
   *
   * @param amount decimal US dollars. `"0"` allows credits only, and null removes the cap.
   * @throws {ValidationError} `invalid_request`: it is not an amount.
   */
  setSpendCap(amount: string | null, options?: RequestOptions): Promise<SpendCap>;

  /** Lists the budgets of the organization, newest first. Needs `billing:read`. */
  budgets(query?: ListQuery, options?: RequestOptions): Listing<SpendingBudget>;

  /**
   * Sets what the work of a subject may cost in a window, such as `key:key_…` in a `month`. It applies at once. Needs
   * `billing:write`.
   *
   * @throws {NotFoundError} `api_key_not_found`.
   */
  setBudget(subject: string, budget: NewSpendingBudget, options?: RequestOptions): Promise<SpendingBudget>;

  /**
   * Deletes a budget, so that only the limits of the organization hold. Needs `billing:write`.
   *
   * @throws {NotFoundError} `budget_not_found`.
   */
  deleteBudget(subject: string, options?: RequestOptions): Promise<void>;

  /** Lists the invoices of the organization, newest first. Needs `billing:read`. */
  invoices(query?: ListQuery, options?: RequestOptions): Listing<ListedInvoice>;

  /** Returns the invoice of this month as it would be without further usage. Needs `billing:read`. */
  upcomingInvoice(options?: RequestOptions): Promise<UpcomingInvoice>;

  /**
   * Returns an invoice with its lines, which add up to its total, and its credit notes. Needs `billing:read`.
   *
   * @throws {NotFoundError} `invoice_not_found`.
   */
  invoice(invoiceId: string, options?: RequestOptions): Promise<Invoice>;

  /**
   * Returns the usage of the organization by meter and by the groups in `group_by`. `meta.cost` is the total. Costs are
   * decimal strings in US dollars. Needs `billing:read`.
   *
   * @throws {ValidationError} `invalid_request`: the times are not full hours, or are more than 400 days apart.
   */
  usage(query?: UsageQuery, options?: RequestOptions): Promise<Answer<Usage[], UsageMeta>>;

  /**
   * Returns when the daily calls and the credits run out at the current rate, and what uses most. Needs
   * `billing:read`.
   */
  forecast(options?: RequestOptions): Promise<Forecast>;
}

export const billingOf = (transport: Transport): Billing => ({
  ...methodsOf<Omit<Billing, 'plans' | 'portal' | 'usage'>>(transport, {
    prices: 'get billing/prices',
    subscription: 'get billing/subscription',
    choosePlan: 'post billing/subscription plan',
    checkout: 'post billing/checkout plan',
    credits: 'get billing/credits',
    spendCap: 'get billing/spend-cap',
    setSpendCap: 'put billing/spend-cap amount',
    budgets: 'list billing/budgets',
    setBudget: 'put billing/budgets/:',
    deleteBudget: 'delete billing/budgets/:',
    invoices: 'list billing/invoices',
    upcomingInvoice: 'get billing/invoices/upcoming',
    invoice: 'get billing/invoices/:',
    forecast: 'get billing/forecast',
  }),
  plans: (options) => transport.list('/api/v1/billing/plans', {}, options),
  portal: (options) => transport.post('/api/v1/billing/portal', {}, options),
  usage: ({ from, to, group_by } = {}, options) =>
    transport.send(
      { method: 'GET', path: '/api/v1/billing/usage', query: { from, to, group_by: group_by?.join(',') } },
      options,
    ),
});
