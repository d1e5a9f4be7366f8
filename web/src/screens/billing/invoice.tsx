import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ignore, queries } from '../../api';
import { invoiceQuery } from '../../data/billing';
import { useMay } from '../../data/me';
import { pathTo } from '../../paths';
import { Button } from '../../ui/button';
import { Loaded } from '../../ui/loaded';
import { NotForRole } from '../../ui/not-for-role';
import { Page, Section } from '../../ui/page';
import { Table } from '../../ui/table';
import { dayOf, exactly, monthOf } from './amounts';
import { InvoiceLines } from './invoice-lines';
import { InvoiceState } from './invoice-state';

interface Params {
  readonly org: string;
  readonly invoice: string;
}

export function prepare({ invoice }: Params): void {
  queries.query(invoiceQuery(invoice)).catch(ignore);
}

/** An invoice to read and to print. Its address can be given to any member who may see invoices. */
export function Screen({ org, invoice: id }: Params): ReactNode {
  const mayRead = useMay(org, 'billing:read');
  const query = useQuery({ ...invoiceQuery(id), enabled: mayRead });
  const { data } = query;
  return (
    <Page
      title={data === undefined ? 'Invoice' : `Invoice ${data.number}`}
      above={[['Billing', pathTo('billing', { org })]]}
      state={data !== undefined && <InvoiceState state={data.state} />}
      actions={
        data !== undefined && (
          <Button
            className="print:hidden"
            onClick={() => {
              print();
            }}
          >
            Print or save
          </Button>
        )
      }
    >
      {!mayRead ? (
        <NotForRole />
      ) : (
        <Loaded query={query} lines={8}>
          {(invoice) => (
            <>
              <dl className="mb-8 grid gap-x-6 gap-y-4 sm:grid-cols-2 lg:grid-cols-4">
                {invoice.issuer.length > 0 && (
                  <Fact name="From">
                    {invoice.issuer.map((line) => (
                      <span key={line} className="block">
                        {line}
                      </span>
                    ))}
                  </Fact>
                )}
                <Fact name="Billed to">
                  {invoice.bill_to.name}
                  <span className="text-muted block text-sm">{invoice.bill_to.slug}</span>
                </Fact>
                <Fact name="Period">{monthOf(invoice.period.from)}</Fact>
                <Fact name="Date">{dayOf(invoice.finalized_at)}</Fact>
                <Fact name={invoice.paid_at === undefined ? 'To be paid until' : 'Paid'}>
                  {dayOf(invoice.paid_at ?? invoice.due_at)}
                </Fact>
              </dl>
              <InvoiceLines lines={invoice.lines} />
              <p className="mt-4 mb-8 flex justify-end gap-6 px-4 text-lg font-semibold tabular-nums">
                <span>Total</span>
                <span>{exactly(invoice.total)}</span>
              </p>
              {invoice.credit_notes.length > 0 && (
                <Section title="Credit notes">
                  <Table
                    label="Credit notes"
                    rows={invoice.credit_notes}
                    keyOf={({ id: note }) => note}
                    columns={[
                      { title: 'Number', cell: ({ number }) => number },
                      { title: 'Reason', cell: ({ reason }) => reason },
                      { title: 'Date', wideOnly: true, cell: ({ created_at: at }) => dayOf(at) },
                      { title: 'Amount', numeric: true, cell: ({ amount }) => `−$${amount}` },
                    ]}
                  />
                  <p className="mt-4 flex justify-end gap-6 px-4 text-lg font-semibold tabular-nums">
                    <span>Left to be paid</span>
                    <span>{exactly(invoice.amount_due)}</span>
                  </p>
                </Section>
              )}
              <p className="text-muted text-sm">
                Amounts are exact to a billionth of a dollar, and rounded once, to whole cents. Times are in UTC.
              </p>
            </>
          )}
        </Loaded>
      )}
    </Page>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }): ReactNode {
  return (
    <div>
      <dt className="text-muted text-sm">{name}</dt>
      <dd className="font-medium break-words">{children}</dd>
    </div>
  );
}
