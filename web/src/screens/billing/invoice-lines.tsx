import type { Invoice } from '@service/client';
import type { ReactNode } from 'react';
import { METERS } from '../../data/meters';
import { Table } from '../../ui/table';
import { exactly, quantityInWords } from './amounts';

type Line = Invoice['lines'][number];

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
          numeric: true,
          cell: ({ quantity, unit }) => (quantity === undefined ? '' : quantityInWords(quantity, unit ?? '')),
        },
        {
          title: 'Price',
          wideOnly: true,
          numeric: true,
          cell: ({ price, price_per: per }) => (price === undefined ? '' : `${exactly(price)} per ${per ?? ''}`),
        },
        { title: 'Amount', numeric: true, cell: ({ amount }) => exactly(amount) },
      ]}
    />
  );
}

const capitalized = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

function titleOf({ kind, plan, meter }: Line): string {
  const used = meter === undefined ? 'Usage' : METERS[meter];
  switch (kind) {
    case 'base_fee':
      return `Plan ${capitalized(plan ?? '')}`;
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
