import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { ProviderEvent } from '../payments/payment-provider.js';

/** An organization as a customer of the payment provider. */
export interface PaymentCustomer {
  readonly orgId: string;
  readonly customerId: string;
  readonly subscriptionId: string | null;
  /** True when it has a payment method. */
  readonly ready: boolean;
}

const CUSTOMER = `SELECT org_id AS "orgId", customer_id AS "customerId", subscription_id AS "subscriptionId", ready
  FROM payment_customers`;

@Injectable()
export class PaymentsStore {
  constructor(private readonly database: Database) {}

  customerOf(orgId: string): Promise<PaymentCustomer | undefined> {
    return this.one<PaymentCustomer>(`${CUSTOMER} WHERE org_id = $1`, [orgId]);
  }

  customerBySubscription(subscriptionId: string): Promise<PaymentCustomer | undefined> {
    return this.one<PaymentCustomer>(`${CUSTOMER} WHERE subscription_id = $1`, [subscriptionId]);
  }

  async saveCustomer({ orgId, customerId, subscriptionId, ready }: PaymentCustomer, at: Date): Promise<void> {
    await this.database.manager.query(
      `
      INSERT INTO payment_customers (org_id, customer_id, subscription_id, ready, updated_at)
      VALUES ($1, $2, $3, $4, $5)
      ON CONFLICT (org_id) DO UPDATE SET customer_id = excluded.customer_id,
        subscription_id = excluded.subscription_id, ready = excluded.ready, updated_at = excluded.updated_at`,
      [orgId, customerId, subscriptionId, ready, at],
    );
  }

  /** Adds the customer of a checkout. A customer that exists stays as it is. */
  async addCustomer(orgId: string, customerId: string, at: Date): Promise<void> {
    await this.database.manager.query(
      `
      INSERT INTO payment_customers (org_id, customer_id, ready, updated_at) VALUES ($1, $2, false, $3)
      ON CONFLICT (org_id) DO NOTHING`,
      [orgId, customerId, at],
    );
  }

  async providerIdOf(invoiceId: string): Promise<string | undefined> {
    return (
      await this.one<{ id: string }>('SELECT provider_id AS id FROM payment_invoices WHERE invoice_id = $1', [
        invoiceId,
      ])
    )?.id;
  }

  async addProviderId(invoiceId: string, providerId: string, at: Date): Promise<void> {
    await this.database.manager.query(
      `
      INSERT INTO payment_invoices (invoice_id, provider_id, created_at) VALUES ($1, $2, $3)
      ON CONFLICT (invoice_id) DO NOTHING`,
      [invoiceId, providerId, at],
    );
  }

  /** Returns false for an event that was received before. */
  async receive({ id, type, objectId }: ProviderEvent, at: Date): Promise<boolean> {
    const rows = await this.database.manager.query<unknown[]>(
      `
      INSERT INTO webhook_inbox (event_id, type, object_id, received_at) VALUES ($1, $2, $3, $4)
      ON CONFLICT DO NOTHING RETURNING event_id`,
      [id, type, objectId, at],
    );
    return rows.length === 1;
  }

  /** Returns an event that has not been processed yet. */
  pending(eventId: string): Promise<ProviderEvent | undefined> {
    return this.one<ProviderEvent>(
      `
      SELECT event_id AS id, type, object_id AS "objectId" FROM webhook_inbox
      WHERE event_id = $1 AND processed_at IS NULL`,
      [eventId],
    );
  }

  async markProcessed(eventId: string, at: Date): Promise<void> {
    await this.database.manager.query('UPDATE webhook_inbox SET processed_at = $2 WHERE event_id = $1', [eventId, at]);
  }

  async deleteEventsBefore(time: Date): Promise<void> {
    await this.database.manager.query('DELETE FROM webhook_inbox WHERE received_at < $1 AND processed_at IS NOT NULL', [
      time,
    ]);
  }

  private async one<Row>(text: string, values: unknown[]): Promise<Row | undefined> {
    return (await this.database.manager.query<Row[]>(text, values))[0];
  }
}
