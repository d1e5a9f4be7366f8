import type { Listing } from './page.js';
import type { RequestOptions, Transport } from './transport.js';
import type { Plan } from './types.js';

/** Plans and what they cost. */
export class Billing {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** All plans with their prices and limits. Needs no key. */
  plans(options?: RequestOptions): Listing<Plan> {
    return this.#transport.list('/api/v1/billing/plans', {}, options);
  }
}
