import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { type Page, pageOf, type PageRequest } from '../../../platform/database/page.js';
import type { BillingPeriod } from '../domain/billing-period.js';
import { CreditNote } from './credit-note.entity.js';
import { InvoiceLine } from './invoice-line.entity.js';
import { Invoice } from './invoice.entity.js';

/** The form of ids. Other input is refused without asking the database, which could not store all of it. */
const ID = /^[a-z0-9_]{1,40}$/;

interface NewInvoices {
  readonly period: BillingPeriod;
  readonly issuer: Invoice['issuer'];
  readonly at: Date;
}

/** The content of a draft. */
interface Draft {
  readonly id: string;
  readonly totalCents: bigint;
  readonly billTo: Invoice['billTo'];
  readonly lines: readonly Omit<InvoiceLine, 'invoiceId' | 'position'>[];
}

/** A series of documents that are numbered without gaps. */
type Series = 'invoice' | 'credit_note';

@Injectable()
export class InvoicesStore {
  constructor(private readonly database: Database) {}

  /** Begins the invoices of a period, with the given ids. Organizations that have one keep it. */
  async begin(
    begun: readonly Pick<Invoice, 'id' | 'orgId' | 'billTo'>[],
    { period, issuer, at }: NewInvoices,
  ): Promise<void> {
    await this.database.manager.query(
      `
      INSERT INTO invoices (id, org_id, period_from, period_to, state, bill_to, issuer, created_at)
      SELECT id, org_id, $4, $5, 'gathering', bill_to::jsonb, $6, $7
      FROM unnest($1::text[], $2::text[], $3::text[]) AS begun (id, org_id, bill_to) ORDER BY org_id
      ON CONFLICT (org_id, period_from) DO NOTHING`,
      [
        begun.map(({ id }) => id),
        begun.map(({ orgId }) => orgId),
        begun.map(({ billTo }) => JSON.stringify(billTo)),
        period.from,
        period.to,
        issuer.join('\n'),
        at,
      ],
    );
  }

  /** Sets the cutoff, after which no usage of the period is added to the invoices. */
  async cutOff(ids: readonly string[], at: Date): Promise<void> {
    await this.database.manager.query('UPDATE invoices SET cutoff_at = $2 WHERE id = ANY($1)', [ids, at]);
  }

  /** Turns gathering invoices into drafts with lines. */
  async draft(drafts: readonly Draft[]): Promise<void> {
    await this.addLines(
      drafts.flatMap(({ id, lines }) => lines.map((line, index) => ({ ...line, invoiceId: id, position: index + 1 }))),
    );
    await this.database.manager.query(
      `
      UPDATE invoices i SET state = 'draft', total_cents = draft.total_cents, bill_to = draft.bill_to::jsonb
      FROM unnest($1::text[], $2::bigint[], $3::text[]) AS draft (id, total_cents, bill_to) WHERE i.id = draft.id`,
      [
        drafts.map(({ id }) => id),
        drafts.map(({ totalCents }) => totalCents.toString()),
        drafts.map(({ billTo }) => JSON.stringify(billTo)),
      ],
    );
  }

  /**
   * Numbers drafts in order and marks those over nothing as paid. No other transaction gets a number until this one
   * ends.
   */
  async number(
    drafts: readonly { readonly id: string; readonly isNothing: boolean }[],
    { at, dueAt }: { at: Date; dueAt: Date },
  ): Promise<void> {
    const first = await this.nextNumber('invoice', drafts.length);
    await this.database.manager.query(
      `
      UPDATE invoices i SET number = $3::bigint + numbered.place - 1, finalized_at = $4, due_at = $5,
        state = CASE WHEN is_nothing THEN 'paid' ELSE 'finalized' END,
        paid_at = CASE WHEN is_nothing THEN $4::timestamptz END,
        payment = CASE WHEN is_nothing THEN 'Nothing was due' END
      FROM unnest($1::text[], $2::boolean[]) WITH ORDINALITY AS numbered (id, is_nothing, place)
      WHERE i.id = numbered.id`,
      [drafts.map(({ id }) => id), drafts.map(({ isNothing }) => isNothing), first.toString(), at, dueAt],
    );
  }

  async update(id: string, change: Partial<Omit<Invoice, 'id'>>): Promise<void> {
    await this.database.manager.update(Invoice, { id }, change);
  }

  async delete(ids: readonly string[]): Promise<void> {
    await this.database.manager.query('DELETE FROM invoices WHERE id = ANY($1)', [ids]);
  }

