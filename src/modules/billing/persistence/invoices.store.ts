import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { type Page, pageOf, type PageWish } from '../../../platform/database/page.js';
import type { BillingPeriod } from '../billing-period.js';
import { CreditNote } from './credit-note.entity.js';
import { InvoiceLine } from './invoice-line.entity.js';
import { Invoice } from './invoice.entity.js';

/** Ids; the database is not asked for what it could not even hold. */
const CAN_NAME = /^[a-z0-9_]{1,40}$/;

/** What is numbered without gaps. */
type Series = 'invoice' | 'credit_note';

@Injectable()
export class InvoicesStore {
  constructor(private readonly database: Database) {}

  /** Adds one, unless the organization has one for its period. */
  async addUnlessThere(invoice: Invoice): Promise<void> {
    await this.database.manager.createQueryBuilder().insert().into(Invoice).values(invoice).orIgnore().execute();
  }

  async update(id: string, change: Partial<Omit<Invoice, 'id'>>): Promise<void> {
    await this.database.manager.update(Invoice, { id }, change);
  }

  async delete(id: string): Promise<void> {
    await this.database.manager.delete(Invoice, { id });
  }

  async addLines(lines: readonly InvoiceLine[]): Promise<void> {
    await this.database.manager.insert(InvoiceLine, [...lines]);
  }

  /** That of a period, locked until the running transaction ends. */
  lockOf(orgId: string, { from }: BillingPeriod): Promise<Invoice | null> {
    return this.database.manager.createQueryBuilder(Invoice, 'invoice')
      .where('invoice.orgId = :orgId AND invoice.periodFrom = :from', { orgId, from })
      .setLock('pessimistic_write').getOne();
  }

  /** One that has a number, locked until the running transaction ends. */
  async lock(id: string): Promise<Invoice | null> {
    if (!CAN_NAME.test(id)) return null;
    return this.database.manager.createQueryBuilder(Invoice, 'invoice').where('invoice.id = :id AND invoice.number IS NOT NULL', { id }).setLock('pessimistic_write').getOne();
  }

  /** One that has a number, whoever asks. */
  byId(id: string): Promise<Invoice | null> {
    return this.database.manager.createQueryBuilder(Invoice, 'invoice').where('invoice.id = :id AND invoice.number IS NOT NULL', { id }).getOne();
  }

  /** One that has a number, of these organizations. */
  async find(id: string, orgIds: readonly string[]): Promise<Invoice | null> {
    if (!CAN_NAME.test(id)) return null;
    return this.database.manager.createQueryBuilder(Invoice, 'invoice')
      .where('invoice.id = :id AND invoice.orgId = ANY(:orgIds) AND invoice.number IS NOT NULL', { id, orgIds }).getOne();
  }

  /** Those that have a number, the newest first. */
  async list(orgId: string, wish: PageWish): Promise<Page<Invoice>> {
    const query = this.database.manager.createQueryBuilder(Invoice, 'invoice')
      .where('invoice.orgId = :orgId AND invoice.number IS NOT NULL', { orgId })
      .orderBy('invoice.id', 'DESC').limit(wish.limit + 1);
    if (wish.after !== undefined) query.andWhere('invoice.id < :after', { after: wish.after });
    return pageOf(await query.getMany(), wish, ({ id }) => id);
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

  /** The next of its series. Nobody else is given one until the running transaction ends, and a rollback takes it back. */
  async nextNumber(series: Series): Promise<bigint> {
    const [rows] = await this.database.manager.query<[{ last: string }[], number]>('UPDATE document_numbers SET last = last + 1 WHERE series = $1 RETURNING last', [series]);
    return BigInt(rows[0]!.last);
  }

  /** Marks those that are not paid in time; tells how many. */
  async markOverdue(now: Date): Promise<number> {
    const [, count] = await this.database.manager.query<[unknown, number]>(
      `UPDATE invoices SET state = 'overdue', overdue_at = $1 WHERE state = 'finalized' AND due_at < $1`, [now]);
    return count;
  }
}
