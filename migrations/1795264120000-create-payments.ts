import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Expand only: the previous release does not know these tables and keeps working beside them. */
export class CreatePayments1795264120000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Who an organization is to the provider of payments. What is known there of cards stays there.
    await runner.query(`
      CREATE TABLE payment_customers (
        org_id          text        PRIMARY KEY REFERENCES organizations (id),
        customer_id     text        NOT NULL CONSTRAINT payment_customers_customer_unique UNIQUE,
        subscription_id text        CONSTRAINT payment_customers_subscription_unique UNIQUE,
        ready           boolean     NOT NULL,
        updated_at      timestamptz NOT NULL
      )
    `);
    await runner.query(`
      CREATE TABLE payment_invoices (
        invoice_id  text        PRIMARY KEY REFERENCES invoices (id),
        provider_id text        NOT NULL CONSTRAINT payment_invoices_provider_unique UNIQUE,
        created_at  timestamptz NOT NULL
      )
    `);
    // What the provider tells, by its own id: told again, it is done once. Of what it is about the state is asked for
    // anew.
    await runner.query(`
      CREATE TABLE webhook_inbox (
        event_id     text        PRIMARY KEY CHECK (length(event_id) BETWEEN 1 AND 255),
        type         text        NOT NULL,
        object_id    text        NOT NULL,
        received_at  timestamptz NOT NULL,
        processed_at timestamptz
      )
    `);
    await runner.query('CREATE INDEX webhook_inbox_by_age ON webhook_inbox (received_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['webhook_inbox', 'payment_invoices', 'payment_customers'])
      await runner.query(`DROP TABLE ${table}`);
  }
}