  /** Locks the invoices of a period until the running transaction ends, in one order everywhere. */
  lockOf(orgIds: readonly string[], { from }: BillingPeriod): Promise<Invoice[]> {
    return this.database.manager
      .createQueryBuilder(Invoice, 'invoice')
      .where('invoice.orgId = ANY(:orgIds) AND invoice.periodFrom = :from', { orgIds, from })
      .orderBy('invoice.orgId')
      .setLock('pessimistic_write')
      .getMany();
  }

  /** Locks a numbered invoice until the running transaction ends. */
  async lock(id: string): Promise<Invoice | null> {
    if (!ID.test(id)) return null;
    return this.database.manager
      .createQueryBuilder(Invoice, 'invoice')
      .where('invoice.id = :id AND invoice.number IS NOT NULL', { id })
      .setLock('pessimistic_write')
      .getOne();
  }

  /** Returns a numbered invoice, regardless of who may read it. */
  byId(id: string): Promise<Invoice | null> {
    return this.database.manager
      .createQueryBuilder(Invoice, 'invoice')
      .where('invoice.id = :id AND invoice.number IS NOT NULL', { id })
      .getOne();
  }

  /** Returns a numbered invoice of these organizations. */
  async find(id: string, orgIds: readonly string[]): Promise<Invoice | null> {
    if (!ID.test(id)) return null;
    return this.database.manager
      .createQueryBuilder(Invoice, 'invoice')
      .where('invoice.id = :id AND invoice.orgId = ANY(:orgIds) AND invoice.number IS NOT NULL', { id, orgIds })
      .getOne();
  }

  /** Lists numbered invoices, the newest first. */
  async list(orgId: string, page: PageRequest): Promise<Page<Invoice>> {
    const query = this.database.manager
      .createQueryBuilder(Invoice, 'invoice')
      .where('invoice.orgId = :orgId AND invoice.number IS NOT NULL', { orgId })
      .orderBy('invoice.id', 'DESC')
      .limit(page.limit + 1);
    if (page.after !== undefined) query.andWhere('invoice.id < :after', { after: page.after });
    return pageOf(await query.getMany(), page, ({ id }) => id);
  }

  linesOf(invoiceId: string): Promise<InvoiceLine[]> {
    return this.database.manager.find(InvoiceLine, { where: { invoiceId }, order: { position: 'ASC' } });
  }

  creditNotesOf(invoiceId: string): Promise<CreditNote[]> {
    return this.database.manager.find(CreditNote, { where: { invoiceId }, order: { number: 'ASC' } });
  }

  async addCreditNote(note: CreditNote): Promise<void> {
    await this.database.manager.insert(CreditNote, note);
  }

  /**
   * Reserves `count` numbers of a series and returns the first. No other transaction gets a number until this one ends,
   * and a rollback returns them.
   */
  async nextNumber(series: Series, count = 1): Promise<bigint> {
    const [rows] = await this.database.manager.query<[{ first: string }[], number]>(
      'UPDATE document_numbers SET last = last + $2 WHERE series = $1 RETURNING last - $2 + 1 AS first',
      [series, count],
    );
    return BigInt(rows[0]!.first);
  }

  /** Marks unpaid invoices as overdue and returns how many there were. */
  async markOverdue(now: Date): Promise<{ id: string; orgId: string }[]> {
    const [rows] = await this.database.manager.query<[{ id: string; orgId: string }[], number]>(
      `UPDATE invoices SET state = 'overdue', overdue_at = $1 WHERE state = 'finalized' AND due_at < $1
       RETURNING id, org_id AS "orgId"`,
      [now],
    );
    return rows;
  }

  private async addLines(lines: readonly InvoiceLine[]): Promise<void> {
    await this.database.manager.query(
      `
      INSERT INTO invoice_lines (invoice_id, position, kind, plan, meter, model, price_version, price_nano,
        priced_per, quantity, unit, period_from, period_to, amount_nano)
      SELECT * FROM unnest(
        $1::text[], $2::int[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::bigint[],
        $9::text[], $10::numeric[], $11::text[], $12::timestamptz[], $13::timestamptz[], $14::bigint[])`,
      [
        lines.map(({ invoiceId }) => invoiceId),
        lines.map(({ position }) => position),
        lines.map(({ kind }) => kind),
        lines.map(({ plan }) => plan),
        lines.map(({ meter }) => meter),
        lines.map(({ model }) => model),
        lines.map(({ priceVersion }) => priceVersion),
        lines.map(({ priceNano }) => priceNano?.toString() ?? null),
        lines.map(({ pricedPer }) => pricedPer),
        lines.map(({ quantity }) => quantity?.toString() ?? null),
        lines.map(({ unit }) => unit),
        lines.map(({ periodFrom }) => periodFrom),
        lines.map(({ periodTo }) => periodTo),
        lines.map(({ amountNano }) => amountNano.toString()),
      ],
    );
  }
}
