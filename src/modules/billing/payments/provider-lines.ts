import { formatUsd } from '../../../platform/money/nano-dollars.js';
import { roundToCents } from '../domain/cents.js';
import type { InvoiceLine } from '../invoices/invoices.service.js';
import { METER_TABLE } from '../../metering/meter.js';
import { PLANS } from '../../plans/plan.js';

interface ProviderLine {
  readonly position: number;
  readonly description: string;
  readonly amountCents: bigint;
}

/**
 * The lines of an invoice in whole cents, as providers want them. It is the running sum that is rounded, so that they
 * come to the total of the invoice; what is less than a cent goes with the line after it.
 */
export function providerLines(lines: readonly InvoiceLine[]): ProviderLine[] {
  let exact = 0n;
  let charged = 0n;
  return lines.flatMap((line) => {
    exact += line.amountNano;
    const amountCents = roundToCents(exact) - charged;
    charged += amountCents;
    return amountCents === 0n
      ? []
      : [{ position: line.position, description: `${titleOf(line)} (${formatUsd(line.amountNano)} USD)`, amountCents }];
  });
}

function titleOf({ kind, plan, meter, model }: InvoiceLine): string {
  switch (kind) {
    case 'base_fee':
      return `Plan ${PLANS[plan!].name}`;
    case 'usage':
    case 'adjustment':
      return `${METER_TABLE[meter!].label}${model === null ? '' : `, ${model}`}`;
    case 'credits':
      return 'Paid with credits';
    case 'not_charged':
      return 'Not charged';
    case 'rounding':
      return 'Rounding';
  }
}
