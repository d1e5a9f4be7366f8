import type { Invoice } from '@service/client';
import type { ReactNode } from 'react';
import { METERS } from '../../data/meters';
import { Table } from '../../ui/table';
import { exactly } from './amounts';

type Line = Invoice['lines'][number];

const COUNT = new Intl.NumberFormat('en', { maximumFractionDigits: 3 });

/** The lines of an invoice, which add up to its total. */
export function InvoiceLines({ lines }: { readonly lines: readonly Line[] }): ReactNode {
  return (
    <Table
      label="Lines of the invoice"
      rows={lines.map((line, index) => ({ ...line, index }))}
      keyOf={({ index }) => String(index)}
      columns={[
        {
          title: 'Description',
          cell: (line) => (
            <>
              {titleOf(line)}
              {line.model !== undefined && <code className="text-muted block font-mono text-xs">{line.model}</code>}
            </>
          ),
        },
        {
          title: 'Quantity',
          wideOnly: true,
          cell: ({ quantity, unit }) =>
            quantity === undefined ? '' : `${COUNT.format(Number(quantity))} ${unit ?? ''}`.trim(),
        },
        {
          title: 'Price',
          wideOnly: true,
          cell: ({ price, price_per: per }) => (price === undefined ? '' : `$${price} per ${per ?? ''}`),
        },
        { title: 'Amount', cell: ({ amount }) => exactly(amount) },
      ]}
    />
  );
}

function titleOf({ kind, plan, meter }: Line): string {
  const used = meter === undefined ? 'Usage' : METERS[meter];
  switch (kind) {
    case 'base_fee':
      return `Plan ${plan ?? ''}`;
    case 'usage':
      return used;
    case 'adjustment':
      return `${used}, reported after its month was closed`;
    case 'credits':
      return 'Paid with credits';
    case 'not_charged':
      return 'Not charged: refunded, or beyond the amount held';
    case 'rounding':
      return 'Rounding to whole cents';
  }
}
