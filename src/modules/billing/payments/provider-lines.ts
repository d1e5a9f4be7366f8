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
 * Returns the lines of an invoice in whole cents, as providers require. The running sum is rounded, so that the lines
 * add up to the total; less than a cent moves to the next line.
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
